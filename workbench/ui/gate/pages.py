"""Which browser each open page belongs to, and how many are kept.

Gradio knows a tab by the `session_hash` that the tab invents, and shows its events to anyone who names it. Here the
first who uses one owns it. A call of the API is known by its event's id in the same way.
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

PAGE_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What a tab's or a call's id looks like: Gradio's own have 10 to 36 characters."""


class ForeignPage(Exception):
    """Another browser owns the page."""


class TooManyPages(Exception):
    """As many pages as may be are open, each with a stream that somebody listens to, and nobody has too many."""


@dataclass(slots=True)
class _OpenPage:
    owner: str
    streams: int = field(default=0)


class OpenPages:
    """Pages by id, the least recently used first.

    Args:
        capacity: How many are kept.
        forget: Is called with the id of a page that is dropped, to free what Gradio keeps for it.
    """

    def __init__(self, capacity: int, forget: Callable[[str], None]) -> None:
        self._capacity = capacity
        self._forget = forget
        self._pages: OrderedDict[str, _OpenPage] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, page_id: str) -> bool:
        return page_id in self._pages

    def use(self, page_id: str, owner: str) -> None:
        """Note that `owner` uses a page, which is theirs from the first time on.

        Raises:
            ForeignPage: It is another's.
            TooManyPages: It is new, and none of the others can be dropped.
        """
        page = self._pages.get(page_id)
        if page is None:
            self._make_room()
            self._pages[page_id] = page = _OpenPage(owner)
        if page.owner != owner:
            raise ForeignPage
        self._pages.move_to_end(page_id)

    @contextmanager
    def listening(self, page_id: str) -> Generator[None]:
        """Keep a page for as long as a stream of it is open."""
        page = self._pages.get(page_id)
        if page is None:
            yield
            return
        # It may be dropped while somebody listens, if its owner has very many.
        page.streams += 1
        try:
            yield
        finally:
            page.streams -= 1

    def _make_room(self) -> None:
        while len(self._pages) >= self._capacity:
            # A page that is on somebody's screen always has a stream open.
            idle = (page_id for page_id, page in self._pages.items() if not page.streams)
            dropped = next(idle, None) or self._one_of_a_crowd()
            del self._pages[dropped]
            self._forget(dropped)

    def _one_of_a_crowd(self) -> str:
        """The oldest page of whoever has the most, if that is more than a tenth of all."""
        owner, count = Counter(page.owner for page in self._pages.values()).most_common(1)[0]
        if count <= self._capacity // 10:
            raise TooManyPages
        return next(page_id for page_id, page in self._pages.items() if page.owner == owner)
