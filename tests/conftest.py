"""What tests of several folders share."""

import shutil
from collections.abc import Iterator
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
