"""The tool that makes failing specs small must not lose the failure."""

from __future__ import annotations

from tests.reducing import reduced
from tests.strategies import HEADER, Case, case


def test_what_does_not_matter_is_taken_out() -> None:
    text = "".join(f"    line {number}\n" for number in range(50))

    def fails(candidate: Case) -> bool:
        return "line 7\n" in candidate.source and "line 33\n" in candidate.source

    small = reduced(Case(HEADER + text, deadlock=False, keep_going=True, max_depth=3), fails)
    assert small == Case(HEADER + "    line 7\n    line 33\n")


def test_options_stay_where_they_matter() -> None:
    example = case(1)
    small = reduced(Case(example.source, keep_going=True, max_depth=4), lambda candidate: candidate.max_depth == 4)
    assert (small.max_depth, small.keep_going) == (4, False)


def test_one_seed_is_one_spec() -> None:
    assert case(42) == case(42) != case(43)
    assert case(42, failing=True) == case(42, failing=True)
