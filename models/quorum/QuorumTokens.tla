---------------------------- MODULE QuorumTokens ----------------------------
(***************************************************************************)
(* A lock on a majority of independent servers, and its fencing tokens.    *)
(*                                                                         *)
(* Who wants the lock proposes a number to every server. A server whose    *)
(* key is free sets its counter to the larger of counter + 1 and the       *)
(* proposal (never further ahead of its own clock than Cap), keeps the key *)
(* with the owner and that number, and answers with it. If a majority      *)
(* answers with one number, that is the token. Otherwise it is the largest *)
(* of the answers, and it is written back first: a server raises its       *)
(* counter to it if it still has the key with the very number it answered  *)
(* with, and only such servers count; a majority of them is needed.        *)
(*                                                                         *)
(* Why tokens rise. When a token T is used, the counters of a majority     *)
(* have reached it (Anchored), and counters never fall. Who asks later     *)
(* needs the answers of a majority; one of those servers is among the      *)
(* former and answers with more than T; and nobody takes less than the     *)
(* largest answer, unless a majority agreed on a number, and then that     *)
(* same server is among those who agreed.                                  *)
(*                                                                         *)
(* Why no token is used twice. Two acquisitions that both end well have a  *)
(* server in common, which gave them different numbers, a before b. The    *)
(* second has at least b for its token. The first either has a, or raised  *)
(* that counter to its token T while its key was still there, so before b  *)
(* was given: b is larger than T. That is what the very number is for: a   *)
(* key that was lost and set again by a late duplicate proves nothing.     *)
(*                                                                         *)
(* Requests never get lost here for good, and may be carried out at any    *)
(* time after they were sent, also twice. An answer that was given can be  *)
(* read at any time after. Proposals are any of a set of numbers, since    *)
(* nothing may depend on the clocks and the memory of clients.             *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Nodes,        \* the servers
  Acqs,         \* the acquisitions; each has an owner id of its own
  Quorum,       \* how many servers are taken for a majority
  Proposals,    \* what a client may propose
  Counters,     \* where a server's counter may stand at first; 0: it has none
  Duplicates,   \* how many requests are carried out a second time
  Vanishing,    \* whether keys vanish at any moment, as if time did not matter; else by release and at their expiry
  Lease,        \* how long a key lasts
  MaxTime,      \* when the model ends
  Scale,        \* how far the servers' clocks go in a unit of time; 0: they stand still
  Fast, Ahead,  \* the servers whose clock is ahead, and by how much
  Cap,          \* how far ahead of a server's clock a proposal may take its counter
  First,        \* how far ahead of its clock a server starts that has no counter
  Losses,       \* how often a server loses its keys
  LosesCounter, \* whether the counter goes with them
  LossTakes,    \* how long that takes at least
  Quarantine,   \* for how long a server does not count afterwards
  WriteBack,    \* which servers count for it: "exact", those whose key has the number they answered with;
                \*   "owner", those whose key is the owner's; "any", all; or "none": it is left out
  CheckAfter,   \* whether validity is looked at after the write-back
  CountFrom     \* what validity counts from: "send", or "answer"

VARIABLES
  now,      \* the time
  counter,  \* of each server; 0: none
  key,      \* of each server: whose it is, its number, and when it ends
  quiet,    \* of each server: until when it does not count
  lost,     \* how many losses there were
  ran,      \* which requests were carried out, and at which server
  repeats,  \* how many were carried out again
  calm,     \* whether nothing has happened since the beginning, or since the last acquisition returned
  phase,    \* of each acquisition: new, asking, writing, held, over
  proposal, \* what it proposes
  floor,    \* the largest token that was in use when it asked
  until,    \* when its validity ends
  got,      \* the answers it can read: server and number
  used,     \* the answers it has decided with
  token,    \* what it has decided on; 0: nothing
  ok,       \* the servers that count for its write-back
  late      \* whether it was told "held" when its validity was over

vars == <<now, counter, key, quiet, lost, ran, repeats, calm, phase, proposal, floor, until, got, used, token, ok, late>>
servers == <<now, counter, key, quiet, lost, ran, repeats>>

None == [by |-> "nobody", token |-> 0, ends |-> 0]
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : y >= x
Clock(n) == Scale * now + (IF n \in Fast THEN Ahead ELSE 0)

Returned == {a \in Acqs : phase[a] \in {"held", "over"} /\ token[a] # 0}

Init ==
  /\ now = 0 /\ lost = 0 /\ ran = {} /\ repeats = 0 /\ calm = Vanishing
  /\ counter \in [Nodes -> Counters]
  /\ key = [n \in Nodes |-> None]
  /\ quiet = [n \in Nodes |-> 0]
  /\ phase = [a \in Acqs |-> "new"]
  /\ proposal = [a \in Acqs |-> 0] /\ floor = [a \in Acqs |-> 0] /\ until = [a \in Acqs |-> 0]
  /\ got = [a \in Acqs |-> {}] /\ used = [a \in Acqs |-> {}] /\ ok = [a \in Acqs |-> {}]
  /\ token = [a \in Acqs |-> 0] /\ late = [a \in Acqs |-> FALSE]

-----------------------------------------------------------------------------
(* The servers. *)

\* A request is carried out where the key is free. Where the owner has it already, the same number is answered again,
\* which changes nothing here, since answers can be read at any time. Where keys vanish, one does so at the last moment,
\* when another is to take its place: before that, nothing shows whether it is there but a write-back, and that may as
\* well not have come yet. Where time counts, requests that come after the decision are left out: they only keep others
\* away.
Grant(a, n) ==
  /\ phase[a] = "asking" \/ (Vanishing /\ phase[a] # "new")
  /\ key[n] = None \/ Vanishing
  /\ IF <<a, n>> \in ran
       THEN repeats < Duplicates /\ repeats' = repeats + 1 /\ UNCHANGED ran
       ELSE ran' = ran \cup {<<a, n>>} /\ UNCHANGED repeats
  /\ LET wish == Min({proposal[a], Clock(n) + Cap})
         v == Max({wish, IF counter[n] = 0 THEN Clock(n) + First ELSE counter[n] + 1})
     IN /\ counter' = [counter EXCEPT ![n] = v]
        /\ key' = [key EXCEPT ![n] = [by |-> a, token |-> v, ends |-> now + Lease]]
        /\ got' = IF phase[a] = "asking" /\ now >= quiet[n]
                    THEN [got EXCEPT ![a] = @ \cup {<<n, v>>}]
                    ELSE got
  /\ calm' = FALSE
  /\ UNCHANGED <<now, quiet, lost, phase, proposal, floor, until, used, token, ok, late>>

\* The write-back. One that is carried out after the acquisition has ended might as well have come before that: nobody
\* else has had the key in between.
Raise(a, n) ==
  /\ phase[a] = "writing" /\ n \notin ok[a]
  /\ \E v \in {u[2] : u \in {w \in used[a] : w[1] = n}} :
       CASE WriteBack = "exact" -> key[n].by = a /\ key[n].token = v
         [] WriteBack = "owner" -> key[n].by = a
         [] OTHER -> TRUE
  /\ counter' = [counter EXCEPT ![n] = Max({@, token[a]})]
  /\ ok' = [ok EXCEPT ![a] = @ \cup {n}]
  /\ calm' = FALSE
  /\ UNCHANGED <<now, key, quiet, lost, ran, repeats, phase, proposal, floor, until, got, used, token, late>>

\* A release, also one that was late or repeated.
Delete(n) ==
  /\ key[n] # None
  /\ phase[key[n].by] = "over"
  /\ key' = [key EXCEPT ![n] = None]
  /\ calm' = FALSE
  /\ UNCHANGED <<now, counter, quiet, lost, ran, repeats, phase, proposal, floor, until, got, used, token, ok, late>>

Ended(t, k) == [n \in Nodes |-> IF k[n].ends <= t THEN None ELSE k[n]]

Tick ==
  /\ now < MaxTime
  /\ now' = now + 1
  /\ key' = Ended(now', key)
  /\ calm' = FALSE
  /\ UNCHANGED <<counter, quiet, lost, ran, repeats, phase, proposal, floor, until, got, used, token, ok, late>>

Lose(n) ==
  /\ lost < Losses
  /\ now + LossTakes <= MaxTime
  /\ lost' = lost + 1
  /\ now' = now + LossTakes
  /\ key' = Ended(now', [key EXCEPT ![n] = None])
  /\ counter' = IF LosesCounter THEN [counter EXCEPT ![n] = 0] ELSE counter
  /\ quiet' = [quiet EXCEPT ![n] = now' + Quarantine]
  /\ calm' = FALSE
  /\ UNCHANGED <<ran, repeats, phase, proposal, floor, until, got, used, token, ok, late>>

