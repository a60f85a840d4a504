"""The history of a run: one row for each level, as a Parquet file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from modelcheck.errors import ConfigError

__all__ = ["History", "Row", "read_history", "render_history"]


@dataclass(frozen=True)
class Row:
    """One level. ``place`` is driver or cluster; ``exchanged`` are the bytes of successors before compression,
    ``in_memory`` and ``spilled`` those that the executors keep after the level, the latter on disk; ``worker`` is the
    most memory that a Python process has had so far.
    """

    level: int
    place: str
    frontier: int
    generated: int
    new: int
    distinct: int
    seconds: float
    task_seconds: float
    worker: int
    exchanged: int
    in_memory: int
    spilled: int


@dataclass
class History:
    """Rows as they come; written at the end, whatever the end is."""

    file: str | None = None
    rows: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.file is not None and not Path(self.file).resolve().parent.is_dir():
            raise ConfigError(f"--history {self.file}: there is no such folder")

    def write(self) -> None:
        if self.file is None or not self.rows:
            return
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist([asdict(row) for row in self.rows]), self.file)


def read_history(file: str) -> list[Row]:
    """The rows of a file."""
    from pyarrow import ArrowInvalid, parquet

    try:
        return [Row(**row) for row in parquet.read_table(file).to_pylist()]
    except (OSError, ArrowInvalid, TypeError) as error:
        raise ConfigError(f"{file} is no history of a run: {error}") from None


def render_history(rows: list[Row]) -> str:
    """A table with a bar for the width of each level."""
    widest = max((row.frontier for row in rows), default=1) or 1
    counts = f"{'level':>5}  {'place':<7}  {'frontier':>12}  {'generated':>13}  {'new':>12}"
    lines = [f"{counts}  {'seconds':>8}  bytes/gen.  worker, MB  memory, MB  on disk, MB"]
    for row in rows:
        each = row.exchanged / row.generated if row.generated else 0.0
        bar = "#" * round(30 * row.frontier / widest)
        lines.append(
            f"{row.level:>5}  {row.place:<7}  {row.frontier:>12,}  {row.generated:>13,}  {row.new:>12,}"
            f"  {row.seconds:>8.2f}  {each:>10.1f}"
            f"  {row.worker / 1e6:>10.1f}  {row.in_memory / 1e6:>10.1f}  {row.spilled / 1e6:>11.1f}  {bar}"
        )
    total = sum(row.seconds for row in rows)
    lines.append(f"{len(rows)} levels, {total:.1f} s, {sum(row.generated for row in rows):,} generated")
    return "\n".join(lines)
