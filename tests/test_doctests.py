"""Examples in docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import workbench

FLOORS = ("chat", "toolspec", "hermes", "contract", "trajectory", "rollout", "engines")
MODULES = [
    info.name
    for floor in FLOORS
    for info in pkgutil.walk_packages(
        importlib.import_module(f"{workbench.__name__}.{floor}").__path__, f"workbench.{floor}."
    )
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
