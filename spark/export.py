"""The state space as data: states, edges and levels as Parquet files that any tool can ask.

NOTE(whole-levels): tasks write under ``DIR/_unfinished``, and the driver moves a level's folders to their place when
the level is taken. What a search that was killed has left is thus whole levels; a task that runs twice, or again long
after its level, changes nothing that is in place. Readers of Parquet pass over names that begin with ``_``.
"""

from __future__ import annotations

import posixpath
import re
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from modelcheck.errors import ConfigError, Refused
from modelcheck.values import show

from .failures import ClusterLost, tell
from .history import Row

if TYPE_CHECKING:
    from .expander import Expander

__all__ = ["Edges", "Export", "Place", "States", "column_names"]

_ROWS_IN_A_GROUP = 1 << 17
_UNFINISHED = "_unfinished"
_OWN_COLUMNS = ("fingerprint", "parent", "action", "level")


@dataclass(frozen=True)
class Place:
    """A folder on a file system that pyarrow knows, named so that every process finds it."""

    uri: str

    def system(self) -> tuple[Any, str]:
        from pyarrow.fs import FileSystem

        system, folder = FileSystem.from_uri(self.uri)
        return system, folder.rstrip("/")

    def part(self, kind: str, level: int, index: int) -> _Part:
        """A task's file."""
        system, folder = self.system()
        return _Part(system, f"{folder}/{_UNFINISHED}/{kind}/{_level(level)}", f"part-{index:05d}.parquet")


@contextmanager
def _writing(place: str) -> Iterator[None]:
    """What cannot be written ends the search with what is known, in a task as on the driver."""
    from pyarrow import ArrowException

    try:
        yield
    except (OSError, ArrowException) as error:
        raise ClusterLost(f"--export: {place} cannot be written: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """In one line. What pyarrow says before the system's own words is where in pyarrow it was."""
    return str(error).partition("\n")[0].rpartition("Detail: ")[2]


def _level(level: int) -> str:
    return f"level={level:06d}"


class _Part:
    """A file that is written under a name of its own, and has its real one when it is whole."""

    def __init__(self, system: Any, folder: str, name: str) -> None:
        self._system, self._name = system, f"{folder}/{name}"
        self._draft = f"{folder}/_{uuid.uuid4().hex}"
        self._writer: Any = None

    def write(self, table: Any) -> None:
        """Add a group of rows."""
        from pyarrow import parquet

        with self._or_nothing():
            if self._writer is None:
                self._system.create_dir(posixpath.dirname(self._draft), recursive=True)
                self._writer = parquet.ParquetWriter(self._draft, table.schema, filesystem=self._system)
            self._writer.write_table(table)

    def close(self) -> None:
        self.end()
        self.put()

    def end(self) -> None:
        """All rows are there."""
        with self._or_nothing():
            if self._writer is not None:
                self._writer.close()

    def put(self) -> None:
        """Give the file its real name."""
        with self._or_nothing():
            if self._writer is not None:
                self._system.move(self._draft, self._name)

    @contextmanager
    def _or_nothing(self) -> Iterator[None]:
        try:
            with _writing(self._name):
                yield
        except ClusterLost:
            self.drop()
            raise

    def drop(self) -> None:
        """Leave no draft behind."""
        if self._writer is not None:
            with suppress(Exception):  # where it has failed it would try again when it is collected
                self._writer.close()
        with suppress(Exception):
            self._system.delete_file(self._draft)


def column_names(slots: Iterable[str]) -> list[str]:
    """A column for each slot. A slot that is called like another column gets underscores behind its name."""
    taken = {*_OWN_COLUMNS}
    names = []
    for name in slots:
        # Spark reads no file in which two columns differ by upper and lower case only.
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        names.append(name)
    return names


def _labels(expander: Expander, roots: Any) -> Any:
    import pyarrow

    labels = pyarrow.array([bound.label for bound in expander.program.actions], pyarrow.string())
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(roots.astype("i4", copy=False)), labels)


