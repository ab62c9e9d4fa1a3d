package io.holdfast.testkit.contract;

import io.holdfast.Hold;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that remembers what was lost. */
final class Losses implements LockListener {
    private final List<Loss> losses = new CopyOnWriteArrayList<>();

    @Override
    public void lost(Hold hold, Loss loss) {
        losses.add(loss);
    }

    List<Loss.Cause> causes() {
        return losses.stream().map(Loss::cause).toList();
    }
}
