"""``check`` and its engines: one call, one Result, whatever does the work."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import ConfigError, suggest
from .limits import Limits
from .oracle import Oracle
from .result import ProgressReport, Result
from .spec import Spec

__all__ = ["ENGINES", "check"]

# Engines that live in packages of their own, which this one does not know: loaded by name when they are asked for.
_ELSEWHERE = {"spark": "spark.engine"}
ENGINES = ("local", "oracle", *_ELSEWHERE)


def check(
    spec: Spec | type[Spec],
    *,
    engine: str = "local",
    max_states: int | None = None,
    max_depth: int | None = None,
    max_seconds: float | None = None,
    deadlock: bool = True,
    keep_going: bool = False,
    progress: ProgressReport | None = None,
    **options: Any,
) -> Result:
    """Enumerate every reachable state breadth-first and check every property: the shortest counterexample wins.

    ``local`` is the fast engine; ``oracle`` is the plain search that every engine must agree with. The search stops
    at the end of the level in which the first violation is found, unless ``keep_going``. ``spark`` searches on a
    cluster and has ``options`` of its own (``master``, ``partitions``, ...); one that an engine lacks is refused.
    """
    program = (spec() if isinstance(spec, type) else spec).program
    limits = Limits(max_states, max_depth, max_seconds)
    if engine in _ELSEWHERE:
        run = importlib.import_module(_ELSEWHERE[engine]).run
        found: Result = run(program, limits, deadlock=deadlock, keep_going=keep_going, progress=progress, **options)
        return found
    if engine in ENGINES and options:
        raise ConfigError(f"the engine {engine!r} has no option {next(iter(options))!r}")
    if engine == "oracle":
        return Oracle(program, limits, deadlock, keep_going, progress).run()
    if engine == "local":
        from .engine.search import Search

        return Search(program, limits, deadlock=deadlock, keep_going=keep_going, progress=progress).run()
    raise ConfigError(f"there is no engine {engine!r}{suggest(engine, ENGINES)}; the engines are {', '.join(ENGINES)}")
