"""Functions that depend on more than the state, or are no functions: claims about `problems`."""

from __future__ import annotations

import datetime
import inspect
import math
import os
import random
import time
import uuid
from collections.abc import Callable
from random import choice, randint
from random import random as chance
from secrets import token_hex
from time import time as clock
from typing import Any

from modelcheck.statics import Names, problems

NAMES = Names(frozenset({"leader", "log"}), frozenset({"servers"}), frozenset())
HANDLES = {"self": "spec", "s": "now", "n": "next"}
DICE = random.Random(1)
SEEN: dict[str, int] = {}
COUNT = 0


def found(function: Callable[..., Any]) -> list[str]:
    """The messages about a function, whose lines must be those that are marked as wrong."""
    lines, first = inspect.getsourcelines(function)
    marked = {first + offset for offset, line in enumerate(lines) if "# wrong" in line}
    given = problems(function, NAMES, HANDLES)
    assert {problem.line for problem in given} == marked
    assert {problem.file for problem in given} <= {__file__}
    return [problem.message for problem in given]


def one(function: Callable[..., Any]) -> str:
    (message,) = found(function)
    return message


def test_clocks_dice_and_the_operating_system_are_reported() -> None:
    def bad(self: Any, s: Any) -> Any:
        time.time()  # wrong
        clock()  # wrong
        datetime.datetime.now()  # wrong
        random.choice(self.servers)  # wrong
        choice(self.servers)  # wrong
        randint(1, 2)  # wrong
        chance()  # wrong
        DICE.choice(self.servers)  # wrong
        token_hex()  # wrong
        uuid.uuid4()  # wrong
        os.environ.get("HOME")  # wrong
        os.getpid()  # wrong

    messages = found(bad)
    assert len(messages) == 12
    assert messages[0] == (
        "time.time() reads the clock: a spec's functions depend on the state and the constants only"
    )
    assert messages[4].startswith(
        "choice() draws at random (a choice is a parameter with a domain)"
    )
    assert messages[10].startswith("os.environ.get() asks the operating system")


def test_builtins_that_reach_outside_are_reported_and_print_is_not() -> None:
    def bad(self: Any, s: Any) -> Any:
        print(s.leader)
        input()  # wrong
        open("x")  # wrong # noqa: SIM115
        id(s)  # wrong
        return hash(s.leader)  # wrong

    starts = [message.split(" ")[0] for message in found(bad)]
    assert starts == ["input()", "open()", "id()", "hash()"]


def test_a_local_name_is_not_taken_for_the_module_of_that_name() -> None:
    def fine(self: Any, s: Any, time: Any, id: Any) -> Any:
        random = s.log
        open, _ = len, 1
        return time.time() + id(3) + random.index(1) + open(time)

    assert found(fine) == []


def test_a_module_in_a_closure_is_recognised() -> None:
    here = time

    def bad(self: Any, s: Any) -> Any:
        return here.monotonic()  # wrong

    assert one(bad).startswith("here.monotonic() reads the clock")


def test_an_import_inside_the_function_is_recognised() -> None:
    def bad(self: Any, s: Any) -> Any:
        import time  # wrong
        from random import choice  # wrong

        return time.time() + choice([math.pi])

    assert found(bad) == [
        "import of time, which reads the clock: a spec's functions depend on the state and the"
        " constants only",
        "import of random, which draws at random (a choice is a parameter with a domain): a spec's"
        " functions depend on the state and the constants only",
    ]


def test_what_outlives_the_call_cannot_be_assigned() -> None:
    outer = 0

    def bad(self: Any, s: Any, i: str) -> Any:
        global COUNT
        nonlocal outer
        COUNT += 1  # wrong
        outer = 1  # wrong
        SEEN[i] = 1  # wrong
        bad.calls = 1  # type: ignore[attr-defined]  # wrong

    messages = found(bad)
    assert messages[0].startswith("'COUNT' is assigned, and outlives the call")
    assert messages[1].startswith("'outer' is assigned, and outlives the call")
    assert messages[2].startswith("SEEN[i] changes 'SEEN', which outlives the call")
    assert messages[3].startswith("bad.calls changes 'bad'")
    assert outer == 0


def test_globals_may_be_declared_and_read_and_locals_shared_with_inner_functions() -> None:
    def fine(self: Any, s: Any) -> Any:
        global COUNT
        total, seen = COUNT, {}

        def count(i: str) -> None:
            nonlocal total
            total += 1
            seen[i] = total

        for i in self.servers:
            count(i)
        return total

    assert found(fine) == []


def test_generators_and_coroutines_are_reported() -> None:
    def yields(self: Any, s: Any) -> Any:
        yield s.leader  # wrong

    def delegates(self: Any, s: Any) -> Any:
        yield from s.log  # wrong

    async def waits(self: Any, s: Any) -> Any:  # wrong
        await s.leader  # wrong

    def holds(self: Any, s: Any) -> Any:
        async def inner() -> None:  # wrong
            pass

    assert one(yields) == one(delegates)
    assert one(yields).startswith("yield makes this a generator")
    assert [message.split(":")[0] for message in found(waits)] == ["waits is async", "await"]
    assert one(holds).startswith("inner is async")


def test_inner_generators_and_helpers_that_may_yield_are_fine() -> None:
    def fine(self: Any, s: Any) -> Any:
        def pairs() -> Any:
            yield s.leader

        return list(pairs())

    def helper(self: Any, s: Any) -> Any:
        yield s.leader

    assert found(fine) == []
    assert problems(helper, NAMES, HANDLES, may_yield=True) == []
