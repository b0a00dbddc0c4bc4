"""Starting the page's server on a machine that is busy."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

from workbench.errors import BadInput

ATTEMPTS: Final = 3
"""How often the page is started before it is given up."""
PAUSE_S: Final = 2.0
"""After the first attempt; twice as long after the second."""
_UNREACHABLE: Final = ("localhost is not accessible", "Cannot find empty port", "Couldn't start the app")
"""What Gradio says if its own server does not answer it in time. *Source:* gradio 6.31, blocks.py, `launch`."""
_T = TypeVar("_T")


def start_page(
    launch: Callable[[], _T],
    close: Callable[[], object],
    address: str,
    *,
    wait: Callable[[float], None] = time.sleep,
) -> _T:
    """Launch the page, again if its own check of itself failed.

    Once it listens, Gradio asks its own server a few times whether it answers, and raises ValueError if it does not:
    under load an answer may take longer, and a proxy that is set for all addresses answers in its place.

    Args:
        launch: Starts the server and gives what `Blocks.launch` gives.
        close: Ends what an attempt has begun, so that the next one finds the port free.
        address: Of the page, for the error: host and port.
        wait: Sleeps for so many seconds.

    Returns:
        What `launch` gave.

    Raises:
        BadInput: The page was started several times and never answered.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return launch()
        except Exception as error:
            if not any(words in str(error) for words in _UNREACHABLE):
                raise
            close()
            if attempt == ATTEMPTS:
                raise BadInput(
                    f"the page at {address}",
                    f"it was started {ATTEMPTS} times and did not answer",
                    "try again when the machine is less busy; if HTTP_PROXY is set, add the host to NO_PROXY",
                ) from error
            wait(PAUSE_S * attempt)
    raise AssertionError("unreachable: the last attempt returns or raises")