class States:
    """The new states of one task."""

    def __init__(self, place: Place, level: int, index: int, expander: Expander) -> None:
        self._part = place.part("states", level, index)
        self._expander = expander
        self._names = ["fingerprint", "parent", "action", *column_names(expander.program.layout.names)]

    def add(self, rows: Any, fps: Any, parents: Any, roots: Any) -> None:
        """Write some; initial ones have neither parents nor roots."""
        import pyarrow

        for first in range(0, len(fps), _ROWS_IN_A_GROUP):
            some = slice(first, min(first + _ROWS_IN_A_GROUP, len(fps)))
            if parents is None:
                n = some.stop - some.start
                origin = [pyarrow.nulls(n, pyarrow.int64()), _nulls(n)]
            else:
                origin = [pyarrow.array(parents[some]), _labels(self._expander, roots[some])]
            slots = [_texts(rows[some, k], pool.values) for k, pool in enumerate(self._expander.pools.slots)]
            self._part.write(pyarrow.table([pyarrow.array(fps[some]), *origin, *slots], self._names))

    def close(self) -> None:
        self._part.close()


def _nulls(n: int) -> Any:
    import pyarrow

    return pyarrow.nulls(n, pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))


def _texts(ids: Any, values: list[Any]) -> Any:
    """The values of one slot as text: shown once each, however many states have them."""
    import pyarrow

    occurs = np.zeros(len(values), bool)
    occurs[ids] = True
    used = np.flatnonzero(occurs)
    code = np.zeros(len(values), "i4")
    code[used] = np.arange(len(used))
    texts = [show(values[k]).encode("utf-8", "backslashreplace").decode() for k in used.tolist()]
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(code[ids]), pyarrow.array(texts, pyarrow.string()))


class Edges:
    """The steps that one task takes, written when enough have come together."""

    def __init__(self, place: Place, level: int, index: int, expander: Expander) -> None:
        self._part = place.part("edges", level, index)
        self._expander = expander
        self._held: list[tuple[Any, Any, Any]] = []
        self._count = 0

    def add(self, sources: Any, targets: Any, roots: Any) -> None:
        """Take arrays that the caller does not change any more."""
        self._held.append((sources, targets, roots))
        self._count += len(sources)
        if self._count >= _ROWS_IN_A_GROUP:
            self._write()

    def _write(self) -> None:
        import pyarrow

        if self._count:
            sources, targets, roots = (np.concatenate(part) for part in zip(*self._held, strict=True))
            columns = [pyarrow.array(sources), pyarrow.array(targets), _labels(self._expander, roots)]
            self._part.write(pyarrow.table(columns, ["source", "target", "action"]))
        self._held, self._count = [], 0

    def close(self) -> None:
        self._write()
        self._part.close()


