"""The engine by its name: ``check(spec, engine="spark", master="local[2]")``."""

from __future__ import annotations

from typing import Any

from modelcheck.limits import Limits
from modelcheck.program import Program
from modelcheck.result import ProgressReport, Result

from .options import options_from

__all__ = ["run"]


def run(
    program: Program,
    limits: Limits,
    *,
    deadlock: bool = True,
    keep_going: bool = False,
    progress: ProgressReport | None = None,
    **options: Any,
) -> Result:
    """Search on Spark. Options that this engine does not have are refused before anything starts."""
    chosen = options_from(options)
    from .session import require_pyspark, spark_context

    require_pyspark()
    from .explorer import Explorer
    from .export import Export
    from .failures import spark_errors
    from .level import Cluster
    from .recipe import recipe_for
    from .saving import Saves, identity

    recipe = recipe_for(program, deadlock=deadlock)
    of = identity(program, deadlock=deadlock)
    export = Export(chosen.export, of, resume=chosen.resume) if chosen.export else None
    with spark_errors(), spark_context(type(program.spec).__name__, chosen, recipe) as context:
        n_partitions = chosen.partitions or context.defaultParallelism
        saves = None
        if chosen.checkpoint:
            saves = Saves(context, chosen.checkpoint, of)
        search = Explorer(
            program, recipe, chosen, limits, lambda: Cluster(context, n_partitions, chosen.cut_every),
            keep_going=keep_going, progress=progress, saves=saves, export=export,
        )  # fmt: skip
        return search.run()
