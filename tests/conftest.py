"""What tests of several folders share."""

import gc
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.properties import SOAK

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.postgres import Server

# `make soak` loads it.
settings.register_profile(SOAK, max_examples=1000, deadline=None)
# No test asserts a time: a busy machine takes longer than Hypothesis' 200 ms for the first example.
settings.register_profile("untimed", deadline=None)
if settings.get_current_profile_name() == "default":
    settings.load_profile("untimed")


# Collecting makes over two million objects that all stay. Python would look for garbage among them again and again,
# which takes half of the time of collecting, and two seconds each later time.
gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage from now on, but not among what was collected."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run browser tests last, since the driver leaves a running event loop in the main thread.

    Of these, files that take long come first, so that workers end at about the same time: those whose tests have a
    longer timeout, then those with many tests.
    """
    weights = Counter[Path]()
    for item in items:
        if item.get_closest_marker("browser"):
            weights[item.path] += 100 if item.get_closest_marker("timeout") else 1
    items.sort(
        key=lambda item: (item.path in weights, -weights[item.path], str(item.path) * (item.path in weights))
    )


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """The one browser of a run: its driver can be started once in a thread."""
    from playwright.sync_api import sync_playwright

    from tests.e2e.conftest import CHROMIUM, FLAGS

    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.skip(
            f"no browser: none of {', '.join(CHROMIUM)} is on the PATH (Debian: apt-get install chromium)"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """The address of one cluster of Ray for all tests."""
    from tests.ray import running_cluster

    with running_cluster() as address:
        yield address


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Server]":
    """One PostgreSQL server for all tests."""
    from tests.postgres import TEMPLATE, NoPostgres, running_server
    from workbench.store.store import Store

    try:
        with running_server() as server:
            server.run(f"CREATE DATABASE {TEMPLATE}")
            Store(server.url(TEMPLATE)).close()
            yield server
    except NoPostgres as error:
        pytest.skip(str(error))
