"""The parts of the fast engine one by one, each at both speeds: as plain Python on lists, and compiled on arrays."""

from __future__ import annotations

import random

import pytest

from modelcheck import Spec, action, per, var
from modelcheck.engine.columns import Column
from modelcheck.engine.compiled import compiled, interpreted
from modelcheck.engine.kernels import KERNELS
from modelcheck.engine.slots import Pools
from modelcheck.engine.stores import Frontier, Parents, Seen
from modelcheck.values import NotFrozen, fingerprint
from tests.speeds import Speed

# --- columns ----------------------------------------------------------------------------------


def test_a_column_grows_and_keeps_what_it_has(speed: Speed) -> None:
    column = speed.column("i4", [7])
    for number in range(100):
        column.extend([number, -number])
    assert column.size == 201
    assert column.items(0, 5) == [7, 0, 0, 1, -1]
    assert column.items(199, 201) == [99, -99]


def test_what_is_reserved_is_zero_and_does_not_count(speed: Speed) -> None:
    column = speed.column("i8", [1, 2])
    column.reserve(50)
    assert column.size == 2 and len(column.data) >= 50
    assert column.items(2, 50) == [0] * 48
    column.reserve(3)
    assert column.items(0, 3) == [1, 2, 0]


def test_a_renewed_column_is_empty(speed: Speed) -> None:
    column = speed.column("i8", [1, 2, 3])
    column.renew(8)
    assert (column.size, column.items(0, 8)) == (0, [0] * 8)


def test_promoting_a_column_keeps_everything_even_twice() -> None:
    column = Column("i8", [2**62, -5])
    column.reserve(10)
    for _ in range(2):
        column.promote()
        assert column.items(0, 3) == [2**62, -5, 0]
    assert column.size == 2
    column.extend([9])
    assert column.items(0, 3) == [2**62, -5, 9]
    assert all(type(item) is int for item in column.items(0, 3))


def test_an_empty_column_can_be_promoted_and_filled() -> None:
    column = Column("i4")
    column.promote()
    assert column.size == 0
    column.extend([1, 2, 3])
    assert column.items(0, 3) == [1, 2, 3]


def test_both_worlds_have_the_same_kernels() -> None:
    names = {kernel.__name__ for kernel in KERNELS}
    assert vars(interpreted()).keys() == vars(compiled()).keys() == names


# --- seen -------------------------------------------------------------------------------------


def _add(speed: Speed, seen: Seen, fps: list[int]) -> list[int]:
    """Add fingerprints; the positions of the new ones."""
    fresh = speed.column("i4", [0] * max(1, len(fps)))
    n = seen.add(speed.kernels, speed.column("i8", fps).data, len(fps), fresh.data)
    return fresh.items(0, n)


def _seen(speed: Speed) -> Seen:
    seen = Seen()
    speed.fit(*seen.columns())
    return seen


def test_a_fingerprint_is_new_once(speed: Speed) -> None:
    seen = _seen(speed)
    assert _add(speed, seen, [5, -5, 7]) == [0, 1, 2]
    assert _add(speed, seen, [7, 8, 5]) == [1]
    assert _add(speed, seen, []) == []
    assert seen.count == 4


def test_of_duplicates_inside_one_batch_the_first_is_new(speed: Speed) -> None:
    seen = _seen(speed)
    assert _add(speed, seen, [3, 3, 4, 3, 4, 9, 9]) == [0, 2, 5]
    assert seen.count == 3


def test_duplicates_far_apart_in_a_large_batch_are_found(speed: Speed) -> None:
    """A batch is looked at in chunks; a duplicate may lie in a later one."""
    seen = _seen(speed)
    numbers = list(range(1, 3001))
    assert _add(speed, seen, numbers + numbers) == list(range(3000))


def test_fingerprint_zero_is_a_fingerprint(speed: Speed) -> None:
    seen = _seen(speed)
    assert _add(speed, seen, [0, 0, 2]) == [0, 2]
    assert _add(speed, seen, [0, 2]) == []


def test_fingerprints_that_fall_on_one_place_are_told_apart(speed: Speed) -> None:
    seen = _seen(speed)
    clash = [256 * k + 255 for k in range(100)] + [-1 - 256 * k for k in range(100)]
    assert len(_add(speed, seen, clash)) == len(set(clash))
    assert _add(speed, seen, clash[::-1]) == []


def test_nothing_is_forgotten_when_the_table_grows(speed: Speed) -> None:
    seen = _seen(speed)
    dice = random.Random(1)
    known: set[int] = set()
    for _ in range(30):
        batch = [dice.randrange(-(2**63), 2**63) for _ in range(200)]
        batch += dice.sample(sorted(known), min(50, len(known)))
        fresh = _add(speed, seen, batch)
        assert {batch[k] for k in fresh} == set(batch) - known
        known |= set(batch)
        assert seen.count == len(known)
        assert 2 * seen.count <= len(seen.table.data)
    assert _add(speed, seen, sorted(known)) == []


