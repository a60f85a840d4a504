"""Fixtures of the unit tests."""

from __future__ import annotations

import pytest

from tests.speeds import Speed


@pytest.fixture(params=["interpreted", "compiled"])
def speed(request: pytest.FixtureRequest) -> Speed:
    return Speed(request.param)
