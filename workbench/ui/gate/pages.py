"""Track which browser owns each open page, and limit the number of open pages.

Gradio identifies a tab by the `session_hash` that the tab makes up, and shows its events to anyone who sends it. Here
the first user of a `session_hash` owns it. An API call is identified by its event id in the same way.
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

PAGE_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The pattern of a tab's or call's id. Gradio's own ids have 10 to 36 characters."""


class ForeignPage(Exception):
    """Another browser owns the page."""


class TooManyPages(Exception):
    """The maximum number of pages is open, all of them in use, and no owner has too many."""


@dataclass(slots=True)
class _OpenPage:
    owner: str
    streams: int = field(default=0)


class OpenPages:
    """Open pages by id, least recently used first.

    Args:
        capacity: The most open pages.
        forget: Called with the id of a page that is dropped, to free what Gradio stores for it.
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
        """Record that `owner` uses a page. The first user of a page owns it.

        Raises:
            ForeignPage: Another owner uses the page.
            TooManyPages: The page is new, and no other page can be dropped.
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
        """Keep a page as long as one of its streams is open."""
        page = self._pages.get(page_id)
        if page is None:
            yield
            return
        # A page can still be dropped while a stream is open, if its owner has very many pages.
        page.streams += 1
        try:
            yield
        finally:
            page.streams -= 1

    def end(self, page_id: str) -> None:
        """Drop the page of a call after its stream, unless another stream still sends its answer."""
        page = self._pages.get(page_id)
        if page is not None and not page.streams:
            del self._pages[page_id]
            self._forget(page_id)

    def _make_room(self) -> None:
        while len(self._pages) >= self._capacity:
            # A page on somebody's screen always has an open stream.
            idle = (page_id for page_id, page in self._pages.items() if not page.streams)
            dropped = next(idle, None) or self._one_of_a_crowd()
            del self._pages[dropped]
            self._forget(dropped)

    def _one_of_a_crowd(self) -> str:
        """Return the oldest page of the owner with the most pages, if they have more than a tenth of all."""
        owner, count = Counter(page.owner for page in self._pages.values()).most_common(1)[0]
        if count <= self._capacity // 10:
            raise TooManyPages
        return next(page_id for page_id, page in self._pages.items() if page.owner == owner)
