"""What tests of several folders share."""

import asyncio
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.properties import SOAK

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# `make soak` loads it.
settings.register_profile(SOAK, max_examples=1000, deadline=None)


@pytest.fixture(scope="session")
def pages_without_loops() -> Iterator[None]:
    """Lets pages be built outside of a server.

    For each lock of such a page Gradio makes an event loop, and leaves it open: a ResourceWarning in some later test.
    *Source:* gradio 6.31, utils.py, `safe_get_lock`.
    """
    from gradio import queueing, utils

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queueing, "safe_get_lock", asyncio.Lock)
        patch.setattr(utils, "safe_get_lock", asyncio.Lock)
        patch.setattr(utils, "safe_get_stop_event", asyncio.Event)
        yield


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
