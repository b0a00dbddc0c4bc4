"""Writers in a process that is killed at any moment, and what they were told is kept.

A writer is one row of `WRITERS`: what it keeps, and how to look whether it is there.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Lock, Thread
from typing import NamedTuple

from tests.store.examples import SETUP, completion, tool_result, user
from workbench.records.labels.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import OwnedStore, Store

MOST_KEPT = 60
"""A process is killed once it has told of a random number of things up to this."""
PATIENCE_S = 60


class Kept(NamedTuple):
    """One thing that the store said it had kept."""

    writer: int
    """Row of `WRITERS`."""
    session_id: str
    id: str
    content: object
    """What must be found under the id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Something that goes on writing until it is killed."""

    keep: Callable[[OwnedStore], Iterator[tuple[str, str, object]]]
    """Session, id and content of each thing, once the store has said that it is kept."""
    find: Callable[[OwnedStore, str], dict[str, object]]
    """All such things of a session: content by id."""


def _keep_messages(store: OwnedStore) -> Iterator[tuple[str, str, object]]:
    for serial in range(1_000_000):
        session = store.sessions.create_session(SETUP)
        parent_id = None
        for new in (
            user(f"question {serial}"),
            completion(f"<tool_call>{serial}", prompt_text=f"prompt {serial}" * 300),
            tool_result(f"result {serial}"),
            completion(f"answer {serial}", prompt_text="the same prompt"),
        ):
            kept = store.sessions.append(session.id, new, parent_id=parent_id)
            parent_id = kept.id
            yield session.id, kept.id, new.message.text


def _find_messages(store: OwnedStore, session_id: str) -> dict[str, object]:
    return {kept.id: kept.message.text for kept in store.sessions.path(session_id)}


def _keep_labels(store: OwnedStore) -> Iterator[tuple[str, str, object]]:
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
    Writer(keep=_keep_messages, find=_find_messages),
    Writer(keep=_keep_messages, find=_find_messages),
    Writer(keep=_keep_labels, find=_find_labels),
)
"""All write at once, each in a thread of its own."""


def crash_once(url: str) -> list[Kept]:
    """Starts all writers in a process, kills it at a random moment; gives what was told by then."""
    context = get_context("forkserver")
    # Forked from one that has imported all: a start takes milliseconds.
    context.set_forkserver_preload([__name__])
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_write_on, args=(url, theirs), daemon=True)
    process.start()
    theirs.close()
    told: list[Kept] = []
    with closing(ours):
        wanted = random.randint(1, MOST_KEPT)
        while len(told) < wanted:
            assert ours.poll(PATIENCE_S), "the writers stopped writing"
            told.append(ours.recv())
        # Not just behind a commit: anywhere in the next one too.
        ours.poll(random.uniform(0, 0.004))
        process.kill()
        process.join()
        # The last one may be cut: it was told to nobody.
        with suppress(EOFError, OSError):
            while True:
                told.append(ours.recv())
    process.close()
    return told


def missing(store: OwnedStore, told: Sequence[Kept]) -> list[Kept]:
    """What was told to be kept, and is not there as it was."""
    found: dict[tuple[int, str], dict[str, object]] = {}
    for kept in told:
        place = (kept.writer, kept.session_id)
        if place not in found:
            found[place] = WRITERS[kept.writer].find(store, kept.session_id)
    return [kept for kept in told if found[kept.writer, kept.session_id].get(kept.id) != kept.content]


def _write_on(url: str, pipe: Connection) -> None:
    one_at_a_time = Lock()
    store = Store(url)

    def write(number: int) -> None:
        for session_id, id_, content in WRITERS[number].keep(store.of(LOCAL_OWNER)):
            with one_at_a_time:
                pipe.send(Kept(number, session_id, id_, content))

    threads = [Thread(target=write, args=(number,)) for number in range(len(WRITERS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def crash_and_check(url: str, check_file: Callable[[], None], *, times: int) -> int:
    """Kills writers again and again on one database, and looks after each start whether all is there.

    Args:
        url: The database.
        check_file: Raises where the database is not sound.
        times: How often.

    Returns:
        How much was told to be kept.
    """
    all_told: list[Kept] = []
    for _ in range(times):
        told = crash_once(url)
        check_file()
        with closing(Store(url)) as store:
            assert missing(store.of(LOCAL_OWNER), told) == []
        all_told += told
    with closing(Store(url)) as store:
        assert missing(store.of(LOCAL_OWNER), all_told) == []
    return len(all_told)
