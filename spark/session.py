"""Starting Spark: a master that answers, settings, and the code that executors need."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from modelcheck.errors import ConfigError

from .java import require_java
from .options import Options
from .shipping import forget
from .watch import is_local

__all__ = ["require_master", "require_pyspark", "spark_context"]

_DEFAULT_MASTER = "local[*]"
_TRIES = 4


@contextmanager
def spark_context(title: str, options: Options) -> Iterator[Any]:
    """A SparkContext: the active one, or one of our own, which is stopped at the end."""
    require_pyspark()
    from pyspark import SparkContext

    active = SparkContext._active_spark_context
    if active is not None:
        with _lineage(active, options):
            yield active
        return
    master = _patient(options.master or _submitted_master() or _DEFAULT_MASTER)
    require_java()
    require_master(master)
    context = _start(title, master)
    application = context.applicationId  # asked now, because at the end Java may have died
    try:
        with _lineage(context, options):
            yield context
    finally:
        _stop(context)
        forget(application)


def _patient(master: str) -> str:
    """A local master that tries a task again, as clusters do: by itself it gives up with the first dead process."""
    cores = re.fullmatch(r"local(?:\[([^,\]]+)\])?", master)
    return f"local[{cores[1] or 1},{_TRIES}]" if cores else master


def _stop(context: Any) -> None:
    """Stop it; if its Java process has died, forget it, so that this process can start another one."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark import SparkContext

    try:
        context.stop()
        # It may pass over a dead process with a warning; a question does not.
        context._jvm.java.lang.System.nanoTime()
    except (Py4JError, ConnectionError):
        SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None


def _submitted_master() -> str | None:
    """The master that spark-submit was given, if we were started by it."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return None
    from pyspark import SparkConf

    return SparkConf().get("spark.master", None)


def require_pyspark() -> None:
    try:
        import pyspark  # noqa: F401
    except ModuleNotFoundError:
        raise ConfigError(
            "the engine 'spark' needs PySpark, which is not installed here.\n"
            "Install it with: pip install 'modelcheck[spark]'"
        ) from None


def require_master(master: str) -> None:
    """A standalone master must answer; Spark itself would try for a minute."""
    if master.startswith("spark://"):
        for place in master.removeprefix("spark://").split(","):
            host, _, port = place.rpartition(":")
            try:
                socket.create_connection((host, int(port)), timeout=5).close()
                return
            except (OSError, ValueError) as error:
                problem = str(error)
        raise ConfigError(
            f"no Spark master answers at {master}: {problem}.\n"
            "The address is on the first line of the master's web page; is the master running?"
        )
    if not re.match(r"local(-cluster)?\[|local$|yarn$|k8s://|spark://", master):
        raise ConfigError(
            f"--master {master!r} is no address of a cluster.\n"
            "Examples: local[2]   local[*]   spark://host:7077   yarn   k8s://https://host:6443"
        )


def _start(title: str, master: str) -> Any:
    from pyspark import SparkConf, SparkContext

    os.environ["PYSPARK_PYTHON"] = os.environ.get("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    quiet = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').as_uri()}"
    if "log4j2" not in os.environ.get("SPARK_SUBMIT_OPTS", ""):
        os.environ["SPARK_SUBMIT_OPTS"] = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} {quiet}".strip()
    ours = str(Path(__file__).resolve().parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), ours]))
    # Set whatever a context before this one in the same process had; the rest is the user's to decide.
    fixed = {"spark.master": master, "spark.app.name": f"modelcheck {title}"}
    settings = {
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.maxResultSize": "0",
        "spark.driver.memory": "2g",
        "spark.cleaner.referenceTracking.cleanCheckpoints": "true",
    }
    if is_local(master):  # the driver is the executor, too
        settings["spark.driver.memory"] = f"{_quarter_of_memory()}g"
    if master.startswith("local"):
        # A machine's own name need not resolve; the loopback address always does.
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    fixed["spark.python.daemon.module"] = "spark.daemon" if is_local(master) else "pyspark.daemon"
    conf = SparkConf()
    for key, value in fixed.items():
        conf.set(key, value)
    for key, value in settings.items():
        conf.setIfMissing(key, value)
    try:
        return SparkContext(conf=conf)
    except Exception as error:
        raise ConfigError(f"Spark did not start on {master}: {str(error).splitlines()[0]}") from error


def _quarter_of_memory() -> int:
    """In GiB; the other quarters are for the Python processes and for what the system keeps of files."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(8, max(2, whole >> 32))


@contextmanager
def _lineage(context: Any, options: Options) -> Iterator[None]:
    """Give the context a folder where it can cut the lineage; when the search is over, nobody needs what is there."""
    if not options.checkpoint:
        yield
        return
    context.setCheckpointDir(f"{options.checkpoint.rstrip('/')}/lineage")
    own = context.getCheckpointDir()
    try:
        yield
    finally:
        _delete(context, own)


def _delete(context: Any, folder: str) -> None:
    from py4j.protocol import Py4JError

    with suppress(Py4JError, ConnectionError):  # where Java has died, the folder stays
        path = context._jvm.org.apache.hadoop.fs.Path(folder)
        system = path.getFileSystem(context._jsc.hadoopConfiguration())
        system.delete(path, True)
        above = path.getParent()
        if not list(system.listStatus(above)):
            system.delete(above, False)
