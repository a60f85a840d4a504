"""One Spark context for all tests of the engine: starting it takes longer than most of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark")

from spark.options import Options
from spark.session import spark_context


@pytest.fixture(scope="session")
def context() -> Iterator[Any]:
    with spark_context("tests", Options(master="local[2]")) as made:
        yield made


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests of this engine run only where they are asked for."""
    if not os.environ.get("MODELCHECK_SLOW"):
        for item in items:
            if "tests/spark/" in item.nodeid and item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow: set MODELCHECK_SLOW=1"))
