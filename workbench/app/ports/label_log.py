"""The port of the log of finished labels."""

from collections.abc import Sequence
from typing import Protocol

from workbench.records.labels.label import Label


class LabelLog(Protocol):
    """Where labels go once their session is done; lines are added and never changed."""

    def write(self, labels: Sequence[Label]) -> None:
        """Adds them; what goes wrong is told in the program's log and stops nobody."""
        ...
