"""What Spark's errors mean: one sentence for the usual ones instead of a page of Java."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from modelcheck.errors import ConfigError, ModelCheckError, SpecLoadError

__all__ = ["ClusterLost", "spark_errors", "tell"]


# What Spark says when a master does not answer, or does not know us any more; the words of its log and of its errors.
_NO_MASTER = (
    r"All masters are unresponsive",
    r"Cannot call methods on a stopped SparkContext",
    r"SparkContext (?:has been|was) shut ?down",
)


class ClusterLost(ConfigError):
    """The cluster gave up in the middle of a search. What was found before is still true."""


def tell(text: str) -> None:
    """A line for the user that is not worth the result, on standard error."""
    print(f"{chr(10) if sys.stderr.isatty() else ''}modelcheck: {text}", file=sys.stderr, flush=True)


@contextmanager
def spark_errors() -> Iterator[None]:
    """Turn errors of the Java side into our own; a save that was made before stays good."""
    from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except Py4JJavaError as error:
        raise _meaning(str(error.java_exception)) from error
    except PySparkException as error:  # the same, where this process has used Spark SQL
        raise _meaning(str(error)) from error
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
    gone = re.search("|".join(_NO_MASTER), text)
    if gone:
        return ClusterLost(
            f"no Spark master answers, or it has ended this search ({gone[0]}); the address is on the first line of the"
            " master's web page: is the master running, and of the same version of Spark?"
        )
    raised = _python_error(text)
    if raised:
        hint = "; values of a state are sent from process to process, so pickle must know them" * ("pickle" in raised)
        return ClusterLost(f"a task failed: {raised}{hint}")
    return ClusterLost(f"Spark gave up: {_first_line(text, 'Exception')}")


def _python_error(text: str) -> str:
    """The line with which the last Python traceback in a text ends."""
    _, found, behind = text.rpartition("Traceback (most recent call last):")
    lines = [line for line in behind.splitlines()[1:] if line.strip() and not line[0].isspace()]
    return lines[0].strip()[:300] if found and lines else ""


def _first_line(text: str, word: str) -> str:
    lines = [line.strip() for line in text.splitlines() if word in line and not line.strip().startswith("at ")]
    return (lines or text.splitlines() or ["no reason given"])[0][:300]
