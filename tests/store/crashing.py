"""Kill a writing process at a random moment, and check that everything it had stored is still there.

Each writer is an entry of `WRITERS`: how it writes items, and how to find them again.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from threading import Lock, Thread
from typing import NamedTuple

from tests.served import PROCESSES
from tests.store.examples import SETUP, completion, tool_result, user
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import OwnedStore, Store

MAX_ACKNOWLEDGED = 60
"""A process is killed after it has acknowledged a random number of items, up to this many."""
PATIENCE_S = 60


class StoredItem(NamedTuple):
    """An item that the store has acknowledged."""

    writer: int
    """Index in `WRITERS`."""
    session_id: str
    id: str
    content: object
    """The content that must be found under the id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Writes items until it is killed."""

    write_items: Callable[[OwnedStore], Iterator[tuple[str, str, object]]]
    """Yields session, id and content of each item after the store has acknowledged it."""
    find: Callable[[OwnedStore, str], dict[str, object]]
    """Returns all items of a session: their content by id."""


def _write_messages(store: OwnedStore) -> Iterator[tuple[str, str, object]]:
    for serial in range(1_000_000):
        session = store.sessions.create_session(SETUP)
        parent_id = None
        for new in (
            user(f"question {serial}"),
            completion(f"<tool_call>{serial}", prompt_text=f"prompt {serial}" * 300),
            tool_result(f"result {serial}"),
            completion(f"answer {serial}", prompt_text="the same prompt"),
        ):
            item = store.sessions.append(session.id, new, parent_id=parent_id)
            parent_id = item.id
            yield session.id, item.id, new.message.text


def _find_messages(store: OwnedStore, session_id: str) -> dict[str, object]:
    return {item.id: item.message.text for item in store.sessions.path(session_id)}


def _write_labels(store: OwnedStore) -> Iterator[tuple[str, str, object]]:
    session = store.sessions.create_session(SETUP)
    parent_id = None
    for serial in range(1_000_000):
        parent_id = store.sessions.append(session.id, completion(f"said {serial}"), parent_id=parent_id).id
        content = LabelContent(
            verdict=Verdict.BAD_ANSWER, tags=(f"tag {serial}",), correction=f"right {serial}"
        )
        label = store.labels.save(
            NewLabel(target=LabelTarget(session_id=session.id, message_id=parent_id), content=content)
        )
        yield session.id, label.id, label.content


def _find_labels(store: OwnedStore, session_id: str) -> dict[str, object]:
    return {
        label.id: label.content for label in store.labels.list_labels(session_id=session_id, limit=10_000)
    }


WRITERS: Sequence[Writer] = (
    Writer(write_items=_write_messages, find=_find_messages),
    Writer(write_items=_write_messages, find=_find_messages),
    Writer(write_items=_write_labels, find=_find_labels),
)
"""All of them write at the same time, each in its own thread."""


def crash_once(url: str) -> list[StoredItem]:
    """Start all writers in a process, kill it at a random moment, and return the acknowledged items."""
    ours, theirs = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=_write_until_killed, args=(url, theirs), daemon=True)
    process.start()
    theirs.close()
    acknowledged: list[StoredItem] = []
    with closing(ours):
        count = random.randint(1, MAX_ACKNOWLEDGED)
        while len(acknowledged) < count:
            assert ours.poll(PATIENCE_S), "the writers stopped writing"
            acknowledged.append(ours.recv())
        # Wait a little, so that the process is killed at any point of the next transaction.
        ours.poll(random.uniform(0, 0.004))
        process.kill()
        process.join()
        # The last item may be incomplete. Then it was not acknowledged.
        with suppress(EOFError, OSError):
            while True:
                acknowledged.append(ours.recv())
    process.close()
    return acknowledged


def missing(store: OwnedStore, acknowledged: Sequence[StoredItem]) -> list[StoredItem]:
    """Return the acknowledged items that are missing or changed."""
    found: dict[tuple[int, str], dict[str, object]] = {}
    for item in acknowledged:
        place = (item.writer, item.session_id)
        if place not in found:
            found[place] = WRITERS[item.writer].find(store, item.session_id)
    return [item for item in acknowledged if found[item.writer, item.session_id].get(item.id) != item.content]


def _write_until_killed(url: str, pipe: Connection) -> None:
    lock = Lock()
    store = Store(url)

    def write(number: int) -> None:
        for session_id, id_, content in WRITERS[number].write_items(store.of(LOCAL_OWNER)):
            with lock:
                pipe.send(StoredItem(number, session_id, id_, content))

    threads = [Thread(target=write, args=(number,)) for number in range(len(WRITERS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def crash_and_check(url: str, check_file: Callable[[], None], *, times: int) -> int:
    """Kill writers repeatedly on one database, and check after each kill that everything is there.

    Args:
        check_file: Raises if the database is damaged.
        times: How often to kill the writers.

    Returns:
        The number of acknowledged items.
    """
    all_acknowledged: list[StoredItem] = []
    for _ in range(times):
        acknowledged = crash_once(url)
        check_file()
        with closing(Store(url)) as store:
            assert missing(store.of(LOCAL_OWNER), acknowledged) == []
        all_acknowledged += acknowledged
    with closing(Store(url)) as store:
        assert missing(store.of(LOCAL_OWNER), all_acknowledged) == []
    return len(all_acknowledged)
