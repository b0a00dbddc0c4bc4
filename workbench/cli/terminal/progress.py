"""How far a long job is, where a person waits for it."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

_EVERY_S: Final = 0.5
_Item = TypeVar("_Item")


def with_progress(items: Iterable[_Item], what: str) -> Iterator[_Item]:
    """The items, counted on standard error while they come, if that is a terminal.

    Args:
        items: What is worked through.
        what: Their name, in the plural.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    shown = time.monotonic()
    count = 0
    for count, item in enumerate(items, start=1):
        yield item
        if time.monotonic() - shown > _EVERY_S:
            shown = time.monotonic()
            print(f"\r{count:,} {what}", end="", file=sys.stderr, flush=True)
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)
