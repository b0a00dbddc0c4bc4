"""The machine's own clock and date."""

import time
from datetime import UTC, datetime


class SystemCalendar:
    """What the operating system says."""

    def seconds(self) -> float:
        """A reading that only goes forward."""
        return time.perf_counter()

    def now(self) -> datetime:
        """The moment, UTC."""
        return datetime.now(UTC)
