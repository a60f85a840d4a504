"""One Spark context for all tests of the engine: starting it takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark")

from modelcheck import Spec, var  # noqa: E402
from modelcheck.declare import action  # noqa: E402
from spark.options import Options  # noqa: E402
from spark.recipe import recipe_for  # noqa: E402
from spark.session import spark_context  # noqa: E402


class Nothing(Spec):
    """A spec for a context that is made before any other."""

    count = var(0)

    @action
    def stay(self, s, n):  # type: ignore[no-untyped-def]
        n.count = 0


@pytest.fixture(scope="session")
def context() -> Iterator[Any]:
    recipe = recipe_for(Nothing(), deadlock=True)
    with spark_context("tests", Options(master="local[2]"), recipe) as made:
        yield made
