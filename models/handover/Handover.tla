------------------------------ MODULE Handover ------------------------------
(***************************************************************************)
(* One server, one lock, and clients that wait for it: lock.lua and those  *)
(* who call it.                                                            *)
(*                                                                         *)
(* Who asks gets the lock if it is free and no live ticket is ahead, or a  *)
(* ticket. Who gives the lock back hands it, in the same step, to the      *)
(* first live ticket for the length of a grant, and a message is sent to   *)
(* that client. The client has the lock from the message, counted from     *)
(* when the grant was made, or by asking again under the same id, counted  *)
(* from when it asked. A client that leaves says a release, and says it    *)
(* again when no request of that id can be carried out any more.           *)
(*                                                                         *)
(* Time is told by what is left and by how old things are, never by a      *)
(* date, so that the model has no end: clients come back for ever. An id   *)
(* is used again only when nothing is left of it anywhere, which is as     *)
(* good as a new one. Requests and messages may be late, lost, overtaken   *)
(* and carried out any number of times. Clocks run at the same rate; what  *)
(* the library takes off for drift is not shown.                           *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,
  Ids,          \* how many ids a client has to choose from
  Lease,        \* how long the lock lasts for one who asked for it
  GrantLength,  \* how long it lasts for one to whom it was handed over
  Ticket,       \* how long a ticket lives without being refreshed
  NotAfter,     \* how old an acquire may be to be carried out
  InFlight,     \* how many requests may be under way at once
  Crashes,      \* whether clients die
  Repeats,      \* whether requests are carried out more than once
  Timely,       \* whether requests and their answers, but not messages, arrive before the time moves on, and those who
                \*   wait ask again in time
  \* The rules, each of which can be left out:
  FreshIds,     \* an id is never used again
  Limit,        \* an acquire that is older than NotAfter is refused
  FullAgain,    \* an acquire of who has the lock already starts the full lease
  CountFrom,    \* validity of an answer: from "send" or "answer"
  PushFrom,     \* validity of a message: from the "grant" or its "arrival"
  Recheck,      \* who waits asks again, without being told to
  TicketsEnd,   \* tickets die unless they are refreshed
  InLine        \* who asks does not overtake who waits

VARIABLES
  lock,     \* whose it is, and how long it lasts
  queue,    \* the ids that wait, in the order of their coming
  ticket,   \* of each id: how long its ticket lives
  net,      \* the requests under way
  mail,     \* the answers and messages under way to clients that wait for them
  state,    \* of each client: idle, waiting, holding, dead
  id,       \* of each client: the id it uses, 0 for none
  valid,    \* of each client that holds the lock: for how long it still may believe so
  asked,    \* of each client: whether it has asked since the time last moved
  leaving,  \* ids whose client has given them up, and says so
  gone,     \* ids whose last release was carried out
  overtook, \* whether the lock ever went to one when another was before it
  stale     \* whether the lock was ever handed to a ticket that nobody had refreshed in time

vars == <<lock, queue, ticket, net, mail, state, id, valid, asked, leaving, gone, overtook, stale>>
server == <<lock, queue, ticket, gone, overtook, stale>>

Names == Clients \X (1 .. Ids)
Nobody == <<"nobody", 0>>
Free == [by |-> Nobody, left |-> 0]
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Mine(c) == <<c, id[c]>>

InQueue(x) == \E i \in 1 .. Len(queue) : queue[i] = x
Without(q, x) == SelectSeq(q, LAMBDA y : y # x)
Waits(x) == state[x[1]] = "waiting" /\ Mine(x[1]) = x

Acquire(x, age) == [op |-> "acquire", id |-> x, age |-> age]
Release(x, last) == [op |-> "release", id |-> x, age |-> IF last THEN 1 ELSE 0]
Answer(x, age) == [op |-> "granted", id |-> x, age |-> age]
Message(x, age) == [op |-> "pushed", id |-> x, age |-> age]

Init ==
  /\ lock = Free /\ queue = <<>> /\ ticket = [x \in Names |-> 0]
  /\ net = {} /\ mail = {}
  /\ state = [c \in Clients |-> "idle"]
  /\ id = [c \in Clients |-> 0]
  /\ valid = [c \in Clients |-> 0]
  /\ asked = [c \in Clients |-> FALSE]
  /\ leaving = {} /\ gone = {}
  /\ overtook = FALSE /\ stale = FALSE

-----------------------------------------------------------------------------
(* The server. *)

Alive(x, t) == t[x] > 0 \/ ~TicketsEnd

\* The queue from its first live ticket on.
RECURSIVE Living(_, _)
Living(q, t) == IF q = <<>> \/ Alive(Head(q), t) THEN q ELSE Living(Tail(q), t)

\* Whether somebody alive stands before x, or at all if x does not stand there.
Ahead(x, q) == \E i \in 1 .. Len(q) : ticket[q[i]] > 0 /\ q[i] # x /\ \A j \in 1 .. i : q[j] # x

\* The lock goes to one who waits in this queue, for the length of a grant, and a message is sent.
HandTo(x, q) ==
  /\ lock' = [by |-> x, left |-> GrantLength]
  /\ mail' = IF Waits(x) THEN mail \cup {Message(x, 0)} ELSE mail
  /\ stale' = (stale \/ ticket[x] = 0)
  /\ overtook' = (overtook \/ Ahead(x, q))

\* The lock is free: it goes to the first of this queue, if there is one.
PassOn(q, t) ==
  LET line == Living(q, t)
  IN IF line = <<>>
       THEN /\ lock' = Free /\ queue' = <<>> /\ ticket' = t
            /\ UNCHANGED <<mail, overtook, stale>>
       ELSE /\ HandTo(Head(line), q)
            /\ queue' = Tail(line)
            /\ ticket' = [t EXCEPT ![Head(line)] = 0]

\* x gets the lock, or what is left of its lease is set to the full one.
Give(m) ==
  /\ lock' = [by |-> m.id, left |-> IF lock.by = m.id /\ ~FullAgain THEN lock.left ELSE Max(lock.left, Lease)]
  /\ ticket' = [ticket EXCEPT ![m.id] = 0]
  /\ mail' = IF Waits(m.id) THEN mail \cup {Answer(m.id, m.age)} ELSE mail
  /\ UNCHANGED stale

Queue(m, q, t) ==
  /\ queue' = IF \E i \in 1 .. Len(q) : q[i] = m.id THEN q ELSE Append(q, m.id)
  /\ ticket' = [t EXCEPT ![m.id] = Ticket]

ServeAcquire(m) ==
  LET x == m.id
      line == Living(queue, ticket)
  IN /\ UNCHANGED gone
     /\ IF Limit /\ m.age > NotAfter
          THEN UNCHANGED <<lock, queue, ticket, mail, overtook, stale>>
        ELSE IF lock.by = x
          THEN Give(m) /\ queue' = Without(queue, x) /\ UNCHANGED overtook
        ELSE IF lock = Free /\ (line = <<>> \/ Head(line) = x \/ ~InLine)
          THEN /\ Give(m)
               /\ queue' = Without(line, x)
               /\ overtook' = (overtook \/ Ahead(x, queue))
        ELSE IF lock = Free
          THEN HandTo(Head(line), queue) /\ Queue(m, Tail(line), [ticket EXCEPT ![Head(line)] = 0])
        ELSE Queue(m, queue, ticket) /\ UNCHANGED <<lock, mail, overtook, stale>>

ServeRelease(m) ==
  LET x == m.id
      rest == Without(queue, x)
      others == [ticket EXCEPT ![x] = 0]
  IN /\ gone' = IF m.age = 1 THEN gone \cup {x} ELSE gone
     /\ IF lock.by = x \/ lock = Free
          THEN PassOn(rest, others)
          ELSE /\ queue' = rest
               /\ ticket' = others
               /\ UNCHANGED <<lock, mail, overtook, stale>>

Serve(m) ==
  /\ IF m.op = "acquire" THEN ServeAcquire(m) ELSE ServeRelease(m)
  /\ net' = net \ {m} \/ (Repeats /\ net' = net)
  /\ leaving' = IF m.op = "release" /\ m.age = 1 THEN leaving \ {m.id} ELSE leaving
  /\ UNCHANGED <<state, id, valid, asked>>

-----------------------------------------------------------------------------
(* The clients. *)

\* Nothing is left of it, so it is as good as new.
New(x) ==
  /\ x \notin leaving
  /\ lock.by # x /\ ~InQueue(x)
  /\ \A m \in net : m.id # x

Send(m) == Cardinality(net) < InFlight /\ net' = net \cup {m}

Forget(c) == mail' = {m \in mail : m.id # Mine(c)}

Begin(c) ==
  /\ state[c] = "idle"
  /\ Timely => ~asked[c] \* or it would come and go for ever in no time
  /\ \E k \in 1 .. Ids :
       /\ New(<<c, k>>) \/ ~FreshIds
       /\ id' = [id EXCEPT ![c] = k]
       /\ gone' = gone \ {<<c, k>>}
       /\ leaving' = leaving \ {<<c, k>>}
       /\ Send(Acquire(<<c, k>>, 0))
  /\ state' = [state EXCEPT ![c] = "waiting"]
  /\ asked' = [asked EXCEPT ![c] = TRUE]
  /\ UNCHANGED <<lock, queue, ticket, mail, valid, overtook, stale>>

Ask(c) ==
  /\ state[c] = "waiting" /\ ~asked[c] /\ Recheck
  /\ Send(Acquire(Mine(c), 0))
  /\ asked' = [asked EXCEPT ![c] = TRUE]
  /\ UNCHANGED <<mail, state, id, valid, leaving>>
  /\ UNCHANGED server

Take(c, m, left) ==
  /\ left > 0
  /\ state' = [state EXCEPT ![c] = "holding"]
  /\ valid' = [valid EXCEPT ![c] = left]
  /\ Forget(c)
  /\ UNCHANGED <<net, id, asked, leaving>>
  /\ UNCHANGED server

\* A message that is more than half over is not relied upon.
Hear(c) ==
  /\ state[c] = "waiting"
  /\ \E m \in mail :
       /\ m.id = Mine(c)
       /\ IF m.op = "granted"
            THEN Take(c, m, IF CountFrom = "send" THEN Lease - Min(m.age, Lease) ELSE Lease)
            ELSE IF PushFrom = "arrival"
              THEN Take(c, m, GrantLength)
              ELSE 2 * m.age <= GrantLength /\ Take(c, m, GrantLength - m.age)

\* The section has ended, or was lost, or the caller has waited long enough: from now on the id is dead.
Leave(c) ==
  /\ state[c] \in {"waiting", "holding"}
  /\ state' = [state EXCEPT ![c] = "idle"]
  /\ id' = [id EXCEPT ![c] = 0]
  /\ valid' = [valid EXCEPT ![c] = 0]
  /\ asked' = [asked EXCEPT ![c] = @ /\ Timely]
  /\ Send(Release(Mine(c), FALSE))
  /\ leaving' = leaving \cup {Mine(c)}
  /\ Forget(c)
  /\ UNCHANGED server

\* Says the release again when no request of that id can be carried out any more, as far as the client knows.
FollowUp(x) ==
  /\ x \in leaving
  /\ Release(x, TRUE) \notin net
  /\ \A m \in net : m.op = "acquire" /\ m.id = x => m.age > NotAfter
  /\ Send(Release(x, TRUE))
  /\ UNCHANGED <<mail, state, id, valid, asked, leaving>>
  /\ UNCHANGED server

Crash(c) ==
  /\ Crashes
  /\ state[c] \in {"waiting", "holding"}
  /\ state' = [state EXCEPT ![c] = "dead"]
  /\ valid' = [valid EXCEPT ![c] = 0]
  /\ asked' = [asked EXCEPT ![c] = @ /\ Timely]
  /\ Forget(c)
  /\ UNCHANGED <<net, id, leaving>>
  /\ UNCHANGED server

\* Another process in its place, which knows nothing of it.
Restart(c) ==
  /\ state[c] = "dead"
  /\ state' = [state EXCEPT ![c] = "idle"]
  /\ id' = [id EXCEPT ![c] = 0]
  /\ UNCHANGED <<net, mail, valid, asked, leaving>>
  /\ UNCHANGED server

-----------------------------------------------------------------------------
(* Time. What gets lost is what is never carried out, and never read. *)

\* Requests that would be refused, and answers that are worth nothing, are no longer looked at.
OldRequests ==
  {IF m.op = "acquire" THEN [m EXCEPT !.age = Min(@ + 1, NotAfter + Lease)] ELSE m :
     m \in {n \in net : n.op = "acquire" /\ Limit => n.age < NotAfter}}
OldMail ==
  {[m EXCEPT !.age = @ + 1] :
     m \in {n \in mail : n.op = "granted" /\ CountFrom = "send" => n.age + 1 < Lease}
           \cap {n \in mail : n.op = "granted" /\ CountFrom # "send" => n.age < Lease}
           \cap {n \in mail : n.op = "pushed" => n.age < GrantLength}}

\* In the time that matters, everything but messages has arrived, and who waits has asked.
Prompt ==
  /\ net = {}
  /\ leaving = {}
  /\ \A m \in mail : m.op # "granted"
  /\ \A c \in Clients : state[c] = "waiting" /\ Recheck => asked[c]

Tick ==
  /\ Timely => Prompt
  /\ lock' = IF lock.left <= 1 THEN Free ELSE [lock EXCEPT !.left = @ - 1]
  /\ ticket' = [x \in Names |-> IF ticket[x] = 0 THEN 0 ELSE ticket[x] - 1]
  /\ net' = OldRequests
  /\ mail' = OldMail
  /\ valid' = [c \in Clients |-> IF valid[c] = 0 THEN 0 ELSE valid[c] - 1]
  /\ asked' = [c \in Clients |-> FALSE]
  /\ UNCHANGED <<queue, state, id, leaving, gone, overtook, stale>>

Next ==
  \/ Tick
  \/ \E m \in net : Serve(m)
  \/ \E c \in Clients : Begin(c) \/ Ask(c) \/ Hear(c) \/ Leave(c) \/ Crash(c) \/ Restart(c)
  \/ \E x \in Names : FollowUp(x)

\* Time moves on, requests are carried out, answers are read, and who waits asks again. Nobody has to give a lock back,
\* and no message has to arrive.
Fair ==
  /\ WF_vars(Tick)
  /\ \A x \in Names, op \in {"acquire", "release"} : WF_vars(\E m \in net : m.op = op /\ m.id = x /\ Serve(m))
  /\ \A c \in Clients : WF_vars(Ask(c)) /\ WF_vars(Hear(c) /\ \E m \in mail : m.op = "granted" /\ m.id = Mine(c))
  /\ \A x \in Names : WF_vars(FollowUp(x))

Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ Fair

-----------------------------------------------------------------------------
(* What is promised. *)

Holds(c) == state[c] = "holding" /\ valid[c] > 0

OneHolder == \A c, d \in Clients : Holds(c) /\ Holds(d) => c = d

\* Who may believe in the lock has it, for as long: nobody else's request has ended it, and no earlier one of its own.
OnlyTheOwnerEnds == \A c \in Clients : Holds(c) => lock.by = Mine(c) /\ lock.left >= valid[c]

\* Once the last release of an id was carried out, nothing of it comes back.
NothingLeft == \A x \in gone : lock.by # x /\ ~InQueue(x)

FirstComeFirstServed == ~overtook

NotToTheDead == ~stale

\* Who waits, and neither gives up nor dies, gets the lock.
Served == \A c \in Clients : state[c] = "waiting" ~> state[c] # "waiting"

\* Clients are not told apart.
Symmetry == Permutations(Clients)
=============================================================================
