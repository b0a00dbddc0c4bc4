"""Stores to test with; all are closed at the end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.opening import sessions_in
from workbench.desk.ports import Sessions


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the database of this test is."""
    return tmp_path / "workbench.sqlite3"


@pytest.fixture
def url(file: Path) -> str:
    """The same as a URL."""
    return f"sqlite:///{file}"


@pytest.fixture
def store(url: str) -> Iterator[Sessions]:
    """An empty store in a file."""
    with sessions_in(url) as opened:
        yield opened
