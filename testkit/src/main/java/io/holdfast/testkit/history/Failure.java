package io.holdfast.testkit.history;

import java.util.List;

/** The shortest beginning of a history for which there is no order. */
record Failure<S>(Timeline prefix, Search<S> search, boolean isShortest) {

    /**
     * Finds it, for a history that has no order. Up to the furthest return that the search could not reach there is one;
     * most often there is none as soon as that return is added. But the search knew the outcomes of what was still going
     * on, and without them more may be possible: then it is looked for behind.
     */
    static <S> Failure<S> shortest(Model<S> model, Timeline whole, Search<S> failed, long budget) {
        Failure<S> found = new Failure<>(whole, failed, true);
        int good = failed.furthest();
        int bad = whole.events().size();
        int middle = good + 1;
        boolean sure = true;
        while (bad - good > 1) {
            Timeline prefix = whole.prefix(middle);
            // What is certain is known already: a shorter one is worth less effort.
            Search<S> search = new Search<>(model, prefix, Math.max(1_000, budget / 20));
            Search.Result result = search.run();
            if (result == Search.Result.NONE) {
                found = new Failure<>(prefix, search, true);
                bad = middle;
                good = Math.max(good, search.furthest());
            } else {
                sure &= result == Search.Result.FOUND;
                good = middle;
            }
            middle = good + (bad - good) / 2;
        }
        return sure ? found : new Failure<>(found.prefix, found.search, false);
    }

    long time() {
        return last().time();
    }

    List<Operation> operations() {
        return prefix.operations();
    }

    private Timeline.Event last() {
        return prefix.events().get(prefix.events().size() - 1);
    }

    String report() {
        Operation misfit = prefix.operations().get(last().operation());
        StringBuilder text = new StringBuilder("Not linearizable: no order of the first "
                + prefix.operations().size() + " operations on '" + misfit.lock() + "', up to " + time() + ".\n");
        if (!isShortest) {
            text.append("Perhaps already before: the search for a shorter one was given up.\n");
        }
        text.append("The longest order ends like this:\n");
        for (Search.Step step : search.trail()) {
            text.append("  ")
                    .append(step.operation())
                    .append(" -> ")
                    .append(step.state())
                    .append('\n');
        }
        text.append("and leaves no room for:\n  ").append(misfit).append('\n');
        List<Operation> open =
                prefix.operations().stream().filter(Operation::isOpen).toList();
        if (!open.isEmpty()) {
            text.append("Still open, so perhaps done and perhaps not:\n");
            open.forEach(operation -> text.append("  ").append(operation).append('\n'));
        }
        return text.toString();
    }
}
