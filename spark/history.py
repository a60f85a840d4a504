"""The history of a run: one row for each level, as a Parquet file."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from modelcheck.errors import ConfigError

from .failures import tell

__all__ = ["History", "Row", "read_history", "render_history"]


@dataclass(frozen=True)
class Row:
    """One level. ``place`` is driver or cluster; ``exchanged`` are the bytes of successors before compression,
    ``in_memory`` and ``on_disk`` those that the executors keep after the level, the latter on disk; ``worker`` is the
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
    on_disk: int


@dataclass
class History:
    """Rows as they come; written at the end, whatever the end is."""

    file: str | None = None
    rows: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        _refuse_unwritable(self.file)

    def write(self) -> None:
        """Write them. A disk that is full by now must not cost the result of the search: it is told, no more."""
        if self.file is None or not self.rows:
            return
        import pyarrow
        from pyarrow import parquet

        made = pyarrow.BufferOutputStream()
        parquet.write_table(pyarrow.Table.from_pylist([asdict(row) for row in self.rows]), made)
        try:
            Path(self.file).write_bytes(made.getvalue())
        except OSError as error:
            tell(f"--history {self.file} was not written: {error.strerror}. The result is not affected.")
            if Path(self.file).is_file():  # half a table is of no use
                with suppress(OSError):
                    Path(self.file).unlink()


def _refuse_unwritable(file: str | None) -> None:
    """Say before the search that its history cannot be written. Only writing shows whether a file can be written."""
    if file is None:
        return
    path = Path(file)
    if path.is_dir():
        raise ConfigError(f"--history {file}: that is a folder. Name a file, {path / 'levels.parquet'} for example.")
    if not path.resolve().parent.is_dir():
        raise ConfigError(f"--history {file}: there is no such folder as {path.parent}. Make it, or name another.")
    was_there = path.exists()
    try:
        path.open("ab").close()
        if not was_there:
            path.unlink()
    except OSError as error:
        raise ConfigError(
            f"--history {file} cannot be written: {error.strerror}.\n"
            "Usual cause: the folder is another user's, or can only be read. Name a file in a folder of your own."
        ) from None


def read_history(file: str) -> list[Row]:
    """The rows of a file."""
    from pyarrow import ArrowInvalid, parquet

    try:
        rows = [Row(**row) for row in parquet.read_table(file).to_pylist()]
    except (OSError, ArrowInvalid, TypeError) as error:
        raise ConfigError(f"{file} is no history of a run: {error}") from None
    if not rows:
        raise ConfigError(
            f"{file} is no history of a run: there are no levels in it.\n"
            "`check --engine spark --history FILE` writes one; an export has it as levels.parquet."
        )
    return rows


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
            f"  {row.worker / 1e6:>10.1f}  {row.in_memory / 1e6:>10.1f}  {row.on_disk / 1e6:>11.1f}  {bar}"
        )
    total = sum(row.seconds for row in rows)
    lines.append(f"{len(rows)} levels, {total:.1f} s, {sum(row.generated for row in rows):,} generated")
    return "\n".join(lines)
