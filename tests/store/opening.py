"""Opens stores for tests, and closes them."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime

from workbench.app.ports import Sessions
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.store.store import SqlStore, utc_now


@contextmanager
def sessions_in(
    url: str, owner: Owner = LOCAL_OWNER, *, now: Callable[[], datetime] = utc_now
) -> Iterator[Sessions]:
    """One owner's sessions in the database of that URL."""
    with closing(SqlStore(url, now=now)) as store:
        yield store.of(owner).sessions
