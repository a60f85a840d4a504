"""Saving a search so that another driver can go on with it, on any path that Hadoop can see.

A save is a folder ``DIR/<run>/level-<n>`` with three datasets: ``links`` (the states found since the save before, as
fingerprints with their parents), ``frontier`` (the blocks of level n) and ``state`` (counts and findings). ``state`` is
written last: a save without it does not count. It is all the same whether the driver has what is saved, or the cluster.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from dataclasses import dataclass
from typing import Any

from pyspark import SparkContext

from modelcheck.errors import ConfigError, Refused
from modelcheck.program import Program
from modelcheck.values import show

from .texts import texts_of

__all__ = ["Saves", "identity"]


# To be changed with what is saved: another version of modelcheck must not take it for something else.
_FORMAT = 2
_ORDER = "the order of its domains"
_SAME_AGAIN = "Resume with the same spec and constants, or start anew in another folder."
_SORT_IT = (
    "Usual cause: a domain that is a list or tuple made from a set, which comes in another order in each process."
    " Write sorted(...) there, and start anew in another folder."
)


def identity(program: Program, *, deadlock: bool) -> dict[str, str]:
    """What must be the same when a search goes on: the spec, its text and constants, the numbers of its slots."""
    spec = program.spec
    return {
        "spec": type(spec).__qualname__,
        "constants": ", ".join(f"{name}={show(value)}" for name, value in sorted(spec.constants.items())),
        "text of the spec": hashlib.sha256("".join(texts_of(type(spec).__module__).values()).encode()).hexdigest()[:16],
        "deadlock": str(deadlock),
        _ORDER: hashlib.sha256(repr(list(map(show, program.domains.lists))).encode()).hexdigest()[:16],
    }


@dataclass
class Saves:
    """The saves of one run."""

    context: SparkContext
    folder: str
    identity: dict[str, str]
    run: str = ""

    def __post_init__(self) -> None:
        self.folder = self.folder.rstrip("/")
        self.run = self.run or f"run-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"

    def place(self, level: int) -> str:
        return f"{self.folder}/{self.run}/level-{level:06d}"

    def begin(self, level: int) -> str:
        """A clean folder for the save of a level."""
        place = self.place(level)
        self._delete(place)
        return place

    def write(self, place: str, name: str, pairs: list[tuple[int, Any]]) -> None:
        """Write a dataset that is here, on the driver."""
        self.context.setJobDescription("checkpoint")
        self.context.parallelize(pairs, 1).saveAsPickleFile(f"{place}/{name}")

    def commit(self, level: int, state: dict[str, Any]) -> None:
        """Write the state: from now on the save counts."""
        whole = {"format": _FORMAT, "identity": self.identity, **state}
        self.context.setJobDescription(f"checkpoint of level {level}")
        self.context.parallelize([whole], 1).saveAsPickleFile(f"{self.place(level)}/state")

    def latest(self) -> tuple[dict[str, Any], list[str]]:
        """The state of the last complete save, and the folders of all saves of its run up to it, oldest first."""
        for run in sorted(self._names(self.folder, r"run-.*"), reverse=True):
            levels = sorted(self._names(f"{self.folder}/{run}", r"level-\d+"))
            complete = [name for name in levels if self._exists(f"{self.folder}/{run}/{name}/state/_SUCCESS")]
            if complete:
                state = self.context.pickleFile(f"{self.folder}/{run}/{complete[-1]}/state").first()
                self._refuse_another(state["identity"], state.get("format"))
                self.run = run
                return state, [f"{self.folder}/{run}/{name}" for name in complete]
        raise ConfigError(
            f"there is no complete checkpoint in {self.folder}: nothing to resume.\n"
            "Usual cause: the search ended before it saved for the first time. Start it without --resume."
        )

    def _refuse_another(self, saved: dict[str, str], written_as: object = _FORMAT) -> None:
        if written_as != _FORMAT:
            raise Refused(
                f"the checkpoint in {self.folder} was written by another version of modelcheck.\n"
                "Resume with that version, or start anew in another folder."
            )
        for name, now in self.identity.items():
            if saved.get(name) != now:
                raise Refused(
                    f"the checkpoint in {self.folder} is of another search: {name} was {saved.get(name)}, now it is"
                    f" {now}.\n{_SORT_IT if name == _ORDER else _SAME_AGAIN}"
                )

    def _names(self, folder: str, pattern: str) -> list[str]:
        path, system = self._hadoop(folder)
        if not system.exists(path):
            return []
        names = [status.getPath().getName() for status in system.listStatus(path)]
        return [name for name in names if re.fullmatch(pattern, name)]

    def _exists(self, place: str) -> bool:
        path, system = self._hadoop(place)
        return bool(system.exists(path))

    def _delete(self, place: str) -> None:
        path, system = self._hadoop(place)
        system.delete(path, True)

    def _hadoop(self, place: str) -> tuple[Any, Any]:
        jvm: Any = self.context._jvm
        path = jvm.org.apache.hadoop.fs.Path(place)
        jsc: Any = self.context._jsc
        return path, path.getFileSystem(jsc.hadoopConfiguration())
