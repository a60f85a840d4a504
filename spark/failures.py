"""What Spark's errors mean: one sentence for the usual ones instead of a page of Java."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from modelcheck.errors import ConfigError, ModelCheckError, SpecLoadError

__all__ = ["ClusterLost", "spark_errors", "tell"]


class ClusterLost(ConfigError):
    """The cluster gave up in the middle of a search. What was found before is still true."""


def tell(text: str) -> None:
    """A line for the user that is not worth the result, on standard error."""
    print(f"{chr(10) if sys.stderr.isatty() else ''}modelcheck: {text}", file=sys.stderr, flush=True)


@contextmanager
def spark_errors() -> Iterator[None]:
    """Turn errors of the Java side into our own; a save that was made before stays good."""
    from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]

    try:
        yield
    except Py4JJavaError as error:
        raise _meaning(str(error.java_exception)) from error
    except (Py4JError, ConnectionError) as error:  # no answer, or none that says what is wrong
        raise ClusterLost("the Java process of Spark has died; usual cause: the machine ran out of memory") from error


def _meaning(text: str) -> ModelCheckError:
    ours = re.search(rf"^(?:\w+\.)*{ClusterLost.__name__}: (.*)", text, re.MULTILINE)
    if ours:  # raised by a task
        return ClusterLost(ours[1].strip())
    missing = re.search(r"(?:ModuleNotFoundError|ImportError): (.*)", text)
    if missing:
        return SpecLoadError(
            f"the spec cannot be imported on an executor: {missing[1]}.\n"
            "The spec's package, or the files beside it, are sent along; packages that it needs from elsewhere must be"
            " installed\non every machine, in the Python that PYSPARK_PYTHON names."
        )
    if "No space left on device" in text:
        return ClusterLost(
            "a disk of the cluster is full: Spark writes what it exchanges to spark.local.dir (SPARK_LOCAL_DIRS), which"
            " needs a larger one"
        )
    python = re.search(r"Cannot run program .*", text)
    if python:
        return ConfigError(f"an executor cannot start Python: {python[0]}\nPYSPARK_PYTHON names the one to start.")
    return ClusterLost(f"Spark gave up: {_first_line(text, 'Exception')}")


def _first_line(text: str, word: str) -> str:
    lines = [line.strip() for line in text.splitlines() if word in line and not line.strip().startswith("at ")]
    return (lines or text.splitlines() or ["no reason given"])[0][:300]
