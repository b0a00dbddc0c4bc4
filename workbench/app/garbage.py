"""How the program searches for garbage: objects in circles of references, which Python does not free at once."""

import gc
from typing import Final

_OF_COMMAND: Final = 50_000
"""How many new objects there are between two searches of a command."""
_OF_SERVER: Final = 5_000
"""The same for a server. A request of the page leaves about 400 in circles. With as many as in a command, 10 MB of
garbage would pile up, and the objects that stay would lie between it."""


def start() -> None:
    """Prepare to run a command.

    Importing creates many objects that all stay. With Python's default of 700, looking for garbage among them again and
    again takes a sixth of the time in which a command starts, and 6 % of a check of rows with their own tools.
    """
    gc.set_threshold(_OF_COMMAND)


def settle() -> None:
    """Prepare to serve: later searches skip everything there is now, which stays, and look at new objects often.

    A search stops all threads. Those among new objects take less than a millisecond.
    """
    gc.freeze()
    gc.set_threshold(_OF_SERVER)
