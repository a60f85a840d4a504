"""What the fast engine learns, and how: decision tries, and the record of one evaluation."""

from __future__ import annotations

import random
from typing import Any

import pytest

from modelcheck import Spec, action, channel, require, subset, var
from modelcheck.engine.columns import Column
from modelcheck.engine.compiled import interpreted
from modelcheck.engine.kernels import NEAR
from modelcheck.engine.learner import Learner, Root
from modelcheck.engine.resolver import Resolver
from modelcheck.engine.slots import Pools
from modelcheck.engine.tries import NO, YES, Knowledge
from modelcheck.errors import SpecError
from modelcheck.handles import WriteError
from tests.speeds import Speed

# --- knowledge --------------------------------------------------------------------------------


class Tries:
    """A knowledge with its kernels: lessons in, answers out."""

    def __init__(self, speed: Speed, n_roots: int = 1) -> None:
        self.speed = speed
        self.knowledge = Knowledge(n_roots)
        speed.fit(*self.knowledge.columns())

    def teach(self, *lessons: tuple[list[int], list[int], int], root: int = 0) -> int:
        for slots, values, leaf in lessons:
            self.knowledge.lesson(root, slots, values, leaf)
        return self.knowledge.absorb(self.speed.kernels)

    def ask(self, row: list[int], root: int = 0) -> int | None:
        """The leaf of one row, or None where it is not known."""
        rows, roots = self.speed.column("i4", row or [0]), self.speed.column("i4", [root])
        found, missed = self.speed.column("i4", [-9]), self.speed.column("i4", [0])
        stuck = self.speed.column("i8", [0])
        n = self.speed.kernels.walk(
            rows.data, len(row), 0, missed.data, 1, True, roots.data, 1, self.knowledge.tries(),
            self.knowledge.far_mask, found.data, missed.data, stuck.data,
        )  # fmt: skip
        return None if n else found.items(0, 1)[0]


def test_a_lesson_answers_every_row_that_agrees_on_what_was_read(speed: Speed) -> None:
    tries = Tries(speed)
    assert tries.ask([0, 0, 0]) is None
    assert tries.teach(([2, 0], [1, 3], YES)) == -1
    assert tries.ask([3, 0, 1]) == YES
    assert tries.ask([3, 9, 1]) == YES
    assert tries.ask([2, 0, 1]) is None
    assert tries.ask([3, 0, 0]) is None


def test_which_slot_is_read_next_may_depend_on_the_value(speed: Speed) -> None:
    tries = Tries(speed)
    lessons = [([0, 1], [0, 5], NO), ([0, 2], [1, 5], YES), ([0], [7], NO)]
    assert tries.teach(*lessons) == -1
    assert [tries.ask(row) for row in ([0, 5, 0], [1, 0, 5], [7, 1, 1], [1, 5, 0])] == [NO, YES, NO, None]


def test_a_function_that_reads_nothing_is_one_answer(speed: Speed) -> None:
    tries = Tries(speed, 2)
    assert tries.teach(([], [], YES), root=1) == -1
    assert tries.ask([4, 4], root=1) == YES
    assert tries.ask([4, 4], root=0) is None


def test_branches_near_and_far_of_one_node(speed: Speed) -> None:
    """Small values have their branch beside the node, the others in a hash table that grows."""
    tries = Tries(speed)
    values = [0, NEAR - 1, NEAR, NEAR + 1, 63, 64, 1000, 2**31 - 1]
    for value in values:
        assert tries.teach(([0, 1], [value, value], value % 2)) == -1
    for value in values:
        assert tries.ask([value, value]) == value % 2
        assert tries.ask([value, NEAR + 2]) is None


def test_the_table_of_far_branches_grows_without_loss(speed: Speed) -> None:
    tries = Tries(speed)
    dice = random.Random(2)
    known: dict[tuple[int, int], int] = {}
    for _ in range(40):
        batch = {(dice.randrange(60), dice.randrange(600)): dice.randrange(2) for _ in range(50)}
        new = {path: leaf for path, leaf in batch.items() if path not in known}
        assert tries.teach(*[([1, 0], list(path), leaf) for path, leaf in new.items()]) == -1
        known |= new
    assert len(tries.knowledge.far_key.data) > 2 * len(known)
    for (first, second), leaf in known.items():
        assert tries.ask([second, first]) == leaf


