"""Open stores for tests, and close them."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from typing import Final

from sqlalchemy import text

from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.store.sessions.sessions import SessionStore
from workbench.store.store import Store, utc_now

ELSEWHERE: Final = "elsewhere 1 1700000000.00"
"""A process on another machine, which nobody here can check."""


def change(store: Store, statement: str) -> None:
    """Change stored rows with SQL."""
    with store._database.writing() as db:
        db.connection().execute(text(statement))


def url_of(store: Store) -> str:
    """The URL of a store's database, with its password."""
    return store._database._engine.url.render_as_string(hide_password=False)


@contextmanager
def sessions_in(
    url: str, owner: Owner = LOCAL_OWNER, *, now: Callable[[], datetime] = utc_now
) -> Iterator[SessionStore]:
    """Open one owner's sessions in a database."""
    with closing(Store(url, now=now)) as store:
        yield store.of(owner).sessions