def test_seen_survives_the_change_of_speed() -> None:
    slow, fast = Speed("interpreted"), Speed("compiled")
    seen = _seen(slow)
    numbers = list(range(-300, 300))
    _add(slow, seen, numbers)
    fast.fit(*seen.columns())
    assert _add(fast, seen, numbers) == []
    assert _add(fast, seen, [1000, *numbers]) == [0]


# --- pools ------------------------------------------------------------------------------------


class Three(Spec):
    """A spec with some slots, for its layout."""

    v = var(0)
    p = per(("a", "b"), None)

    @action
    def stay(self, s, n):
        pass


def _pools(speed: Speed) -> Pools:
    pools = Pools(Three().program.layout)
    speed.fit(*pools.columns())
    return pools


def test_values_get_small_numbers_in_the_order_of_meeting() -> None:
    pools = _pools(Speed("interpreted"))
    pool = pools.slots[0]
    assert [pool.intern(value) for value in ("x", "y", "x", ("x",), "y")] == [0, 1, 0, 2, 1]
    assert pool.values == ["x", "y", ("x",)]
    assert pool.intern(True) == pool.intern(1) == 3


def test_slots_do_not_share_numbers() -> None:
    pools = _pools(Speed("interpreted"))
    for pool in pools.slots:
        pool.intern(1)
    assert len({pool.numbers[0] for pool in pools.slots}) == 3
    identities = Three().program.layout.identities
    assert pools.slots[1].numbers == [fingerprint(identities[1], 1)]


def test_a_row_has_the_numbers_of_its_slots_as_fingerprint() -> None:
    pools = _pools(Speed("interpreted"))
    row, fp = pools.intern_row([5, "x", "y"])
    again, same = pools.intern_row([5, "x", "y"])
    other, different = pools.intern_row([5, "y", "x"])
    assert (row, fp) == (again, same) and row == [0, 0, 0] and other == [0, 1, 1]
    assert fp != different
    assert fp == pools.slots[0].numbers[0] ^ pools.slots[1].numbers[0] ^ pools.slots[2].numbers[0]
    assert pools.values(other) == [5, "y", "x"]


@pytest.mark.parametrize("value", [[1], {1: 2}, {1}, 1.5, ([],), object()])
def test_a_pool_takes_no_mutable_value(value: object) -> None:
    pool = _pools(Speed("interpreted")).slots[0]
    with pytest.raises((NotFrozen, TypeError)):
        pool.intern(value)
    assert pool.values == [] and pool.numbers == [] and pool.intern(1) == 0


def test_numbers_are_published_and_move_when_a_slot_outgrows_its_room(speed: Speed) -> None:
    """Two slots grow in turn, so that each must move past the other several times."""
    pools = _pools(speed)
    pools.expect_blind(0)
    pools.expect_blind(2)
    pools.expect_blind(0)
    places = set()
    for value in range(100):
        pools.slots[0].intern(value)
        if value % 3 == 0:
            pools.slots[2].intern(("x", value))
        pools.slots[1].intern(value)
        if value % 7 == 0:
            pools.publish()
            places.add(int(pools.blind_base.data[0]))
            for slot in (0, 2):
                base, numbers = int(pools.blind_base.data[slot]), pools.slots[slot].numbers
                assert pools.blind_number.items(base, base + len(numbers)) == numbers
    assert len(places) >= 3
    assert pools.blind_base.data[1] == -1


def test_numbers_of_a_slot_that_was_full_of_values_before_it_was_expected(speed: Speed) -> None:
    pools = _pools(speed)
    for value in range(50):
        pools.slots[1].intern(value)
    pools.publish()
    assert pools.blind_number.size == 0
    pools.expect_blind(1)
    pools.publish()
    assert pools.blind_number.items(0, 50) == pools.slots[1].numbers


# --- frontier and parents -----------------------------------------------------------------------


def test_a_path_leads_from_the_initial_state(speed: Speed) -> None:
    parents = Parents()
    speed.fit(*parents.columns())
    for parent, edge in [(-1, 4), (-1, 9), (1, 20), (0, 21), (2, 22)]:
        parents.parent.extend([parent])
        parents.edge.extend([edge])
    assert len(parents) == 5
    assert parents.path(4) == [9, 20, 22]
    assert parents.path(3) == [4, 21]
    assert parents.path(1) == [9]
    assert parents.path(-1) == []


def test_a_frontier_keeps_rows_that_count_and_forgets_the_others(speed: Speed) -> None:
    frontier = Frontier(3)
    speed.fit(*frontier.columns())
    frontier.reserve(2)
    frontier.rows.data[0:6] = [1, 2, 3, 4, 5, 6]
    frontier.count = 2
    assert frontier.row(1) == [4, 5, 6]
    frontier.reserve(100)
    assert frontier.row(0) == [1, 2, 3]
    frontier.clear(7)
    assert (frontier.count, frontier.first_id) == (0, 7)
