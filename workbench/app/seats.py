"""Who has turns under way: nobody fills the place of all."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

from workbench.app.limits import Limits
from workbench.app.line import Share


class Seats:
    """Counts what is under way or waiting, by share."""

    def __init__(self) -> None:
        self._taken: Counter[Share] = Counter()
        self._lock = Lock()

    @contextmanager
    def taken(self, share: Share, limits: Limits) -> Generator[None]:
        """One more is under way, as long as the context lasts.

        Args:
            share: Of whoever asks; its first level is an address where it has two.
            limits: Of the deployment.

        Raises:
            BadInput: They, or all of their address, have as much under way as may be.
        """
        address = share[:-1]
        with self._lock:
            of_address = self._taken[address] if address else 0
            limits.check_seat(self._taken[share], of_address)
            self._taken.update({share, address})
        try:
            yield
        finally:
            with self._lock:
                self._taken.subtract({share, address})
                self._taken += Counter()

    def count(self, share: Share) -> int:
        """How much of that share is under way."""
        with self._lock:
            return self._taken[share]