def test_leaves_are_numbered_over_several_absorptions(speed: Speed) -> None:
    tries = Tries(speed)
    knowledge = tries.knowledge
    first = knowledge.leaf(0, [(11, [(0, 1)], 0), (12, [(1, 2), (0, 3)], 1)])
    second = knowledge.leaf(0, [(13, [], 0)])
    assert (first, second) == (2, 3) and knowledge.n_edges == 3
    tries.teach(([0], [0], first), ([0], [1], second))
    third = knowledge.leaf(0, [(14, [(2, 9)], 0)])
    assert (third, knowledge.n_edges) == (4, 4)
    tries.teach(([0], [8], third))
    assert [tries.ask([value]) for value in (0, 1, 8)] == [2, 3, 4]
    assert knowledge.delta.items(0, 4) == [11, 12, 13, 14]
    assert knowledge.leaf_first.items(2, 5) == [0, 2, 3]
    assert knowledge.leaf_count.items(2, 5) == [2, 1, 1]
    assert knowledge.write_first.items(0, 4) == [0, 1, 3, 3]
    assert knowledge.write_slot.items(0, 4) == [0, 1, 0, 2]
    assert knowledge.write_value.items(0, 4) == [1, 2, 3, 9]


CONTRADICTIONS = {
    "another slot at the beginning": ([0], [1], [2], [1]),
    "another slot after the same beginning": ([0, 1], [1, 1], [0, 2], [1, 1]),
    "fewer reads than before": ([0, 1], [1, 1], [0], [1]),
    "more reads than before": ([0], [1], [0, 1], [1, 1]),
    "nothing read where something was": ([0], [1], [], []),
    "something read where nothing was": ([], [], [0], [1]),
    "far: another slot after the same beginning": ([0, 1], [9, 9], [0, 2], [9, 9]),
    "far: more reads than before": ([0], [99], [0, 1], [99, 1]),
    "far: fewer reads than before": ([0, 1], [99, 1], [0], [99]),
}


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_lessons_that_contradict_each_other_are_noticed(speed: Speed, name: str, together: bool) -> None:
    slots, values, other_slots, other_values = CONTRADICTIONS[name]
    tries = Tries(speed)
    if together:
        assert tries.teach((slots, values, YES), (other_slots, other_values, YES)) == 1
    else:
        assert tries.teach((slots, values, YES)) == -1
        assert tries.teach((other_slots, other_values, YES)) == 0


# --- learner and resolver -----------------------------------------------------------------------


class Learned(Spec):
    """Actions that read and write in all the ways that a learner must notice."""

    a = var(0)
    b = var(0)
    c = var(0)
    members = subset(("x", "y"))
    net = channel(("x", "y"))

    @action
    def blind(self, s, n):
        n.a = 1
        n.members.add("x")

    @action
    def ordered_reads(self, s, n):
        require(s.c == 0, "c is zero")
        n.a = s.b + s.c

    @action
    def reads_what_it_wrote(self, s, n):
        n.a = 5
        n.b = n.a + 1
        n.c = n.c + n.b

    @action(k=lambda s: range(s.a))
    def chosen(self, s, n, k):
        require(k != s.b)
        n.c = k

    @action
    def sends(self, s, n):
        n.net.send("x", "hello")
        n.net.send("x", "again")

    @action
    def keeps(self, s, n):
        n.b = s.b


def _lessons(name: str, **values: Any) -> tuple[list[str], list[dict[str, Any]], Learner]:
    """What is learned of one action in one state: names of the slots read, and the writes of each successor."""
    program = Learned().program
    roots = [Root(bound, "action") for bound in program.actions]
    learner = Learner(program, roots, Pools(program.layout), Knowledge(len(roots)))
    layout = program.layout
    state = [values.get(slot, initial) for slot, initial in zip(layout.names, layout.initial, strict=True)]
    row, _ = learner.pools.intern_row(state)
    index = program.action_names.index(name)
    learner.learn(index, row)
    knowledge = learner.knowledge
    names = program.layout.names
    reads = [names[slot] for slot in knowledge.path_slot]
    n_edges = knowledge.n_edges
    knowledge.absorb(interpreted())
    writes = []
    for edge in range(n_edges):
        first = knowledge.write_first.data[edge]
        places = range(first, first + knowledge.write_count.data[edge])
        slots = [(knowledge.write_slot.data[k], knowledge.write_value.data[k]) for k in places]
        writes.append({names[slot]: learner.pools.slots[slot].values[value] for slot, value in slots})
    return reads, writes, learner


