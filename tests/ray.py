"""Marks of the tests that start Ray."""

from importlib.util import find_spec

import pytest

REASON = "Ray is not installed: pip install '.[scale]'"


def on_ray(test):
    """Mark a test that starts Ray, and skip it where Ray is not installed. It takes 10 seconds to start."""
    for mark in (
        pytest.mark.skipif(find_spec("ray") is None, reason=REASON),
        pytest.mark.scale,
        pytest.mark.slow,
        # Ray and what it imports warn of their own deprecations.
        pytest.mark.filterwarnings("default"),
    ):
        test = mark(test)
    return test
