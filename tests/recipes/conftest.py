"""Copies for the recipes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.recipes.checkout_copy import CheckoutCopy


@pytest.fixture
def copy_for(tmp_path: Path) -> Callable[[str], CheckoutCopy]:
    """Make a copy of the checkout for the recipe of that heading."""
    return lambda recipe: CheckoutCopy(tmp_path, recipe)
