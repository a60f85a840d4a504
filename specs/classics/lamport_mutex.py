"""Lamport's mutual exclusion (1978): processes agree by logical clocks on who goes first.

A process sends its request, stamped with its clock, to all others, and enters when everybody has
answered and no request that it knows of is older. Channels keep the order of messages: with
`kind="fifo"` an answer cannot overtake the request that was sent before it, and that is essential.

Clocks grow for ever, so a state constraint follows only states where all are at most `max_clock`.
The numbers are TLC's for three processes and clocks up to 6: 724,274 distinct states, 2,729,079
generated, depth 61. As in TLA+, `enter` may be repeated inside, where it changes nothing.

With `wait_for_answers` off, a process enters as soon as no older request has arrived: too early.
"""

from typing import Self

from modelcheck import (
    Channel,
    Per,
    Spec,
    Subset,
    action,
    channel,
    const,
    constraint,
    goal,
    invariant,
    per,
    require,
    subset,
)

Pair = tuple[int, int]


class LamportMutex(Spec):
    """Mutual exclusion by time stamps over FIFO channels."""

    processes = const(3, check=lambda processes: processes > 0)
    max_clock = const(6)
    wait_for_answers = const(True)

    clock: Per[int, int] = per("everybody", 1)
    request: Per[Pair, int] = per("pairs", 0)  # at p, the time stamp of q's request; 0 is none
    answered: Subset[Pair] = subset("pairs")  # to p, by q
    inside: Subset[int] = subset("everybody")
    net: Channel[Pair, tuple[str, int]] = channel("everybody", "everybody")

    @property
    def everybody(self) -> range:
        return range(1, self.processes + 1)

    @property
    def pairs(self) -> list[Pair]:
        return [(p, q) for p in self.everybody for q in self.everybody]

    def others(self, p: int) -> list[int]:
        return [q for q in self.everybody if q != p]

    @action(p="everybody")
    def ask(self, s: Self, n: Self, p: int) -> None:
        require(s.request[p, p] == 0, "p wants nothing yet")
        n.request[p, p] = s.clock[p]
        n.answered.add((p, p))
        for q in self.others(p):
            n.answered.discard((p, q))
            n.net.send(p, q, ("request", s.clock[p]))

    @action(p="everybody", q="everybody")
    def hear_request(self, s: Self, n: Self, p: int, q: int) -> None:
        kind, time = n.net.receive(q, p)
        require(kind == "request", "a request of q arrives")
        n.request[p, q] = time
        n.clock[p] = max(time, s.clock[p]) + 1
        n.net.send(p, q, ("answer", 0))

    @action(p="everybody", q="everybody")
    def hear_answer(self, s: Self, n: Self, p: int, q: int) -> None:
        kind, _ = n.net.receive(q, p)
        require(kind == "answer", "an answer of q arrives")
        n.answered.add((p, q))

    @action(p="everybody", q="everybody")
    def hear_release(self, s: Self, n: Self, p: int, q: int) -> None:
        kind, _ = n.net.receive(q, p)
        require(kind == "release", "a release of q arrives")
        n.request[p, q] = 0

    @action(p="everybody")
    def enter(self, s: Self, n: Self, p: int) -> None:
        require((p, p) in s.answered, "p has asked")
        if self.wait_for_answers:
            require(all((p, q) in s.answered for q in self.others(p)), "everybody has answered")
        own = s.request[p, p]
        for q in self.others(p):
            other = s.request[p, q]
            require(other == 0 or (own, p) < (other, q), "no older request is known")
        n.inside.add(p)

    @action(p="everybody")
    def leave(self, s: Self, n: Self, p: int) -> None:
        require(p in s.inside, "p is inside")
        n.inside.discard(p)
        n.request[p, p] = 0
        for q in self.everybody:
            n.answered.discard((p, q))
        for q in self.others(p):
            n.net.send(p, q, ("release", 0))

    @constraint
    def clocks_are_small(self, s: Self) -> bool:
        return all(s.clock[p] <= self.max_clock for p in self.everybody)

    @invariant
    def mutual_exclusion(self, s: Self) -> bool:
        return len(s.inside) <= 1

    @goal
    def the_last_goes_first(self, s: Self) -> bool:
        return self.processes in s.inside
