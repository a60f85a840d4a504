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
    from .history import History
    from .level import Cluster
    from .recipe import recipe_for
    from .saving import Saves, identity
    from .shipping import ship
    from .watch import Watch, is_local, quiet_interrupts

    recipe = recipe_for(program, deadlock=deadlock)
    of = identity(program, deadlock=deadlock)
    # Both refuse a place that cannot be written: starting Spark only to say so takes seconds.
    history = History(chosen.history)
    export = Export(chosen.export, of, resume=chosen.resume) if chosen.export else None
    with quiet_interrupts(), spark_errors(), spark_context(type(program.spec).__name__, chosen) as context:
        saves = Saves(context, chosen.checkpoint, of) if chosen.checkpoint else None

        def cluster() -> Cluster:
            if not is_local(context.master):
                ship(context, recipe)
            # Asked now, because at the start of a cluster few of its executors are there.
            return Cluster(context, chosen.partitions or context.defaultParallelism, chosen.cut_every)

        with Watch(context, chosen.patience) as watch:
            return Explorer(
                program, recipe, chosen, limits, cluster,
                keep_going=keep_going, progress=progress, history=history, saves=saves, export=export, watch=watch,
            ).run()  # fmt: skip
