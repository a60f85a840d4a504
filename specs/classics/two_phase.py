"""Two-phase commit: a transaction manager collects promises, then tells everybody the decision.

Messages are one set that only grows: once sent, a message can be received again and again, and a
message that nobody receives is as good as lost. Receiving twice changes nothing, but it is a step,
and counts as a generated state.

The numbers are TLC's (distinct / generated / depth), by the number of resource managers:

    3          288          1,146    11
    7      296,448      2,744,706    23
    8    1,745,408     18,507,778    26
    9   10,340,352

`impatient` lets the transaction manager decide as soon as one promise is there: then somebody may
still abort on its own while others commit.
"""

from typing import Literal, Self

from modelcheck import (
    Per,
    Spec,
    Subset,
    Var,
    action,
    const,
    goal,
    invariant,
    per,
    require,
    subset,
    var,
)

Status = Literal["working", "prepared", "committed", "aborted"]
Message = tuple[str, int]  # the kind, and the sender (0 is the transaction manager)

COMMIT: Message = ("commit", 0)
ABORT: Message = ("abort", 0)


class TwoPhase(Spec):
    """A transaction manager makes resource managers commit together, or abort together."""

    rms = const(3, check=lambda rms: rms > 0)  # how many
    impatient = const(False)

    rm: Per[int, Status] = per("managers", "working")
    decision: Var[Literal["none", "commit", "abort"]] = var("none")
    promised: Subset[int] = subset("managers")  # whose promise the transaction manager has received
    sent: Subset[Message] = subset("messages")

    @property
    def managers(self) -> range:
        return range(1, self.rms + 1)

    @property
    def messages(self) -> list[Message]:
        return [COMMIT, ABORT, *(("prepared", i) for i in self.managers)]

    @action(i="managers")
    def prepare(self, s: Self, n: Self, i: int) -> None:
        require(s.rm[i] == "working", "i is working")
        n.rm[i] = "prepared"
        n.sent.add(("prepared", i))

    @action(i="managers")
    def abort_alone(self, s: Self, n: Self, i: int) -> None:
        require(s.rm[i] == "working", "i has not promised anything")
        n.rm[i] = "aborted"

    @action(i="managers")
    def hear_promise(self, s: Self, n: Self, i: int) -> None:
        require(s.decision == "none", "nothing is decided")
        require(("prepared", i) in s.sent, "i has promised")
        n.promised.add(i)

    @action
    def decide_commit(self, s: Self, n: Self) -> None:
        require(s.decision == "none", "nothing is decided")
        enough = any if self.impatient else all
        require(enough(i in s.promised for i in self.managers), "everybody has promised")
        n.decision = "commit"
        n.sent.add(COMMIT)

    @action
    def decide_abort(self, s: Self, n: Self) -> None:
        require(s.decision == "none", "nothing is decided")
        n.decision = "abort"
        n.sent.add(ABORT)

    @action(i="managers")
    def obey_commit(self, s: Self, n: Self, i: int) -> None:
        require(COMMIT in s.sent, "the decision is to commit")
        n.rm[i] = "committed"

    @action(i="managers")
    def obey_abort(self, s: Self, n: Self, i: int) -> None:
        require(ABORT in s.sent, "the decision is to abort")
        n.rm[i] = "aborted"

    @invariant(i="managers")
    def consistent(self, s: Self, i: int) -> bool:
        return s.rm[i] != "committed" or all(s.rm[j] != "aborted" for j in self.managers)

    @goal
    def all_commit(self, s: Self) -> bool:
        return all(s.rm[i] == "committed" for i in self.managers)

    @goal
    def all_abort(self, s: Self) -> bool:
        return all(s.rm[i] == "aborted" for i in self.managers)