class Export:
    """The folder as the driver sees it."""

    def __init__(self, folder: str, identity: dict[str, str], *, resume: bool = False) -> None:
        _require_pyarrow()
        self._named, self._identity = folder, identity
        uri = folder if re.match(r"[a-z0-9]+://", folder) else Path(folder).resolve().as_uri()
        self.place = Place(uri)
        self._before: list[dict[str, Any]] = []
        self._rows_written = -1
        self._failed = False
        try:
            self._system, self._folder = self.place.system()
            held = [name for name in ("states", "edges", "levels.parquet") if self._exists(name)]
        except (OSError, ValueError) as error:
            raise ConfigError(f"--export {folder}: {error}") from None
        self._refuse_unwritable()
        if held and not resume:
            raise ConfigError(
                f"--export {folder}: there is an export already ({', '.join(held)}).\n"
                "Name another folder, delete this one, or go on with its search (--resume with its --checkpoint)."
            )

    def _exists(self, name: str) -> bool:
        from pyarrow.fs import FileType

        return bool(self._system.get_file_info(f"{self._folder}/{name}".rstrip("/")).type != FileType.NotFound)

    def _refuse_unwritable(self) -> None:
        """Only writing shows whether a folder can be written; what was not there before is gone again after it."""
        from pyarrow import ArrowException

        was_there, probe = self._exists(""), f"{self._folder}/_{uuid.uuid4().hex}"
        try:
            self._system.create_dir(self._folder, recursive=True)
            with self._system.open_output_stream(probe) as stream:
                stream.write(b"?")
            self._system.delete_file(probe)
            if not was_there:
                self._system.delete_dir(self._folder)
        except (OSError, ArrowException) as error:
            with suppress(Exception):
                self._system.delete_file(probe)
            raise ConfigError(
                f"--export {self._named} cannot be written: {_reason(error)}\n"
                "Usual cause: the folder is another user's, its disk is full, or there is a file of that name."
                " Name a folder that you, and all machines, can write."
            ) from None

    def go_on(self, depth: int) -> None:
        """Keep what belongs to the search that is resumed at this depth: its states, and the steps between them."""
        from pyarrow import parquet

        missing = [level for level in range(1, depth + 1) if not self._exists(f"states/{_level(level)}")]
        if missing or not self._exists("levels.parquet"):
            raise ConfigError(
                f"--export {self._named} does not have the levels up to {depth}, where the search was saved.\n"
                "Resume with the folder that it exported to, or without --export."
            )
        table = parquet.read_table(f"{self._folder}/levels.parquet", filesystem=self._system)
        known = table.schema.metadata or {}
        for name, now in self._identity.items():
            then = known.get(name.encode(), b"").decode()
            if then != now:
                raise Refused(f"--export {self._named} is of another search: {name} was {then}, now it is {now}.")
        self._before = [row for row in table.to_pylist() if row["level"] < depth]
        self._drop("states", depth + 1)
        self._drop("edges", depth)
        self._clean()

    def _drop(self, kind: str, first: int) -> None:
        """Delete the levels of a kind from this one on."""
        for name in self._levels(kind):
            if int(name.partition("=")[2]) >= first:
                self._system.delete_dir(f"{self._folder}/{kind}/{name}")

    def _levels(self, kind: str) -> Iterator[str]:
        from pyarrow.fs import FileSelector

        selector = FileSelector(f"{self._folder}/{kind}", allow_not_found=True)
        return (info.base_name for info in self._system.get_file_info(selector) if "=" in info.base_name)

    def commit(self, level: int, rows: list[Row]) -> None:
        """A level is taken: its edges and the states they lead to are put in place, and the table of levels."""
        self._failed = True  # until the end of this
        levels = self._levels_part(rows)  # first, because renaming needs no room on a disk, and this does
        try:
            self._put("edges", level)
            self._put("states", level + 1)
        except ClusterLost:
            levels.drop()
            raise
        levels.put()
        self._rows_written = len(rows)
        self._failed = False

    def _put(self, kind: str, level: int) -> None:
        name = f"{kind}/{_level(level)}"
        with _writing(f"{self._folder}/{name}"):
            if self._exists(f"{_UNFINISHED}/{name}"):
                self._system.create_dir(f"{self._folder}/{kind}", recursive=True)
                self._system.move(f"{self._folder}/{_UNFINISHED}/{name}", f"{self._folder}/{name}")

    def _levels_part(self, rows: list[Row]) -> _Part:
        import pyarrow

        known = {row.level for row in rows}
        every = [*(row for row in self._before if row["level"] not in known), *map(asdict, rows)]
        kinds = {"int": pyarrow.int64(), "str": pyarrow.string(), "float": pyarrow.float64()}
        fields = [(name, kinds[str(kind)]) for name, kind in Row.__annotations__.items()]
        part = _Part(self._system, self._folder, "levels.parquet")
        part.write(pyarrow.Table.from_pylist(every, pyarrow.schema(fields, metadata=dict(self._identity))))
        part.end()
        return part

    def finish(self, rows: list[Row]) -> None:
        """The search is over, in whatever way; its result is not lost by what cannot be tidied up here."""
        try:
            # A level that could not be put in place is in the rows, and was not taken.
            if len(rows) != self._rows_written and not self._failed:
                self._levels_part(rows).put()
            with _writing(f"{self._folder}/{_UNFINISHED}"):
                self._clean()
        except ClusterLost as lost:
            tell(f"{lost}. The result is not affected.")

    def _clean(self) -> None:
        """Delete levels that were never taken, and what late tasks have written."""
        if self._exists(_UNFINISHED):
            self._system.delete_dir(f"{self._folder}/{_UNFINISHED}")


def _require_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError:
        raise ConfigError("--export needs PyArrow. Install it with: pip install 'modelcheck[spark]'") from None
