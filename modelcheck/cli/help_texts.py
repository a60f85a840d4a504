"""What `--help` teaches, and the few fixed messages of the command line."""

from __future__ import annotations

from ..verdict import Verdict
from . import picture_options, spark_options, trace_options

__all__ = ["COMMANDS", "INTERNAL_ERROR", "MAIN", "OUT_OF_MEMORY", "main_epilog"]

MAIN = """\
Check a specification: enumerate every reachable state, and answer with the shortest
counterexample if a property fails."""

_TARGETS = """\
TARGET is one of
  path/to/file.py          the one spec in that file
  path/to/file.py:Class    one of several
  package.module:Class     a spec in an importable module
  path/to/folder           the models that its models.toml names"""

_EXAMPLES = """\
examples
  modelcheck check specs/toys/die_hard.py
  modelcheck check specs/classics/two_phase.py --set rms=7
  modelcheck check specs/classics                      all models, a table
  modelcheck simulate specs/classics/raft.py --runs 1000 --seed 7
  modelcheck show specs/classics/paxos.py              what it declares, who reads and writes what
  modelcheck profile specs/classics/paxos.py           where the time goes, and what to change"""

_CHECK = f"""\
Check every reachable state, breadth first: the counterexample shown is a shortest one.

{_TARGETS}

For a folder, all models but the slow ones are run, a table is printed, and the exit code is 0 if
every model gave what its models.toml expects, {Verdict.UNEXPECTED.exit_code} if not. With --model
the exit code says the same of that one. With --set, a limit or --no-deadlock it is no longer the
model of the file: nothing is compared, and the exit code is that of the verdict.

examples
  modelcheck check counter.py
  modelcheck check counter.py --set limit=5 --set "names=('a', 'b')"
  modelcheck check counter.py --max-seconds 60 --json result.json
  modelcheck check counter.py --trace bug.json        the counterexample, to replay or report
  modelcheck check specs/classics --model two_phase_3
  modelcheck check counter.py --json - --quiet | python3 -m json.tool"""

_SIMULATE = f"""\
Take random steps instead of all of them: for specs too big to check. It can find violations, never
their absence, so without one the verdict is INCOMPLETE.

{_TARGETS}

A counterexample is shortened before it is shown; --no-shrink shows it as it was found.

examples
  modelcheck simulate raft.py --runs 10000 --depth 50
  modelcheck simulate raft.py --seed 7                the same runs for the same seed"""

_PROFILE = f"""\
Check, and show how the engine fared: how often each action had to be evaluated in Python against
how often its learned transitions were looked up, which slots have the most values, and what to
change.

{_TARGETS}

examples
  modelcheck profile raft.py --max-seconds 20"""

_SHOW = f"""\
Show what a spec declares with these constants: constants, variables and their slots, properties,
and actions with the variables and slots that they read and write. Nothing is checked.

{_TARGETS}

examples
  modelcheck show specs/classics/two_phase.py
  modelcheck show specs/classics/two_phase.py --set rms=2 --slots"""

COMMANDS = {
    "check": ("check every reachable state", _CHECK),
    "simulate": ("try random behaviours", _SIMULATE),
    "profile": ("check, and show where the time goes", _PROFILE),
    "show": ("show what a spec declares, reads and writes", _SHOW),
    **picture_options.COMMANDS,
    **trace_options.COMMANDS,
    **spark_options.COMMANDS,
}

OUT_OF_MEMORY = """\
INCOMPLETE: memory ran out before there was a result.
Make the constants smaller, or stop in time with --max-states or --max-depth."""

INTERNAL_ERROR = """
This is a fault of modelcheck, not of your spec. Please report it with the lines above, the command,
and the spec if you can share it. Often the plain search still works: --engine oracle"""


def main_epilog() -> str:
    """Targets, examples and exit codes."""
    codes = "\n".join(f"  {v.exit_code:>3}  {v.name:<10}  {v.sentence}" for v in Verdict)
    codes += "\n   70  (internal)  modelcheck itself is at fault"
    return f"{_TARGETS}\n\n{_EXAMPLES}\n\nexit codes\n{codes}"
