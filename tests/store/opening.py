"""Open stores for tests, and close them."""

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
    """Open one owner's sessions in a database."""
    with closing(Store(url, now=now)) as store:
        yield store.of(owner).sessions