def test_writes_of_slots_that_were_not_read_are_blind() -> None:
    reads, writes, learner = _lessons("blind")
    assert reads == []
    assert writes == [{"a": 1, "members[x]": True}]
    assert learner.knowledge.blind_count.items(0, 1) == [2]


def test_reads_are_kept_in_their_order_up_to_the_guard_that_fails() -> None:
    assert _lessons("ordered_reads")[:2] == (["c", "b"], [{"a": 0}])
    assert _lessons("ordered_reads", b=3)[:2] == (["c", "b"], [{"a": 3}])
    assert _lessons("ordered_reads", c=1)[:2] == (["c"], [])


def test_reading_back_what_was_written_is_no_read() -> None:
    reads, writes, _ = _lessons("reads_what_it_wrote", c=2)
    assert reads == ["c"]
    assert writes == [{"a": 5, "b": 6, "c": 8}]


def test_reads_of_domains_and_of_all_bindings_are_one_path() -> None:
    reads, writes, learner = _lessons("chosen", a=3, b=1)
    assert reads == ["a", "b"]
    assert [write["c"] if write else 0 for write in writes] == [0, 2]
    assert [learner.params(edge)[1] for edge in range(2)] == [{"k": 0}, {"k": 2}]


def test_messages_are_reads_and_writes_of_their_channel() -> None:
    reads, writes, _ = _lessons("sends")
    assert reads == ["net[x]"]
    assert [list(write["net[x]"]) for write in writes] == [["hello", "again"]]


def test_writing_what_is_there_already_changes_nothing() -> None:
    assert _lessons("keeps", b=4)[:2] == (["b"], [{}])
    # What was not read is not known to be there already.
    assert _lessons("blind", a=1)[1] == [{"a": 1, "members[x]": True}]


def test_every_pair_of_a_block_gets_an_answer_with_few_evaluations(speed: Speed) -> None:
    program = Learned().program
    roots = [Root(bound, "action") for bound in program.actions]
    learner = Learner(program, roots, Pools(program.layout), Knowledge(len(roots)))
    resolver = Resolver(learner)
    rows = Column("i4")
    for k in range(60):
        state = [k % 3, k % 5, k % 2, k % 2 == 0, True, *program.layout.initial[5:]]
        rows.extend(learner.pools.intern_row(state)[0])
    asked, found = Column("i4", range(len(roots))), Column("i4")
    if speed.fast:
        resolver.promote()
    speed.fit(rows, asked, found, *resolver.columns())
    resolver.resolve(rows, len(program.layout), 0, 60, asked, found)
    answers = found.items(0, 60 * len(roots))
    assert learner.evaluations[0] == 1 and learner.evaluations[2] == 2
    assert sum(learner.evaluations) < 60
    for k in range(60):
        enabled = [leaf != NO for leaf in answers[k * len(roots) : (k + 1) * len(roots)]]
        assert enabled == [True, k % 2 == 0, True, any(c != k % 5 for c in range(k % 3)), True, True]


def test_an_error_says_in_which_row_of_the_block_it_happened(speed: Speed) -> None:
    class Fails(Spec):
        v = var(0)

        @action
        def divide(self, s, n):
            n.v = 6 // (3 - s.v)

    program = Fails().program
    learner = Learner(program, [Root(program.actions[0], "action")], Pools(program.layout), Knowledge(1))
    resolver = Resolver(learner)
    rows = Column("i4", [learner.pools.intern_row([value])[0][0] for value in (0, 1, 2, 3, 4)])
    asked, found = Column("i4", [0]), Column("i4")
    if speed.fast:
        resolver.promote()
    speed.fit(rows, asked, found, *resolver.columns())
    with pytest.raises(SpecError, match="ZeroDivisionError") as failed:
        resolver.resolve(rows, 1, 1, 4, asked, found)
    assert failed.value.row == 2  # type: ignore[attr-defined]


def test_assigning_a_slot_twice_is_an_error_of_the_draft() -> None:
    class Twice(Spec):
        v = var(0)

        @action
        def put(self, s, n):
            n.v = 1
            n.v = 2

    program = Twice().program
    learner = Learner(program, [Root(program.actions[0], "action")], Pools(program.layout), Knowledge(1))
    with pytest.raises(SpecError, match="assigned twice") as failed:
        learner.learn(0, learner.pools.intern_row([0])[0])
    assert isinstance(failed.value.cause, WriteError)
