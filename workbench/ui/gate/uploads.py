"""How much strangers may upload: each file stays on the disk for a day."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from workbench.ui.gate.bodies import BodyTooLarge

UPLOADS_AN_HOUR: Final = 10
"""Uploads of the largest size that one address may send in an hour."""
_HOUR_S: Final = 3600.0
_MOST_ADDRESSES: Final = 10_000


@dataclass(slots=True)
class _Sent:
    begun_s: float
    size_bytes: int = 0


class UploadQuota:
    """Counts the bytes that each address has uploaded since its hour began.

    Args:
        most_bytes: Of one address in an hour.
        clock: Seconds that only go up.
    """

    def __init__(self, most_bytes: int, clock: Callable[[], float]) -> None:
        self._most_bytes = most_bytes
        self._clock = clock
        self._sent: OrderedDict[str, _Sent] = OrderedDict()

    def left_bytes(self, address: str) -> int:
        """What an address may still send now."""
        return max(0, self._most_bytes - self._of(address).size_bytes)

    def count(self, address: str, size_bytes: int) -> None:
        """Note what has arrived, whether the upload is completed or not.

        Raises:
            BodyTooLarge: It is more than was left.
        """
        sent = self._of(address)
        sent.size_bytes += size_bytes
        if sent.size_bytes > self._most_bytes:
            raise BodyTooLarge

    def _of(self, address: str) -> _Sent:
        now_s = self._clock()
        sent = self._sent.get(address)
        if sent is None or now_s - sent.begun_s > _HOUR_S:
            sent = self._sent[address] = _Sent(now_s)
            self._sent.move_to_end(address)
            while len(self._sent) > _MOST_ADDRESSES:
                self._sent.popitem(last=False)
        return sent
