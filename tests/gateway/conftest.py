"""What tests of recording share."""

from collections.abc import Iterator

import pytest

from workbench.app.recording import Recorder


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """A recorder with a tag."""
    opened = Recorder("agent")
    yield opened
    opened.close()
