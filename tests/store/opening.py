"""Opens stores for tests, and closes them."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime

from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.store.sessions import SessionStore
from workbench.store.store import Store, utc_now


@contextmanager
def sessions_in(
    url: str, owner: Owner = LOCAL_OWNER, *, now: Callable[[], datetime] = utc_now
) -> Iterator[SessionStore]:
    """One owner's sessions in the database of that URL."""
    with closing(Store(url, now=now)) as store:
        yield store.of(owner).sessions