-----------------------------------------------------------------------------
(* The clients. *)

\* Where time does not matter, a request loses nothing by being sent early, but for what it has to be larger than. So it
\* is sent at the beginning, or right after another has returned.
Ask(a) ==
  /\ phase[a] = "new"
  /\ calm \/ ~Vanishing
  /\ UNCHANGED calm
  /\ phase' = [phase EXCEPT ![a] = "asking"]
  /\ \E p \in Proposals : proposal' = [proposal EXCEPT ![a] = p]
  /\ floor' = [floor EXCEPT ![a] = Max({0} \cup {token[b] : b \in Returned})]
  /\ until' = [until EXCEPT ![a] = now + Lease]
  /\ UNCHANGED <<got, used, token, ok, late>>
  /\ UNCHANGED servers

Ends(a) == IF CountFrom = "answer" THEN now + Lease ELSE until[a]

\* The acquisition has its token, and says so.
Return(a, v, checked) ==
  /\ checked => now < Ends(a)
  /\ phase' = [phase EXCEPT ![a] = "held"]
  /\ until' = [until EXCEPT ![a] = Ends(a)]
  /\ late' = [late EXCEPT ![a] = now >= Ends(a)]
  /\ calm' = Vanishing
  /\ token' = [token EXCEPT ![a] = v]
  /\ got' = [got EXCEPT ![a] = {}]
  /\ used' = [used EXCEPT ![a] = {}]
  /\ ok' = [ok EXCEPT ![a] = {}]
  /\ UNCHANGED <<proposal, floor>>
  /\ UNCHANGED servers

