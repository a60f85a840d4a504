"""Targets become classes, settings become constants, and every mistake has its own message."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pyrsistent import pmap

from modelcheck import Spec, const, var
from modelcheck.errors import ConfigError, SpecLoadError
from modelcheck.loading import freeze, load, parse_settings, split_target

pytestmark = pytest.mark.usefixtures("own_folder")

COUNTER = """
from modelcheck import Spec, action, var

class Counter(Spec):
    count = var(0)

    @action
    def tick(self, s, n):
        n.count = 1 - s.count
"""


def write(path: str, text: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
    return path


def message(target: str) -> str:
    with pytest.raises(SpecLoadError) as caught:
        load(target)
    return str(caught.value)


# --- what can be loaded ------------------------------------------------------------------------


def test_a_file_with_one_spec() -> None:
    assert load(write("counter.py", COUNTER)).__name__ == "Counter"


def test_the_module_is_named_after_the_file() -> None:
    assert load(write("counter.py", COUNTER)).__module__ == "counter"


def test_a_name_that_is_taken_by_the_standard_library_is_no_obstacle() -> None:
    cls = load(write("queue.py", COUNTER))
    assert cls.__name__ == "Counter"
    assert cls.__module__.startswith("queue_")


def test_a_file_whose_name_is_no_identifier() -> None:
    assert load(write("my-counter.py", COUNTER)).__name__ == "Counter"


def test_the_same_file_gives_the_same_class() -> None:
    target = write("counter.py", COUNTER)
    assert load(target) is load(target)


def test_a_class_by_name() -> None:
    target = write("two.py", COUNTER + "class Other(Counter): ...\n")
    assert load(f"{target}:Other").__name__ == "Other"


def test_a_module_by_dotted_name() -> None:
    write("mypackage/__init__.py", "")
    write("mypackage/counter.py", COUNTER)
    assert load("mypackage.counter:Counter").__module__ == "mypackage.counter"


def test_a_file_in_a_package_keeps_its_dotted_name_and_relative_imports() -> None:
    write("mypackage/__init__.py", "")
    write("mypackage/base.py", COUNTER)
    target = write("mypackage/fixed.py", "from .base import Counter\nclass Fixed(Counter): ...\n")
    assert load(target).__module__ == "mypackage.fixed"


def test_siblings_and_the_project_root_can_be_imported() -> None:
    write("pyproject.toml", "")
    write("shared_things/__init__.py", "LIMIT = 3\n")
    write("study/neighbour.py", "STEP = 1\n")
    target = write(
        "study/counter.py",
        "from neighbour import STEP\nfrom shared_things import LIMIT\n" + COUNTER,
    )
    assert load(target).__name__ == "Counter"


def test_a_project_may_have_its_own_specs_package(monkeypatch: pytest.MonkeyPatch) -> None:
    write("specs/__init__.py", "")
    write("specs/counter.py", COUNTER)
    target = write(
        "specs/fixed.py", "from specs.counter import Counter\nclass Fixed(Counter): ...\n"
    )
    # As where modelcheck is installed: its own packages come last, and `specs` is not imported yet.
    root = str(Path(__file__).parents[2])
    sys.path[:] = [entry for entry in sys.path if entry != root] + [root]
    for name in [name for name in sys.modules if name.partition(".")[0] == "specs"]:
        monkeypatch.delitem(sys.modules, name)
    assert load(target).__name__ == "Fixed"


def test_abstract_and_imported_classes_do_not_count() -> None:
    write("base_of_all.py", COUNTER)
    target = write(
        "family.py",
        "from base_of_all import Counter\n"
        "class Base(Counter):\n    abstract = True\n"
        "class Concrete(Base): ...\n",
    )
    assert load(target).__name__ == "Concrete"


def test_an_imported_class_can_be_picked_by_name() -> None:
    write("base_of_all.py", COUNTER)
    target = write("again.py", "from base_of_all import Counter\n")
    assert load(f"{target}:Counter").__name__ == "Counter"
    assert "modelcheck check again.py:Counter" in message(target)


# --- what cannot -------------------------------------------------------------------------------


def test_an_unknown_file_suggests_near_ones() -> None:
    write("deep/counter.py", COUNTER)
    assert "deep/counter.py" in message("deep/countr.py")
    assert "deep/counter.py" in message("counter.py")


def test_an_unknown_file_with_nothing_near_lists_the_forms_of_a_target() -> None:
    assert "package.module:Class" in message("zzz.py")


def test_a_syntax_error_has_its_place() -> None:
    text = message(write("broken.py", "class Counter(Spec:\n    pass\n"))
    assert "broken.py cannot be read as Python" in text
    assert 'broken.py", line 1' in text
    assert "^" in text


def test_a_file_that_is_no_text_at_all() -> None:
    Path("binary.py").write_bytes(b"\x00\xff\x00")
    assert "binary.py" in message("binary.py")


def test_an_import_error_shows_only_the_users_frames() -> None:
    text = message(write("failing.py", "def limit():\n    return 1 // 0\n\nLIMIT = limit()\n"))
    assert "ZeroDivisionError" in text
    assert "return 1 // 0" in text
    assert "modelcheck" not in text.partition("Traceback")[2]
    assert "importlib" not in text


def test_a_missing_dependency_is_named_with_the_usual_cause() -> None:
    text = message(write("needy.py", "import no_such_package_anywhere\n"))
    assert "'no_such_package_anywhere'" in text
    assert "not installed" in text


def test_a_missing_module_is_not_mistaken_for_a_missing_dependency() -> None:
    text = message("no_such_module.at_all:Counter")
    assert "there is no module 'no_such_module.at_all'" in text


def test_a_package_that_lacks_the_module_is_told_apart_too() -> None:
    write("study/__init__.py", "")
    assert "Python finds no 'study.countr'" in message("study.countr:Counter")


def test_a_script_that_exits_while_it_is_imported() -> None:
    assert "__main__" in message(write("script.py", "import sys\nsys.exit(3)\n"))


def test_no_spec_in_the_file() -> None:
    assert "defines no spec" in message(write("empty.py", "x = 1\n"))


def test_several_specs_are_listed_as_commands() -> None:
    text = message(write("two.py", COUNTER + "class Other(Counter): ...\n"))
    assert "modelcheck check two.py:Counter" in text
    assert "modelcheck check two.py:Other" in text


def test_a_misspelt_class_is_suggested() -> None:
    assert "did you mean 'Counter'" in message(write("counter.py", COUNTER) + ":Countr")


def test_a_class_that_is_no_spec() -> None:
    target = write("counter.py", COUNTER + "class Plain: ...\n")
    assert "'Plain' in counter.py is no spec" in message(f"{target}:Plain")


def test_a_folder_without_models_lists_its_files() -> None:
    write("study/counter.py", COUNTER)
    assert "modelcheck check study/counter.py" in message("study")


def test_another_kind_of_file() -> None:
    assert "not a Python file" in message(write("counter.tla", "---- MODULE counter ----"))


@pytest.mark.parametrize("target", ["counter.py:", ":Counter", "a b", "counter.py:not-a-name"])
def test_what_is_no_target(target: str) -> None:
    assert "A target is one of" in message(target)


def test_a_neighbour_hidden_by_the_standard_library_is_refused() -> None:
    write("queue.py", "SIZE = 3\n")
    text = message(write("counter.py", "from queue import SIZE\n" + COUNTER))
    assert "line 1 imports 'queue'" in text
    assert "Rename" in text


def test_a_failed_import_leaves_no_half_made_module() -> None:
    target = write("later.py", "raise RuntimeError('first')\n")
    message(target)
    write("later.py", COUNTER)
    assert load(target).__name__ == "Counter"


# --- settings ----------------------------------------------------------------------------------


class Worded(Spec):
    """Constants of each kind."""

    era = const("3.4")
    fixes = const(())
    names = const(frozenset({"a"}))
    size = const(1)
    count = var(0)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("era=3.8", "3.8"), ("era=3.4.11", "3.4.11"), ("era='3.8'", "3.8"), ("era=(1, 2)", "(1, 2)"),
        ("era=two words", "two words"), ("fixes=cut", ("cut",)), ("fixes=cut-on-snap,exact", ("cut-on-snap", "exact")),
        ("fixes=('cut',)", ("cut",)), ("names=b,c", frozenset({"b", "c"})), ("size=3", 3), ("other=3", 3),
    ],
)  # fmt: skip
def test_a_class_says_which_constants_are_texts_and_collections(setting: str, value: object) -> None:
    assert list(parse_settings([setting], Worded).values()) == [value]


def test_words_for_a_collection_are_words() -> None:
    with pytest.raises(ConfigError, match="neither a Python literal nor a bare word"):
        parse_settings(["fixes=cut,,exact"], Worded)


def test_settings_are_literals_or_bare_words() -> None:
    given = ["rms=8", "servers=('a','b')", "fix=none", "mode=diff-trunc", "on=True", "word='8'"]
    assert parse_settings(given) == {
        "rms": 8,
        "servers": ("a", "b"),
        "fix": "none",
        "mode": "diff-trunc",
        "on": True,
        "word": "8",
    }


def test_a_value_may_hold_an_equals_sign() -> None:
    assert parse_settings(["rule='a=b'"]) == {"rule": "a=b"}


@pytest.mark.parametrize("setting", ["rms", "=8", "8=rms", "rms=", "rms=[1,", "rms=f(2)", "a b=1"])
def test_what_is_no_setting(setting: str) -> None:
    with pytest.raises(ConfigError):
        parse_settings([setting])


def test_a_constant_cannot_be_set_twice() -> None:
    with pytest.raises(ConfigError, match="twice"):
        parse_settings(["rms=1", "rms=2"])


def test_collections_are_frozen() -> None:
    assert freeze([1, {"a": [2]}, {3}]) == (1, pmap({"a": (2,)}), frozenset({3}))


def test_split_target() -> None:
    assert split_target("a/b.py:C") == ("a/b.py", "C")
    assert split_target("a/b.py") == ("a/b.py", None)
