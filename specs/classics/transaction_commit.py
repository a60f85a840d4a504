"""Transaction commit: what any commit protocol has to achieve, before anybody says how.

Resource managers prepare, and then all commit or all abort. A manager may look at all the others at
once here, which no real system can do: this is the specification that `two_phase.py` implements.

The numbers are TLC's for three managers: 34 distinct states, 94 generated, depth 7.
"""

from typing import Literal, Self

from modelcheck import Per, Spec, action, const, goal, invariant, per, require, terminal

Status = Literal["working", "prepared", "committed", "aborted"]


class TransactionCommit(Spec):
    """All resource managers commit, or all abort."""

    rms = const(3, check=lambda rms: rms > 0)  # how many

    rm: Per[int, Status] = per("managers", "working")

    @property
    def managers(self) -> range:
        return range(1, self.rms + 1)

    @action(i="managers")
    def prepare(self, s: Self, n: Self, i: int) -> None:
        require(s.rm[i] == "working", "i is working")
        n.rm[i] = "prepared"

    @action(i="managers")
    def decide_commit(self, s: Self, n: Self, i: int) -> None:
        require(s.rm[i] == "prepared", "i is prepared")
        ready = all(s.rm[j] in ("prepared", "committed") for j in self.managers)
        require(ready, "everybody is prepared or has committed")
        n.rm[i] = "committed"

    @action(i="managers")
    def decide_abort(self, s: Self, n: Self, i: int) -> None:
        require(s.rm[i] in ("working", "prepared"), "i has not decided")
        require(all(s.rm[j] != "committed" for j in self.managers), "nobody has committed")
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

    @terminal
    def all_have_decided(self, s: Self) -> bool:
        return all(s.rm[i] in ("committed", "aborted") for i in self.managers)