\* One answer of each server that it has heard of.
Readings(a) ==
  {r \in SUBSET got[a] : /\ \A x, y \in r : x[1] = y[1] => x = y
                         /\ Cardinality(r) >= Quorum}

Decide(a) ==
  /\ phase[a] = "asking"
  /\ \E r \in Readings(a) :
       LET numbers == {x[2] : x \in r}
           agreed == {v \in numbers : Cardinality({x \in r : x[2] = v}) >= Quorum}
       IN IF agreed # {}
            THEN \E v \in agreed : Return(a, v, TRUE)
            ELSE IF WriteBack = "none"
              THEN Return(a, Max(numbers), TRUE)
              ELSE /\ now < Ends(a)
                   /\ phase' = [phase EXCEPT ![a] = "writing"]
                   /\ used' = [used EXCEPT ![a] = r]
                   /\ token' = [token EXCEPT ![a] = Max(numbers)]
                   /\ got' = [got EXCEPT ![a] = {}]
                   /\ calm' = FALSE
                   /\ UNCHANGED <<proposal, floor, until, ok, late>>
                   /\ UNCHANGED servers

\* A server that answered with the largest number has it in its counter, and is not asked again.
Finish(a) ==
  /\ phase[a] = "writing"
  /\ Cardinality(ok[a] \cup {x[1] : x \in {y \in used[a] : y[2] = token[a]}}) >= Quorum
  /\ Return(a, token[a], CheckAfter)

\* By a release or, before there is a token, because the caller has given up. Where keys vanish, nothing depends on it.
Leave(a) ==
  /\ ~Vanishing
  /\ phase[a] \in {"asking", "writing", "held"}
  /\ phase' = [phase EXCEPT ![a] = "over"]
  /\ token' = IF phase[a] = "held" THEN token ELSE [token EXCEPT ![a] = 0]
  /\ used' = [used EXCEPT ![a] = {}]
  /\ got' = [got EXCEPT ![a] = {}]
  /\ ok' = [ok EXCEPT ![a] = {}]
  /\ calm' = FALSE
  /\ UNCHANGED <<proposal, floor, until, late>>
  /\ UNCHANGED servers

Next ==
  \/ Tick
  \/ \E a \in Acqs : Ask(a) \/ Decide(a) \/ Finish(a) \/ Leave(a)
  \/ \E n \in Nodes : Delete(n) \/ Lose(n)
  \/ \E a \in Acqs, n \in Nodes : Grant(a, n) \/ Raise(a, n)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What is promised. *)

\* Who asked after another had its token has a larger one.
Rising == \A a \in Returned : token[a] > floor[a]

Unique == \A a, b \in Returned : a # b => token[a] # token[b]

\* Why it is so; holds as long as no counter is lost.
Anchored == \A a \in Returned : Cardinality({n \in Nodes : counter[n] >= token[a]}) >= Quorum

Valid(a) == phase[a] = "held" /\ now < until[a]

OneHolder == \A a, b \in Acqs : Valid(a) /\ Valid(b) => a = b

HeldInTime == \A a \in Acqs : ~late[a]

\* Neither acquisitions are told apart nor servers, but for those whose clock is ahead.
Symmetry == Permutations(Nodes \ Fast) \cup Permutations(Acqs)
=============================================================================
