"""A start on a busy machine is tried again, and explained if it does not work."""

import pytest

from workbench.errors import BadInput
from workbench.ui.serve import ATTEMPTS, start_page

BUSY = "When localhost is not accessible, a shareable link must be created. Please set share=True."


class Launch:
    """Fails so many times, then works."""

    def __init__(self, failures: int, error: Exception | None = None) -> None:
        self.failures = failures
        self.error = error or ValueError(BUSY)
        self.did: list[str] = []

    def __call__(self) -> str:
        self.did.append("launch")
        if self.failures:
            self.failures -= 1
            raise self.error
        return "launched"

    def close(self) -> None:
        self.did.append("close")

    def wait(self, seconds: float) -> None:
        self.did.append(f"wait {seconds:g}")

    def start(self) -> str:
        return start_page(self, self.close, "127.0.0.1:7860", wait=self.wait)


def test_a_start_that_works_is_one_launch() -> None:
    launch = Launch(0)
    assert launch.start() == "launched"
    assert launch.did == ["launch"]


@pytest.mark.parametrize("failures", range(1, ATTEMPTS))
def test_a_failed_check_of_itself_is_tried_again_on_a_free_port(failures: int) -> None:
    launch = Launch(failures)
    assert launch.start() == "launched"
    assert (
        launch.did == ["launch", "close", "wait 2", "launch", "close", "wait 4", "launch"][: 3 * failures + 1]
    )


def test_a_page_that_never_answers_is_explained() -> None:
    launch = Launch(100)
    with pytest.raises(BadInput, match=r"the page at 127\.0\.0\.1:7860: it was started 3 times.*NO_PROXY"):
        launch.start()
    assert launch.did.count("launch") == ATTEMPTS
    assert launch.did[-1] == "close"


@pytest.mark.parametrize("error", [ValueError("something else"), OSError("port taken"), KeyError("x")])
def test_any_other_error_is_raised_as_it_is(error: Exception) -> None:
    launch = Launch(1, error)
    with pytest.raises(type(error)):
        launch.start()
    assert launch.did == ["launch"]
