"""modelcheck: a TLA+-style explicit-state model checker for specs in plain Python.

A spec is a class: constants, variables, actions over the current state ``s`` and the next state ``n``, and properties.
``check`` enumerates every reachable state breadth-first and answers with the shortest counterexample.

>>> from modelcheck import Spec, action, check, require, var
>>> class Clock(Spec):
...     hour = var(1)
...     @action
...     def tick(self, s, n):
...         n.hour = s.hour % 12 + 1
>>> check(Clock()).distinct
12
"""

from . import picture
from .checking import check
from .declare import (
    Channel,
    Const,
    Per,
    Subset,
    Var,
    action,
    assume,
    channel,
    const,
    constraint,
    goal,
    init,
    invariant,
    per,
    require,
    subset,
    terminal,
    var,
)
from .operators import operator
from .result import Result
from .simulation import simulate
from .spec import Spec
from .verdict import Verdict

__version__ = "0.1.0"

__all__ = [
    "Channel",
    "Const",
    "Per",
    "Result",
    "Spec",
    "Subset",
    "Var",
    "Verdict",
    "action",
    "assume",
    "channel",
    "check",
    "const",
    "constraint",
    "goal",
    "init",
    "invariant",
    "operator",
    "per",
    "picture",
    "require",
    "simulate",
    "subset",
    "terminal",
    "var",
]
