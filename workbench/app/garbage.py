"""How a server searches for garbage: objects in circles of references, which Python does not free at once."""

import gc
from typing import Final

_OBJECTS_PER_SEARCH: Final = 5_000
"""How many new objects there are between two searches. A request of the page leaves about 400 in circles. With the
50,000 of a command that starts, 10 MB of garbage would pile up, and the objects that stay would lie between it."""


def settle() -> None:
    """Prepare to serve: later searches skip everything there is now, which stays, and look at new objects often.

    A search stops all threads. Those among new objects take less than a millisecond.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS_PER_SEARCH)
