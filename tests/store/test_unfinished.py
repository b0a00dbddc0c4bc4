"""What is written so far of a message: gone when it is whole, a message when its writer was killed."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.store.examples import GENERATION, SETUP, completion, user
from tests.store.opening import sessions_in
from workbench.errors import BadInput, StoreError
from workbench.records.sessions import MessageOrigin
from workbench.rollout.ports import FinishReason
from workbench.store.sessions import SessionStore
from workbench.store.unfinished import has_ended, this_writer

WRITE = """
import sys, time
from tests.store.examples import GENERATION, SETUP, user
from tests.store.opening import sessions_in
from dataclasses import replace
from workbench.rollout.ports import FinishReason

with sessions_in(sys.argv[1]) as store:
    session = store.create_session(SETUP)
    root = store.append(session.id, user("tell"), parent_id=None)
    begun = replace(GENERATION, finish_reason=FinishReason.INTERRUPTED)
    id, text = None, ""
    while True:
        text += "wörd 🦉 "
        id = store.save_unfinished(session.id, text, begun, parent_id=root.id, unfinished_id=id)
        print(session.id, len(text), flush=True)
        time.sleep(0.01)
"""


@contextmanager
def writing(url: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that writes one message without an end."""
    process = subprocess.Popen([sys.executable, "-c", WRITE, url], stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def _told(process: "subprocess.Popen[str]") -> tuple[str, int]:
    assert process.stdout
    session_id, size = process.stdout.readline().split()
    return session_id, int(size)


def test_a_killed_writer_s_text_is_a_message_at_the_next_start(url: str) -> None:
    with writing(url) as process:
        for _ in range(5):
            session_id, size = _told(process)
        process.send_signal(signal.SIGKILL)
        # Nobody has asked yet how it ended, as where a container's first process asks after nobody.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with sessions_in(url) as store:
            assert len(store.path(session_id)) == 2
    with sessions_in(url) as store:
        said, unfinished = store.path(session_id)
        assert unfinished.message.text.startswith("wörd 🦉 ")
        assert len(unfinished.message.text) >= size
        assert (unfinished.parent_id, unfinished.origin) == (said.id, MessageOrigin.MODEL)
        assert unfinished.generation and unfinished.generation.finish_reason is FinishReason.INTERRUPTED
        assert unfinished.generation.prompt_text == GENERATION.prompt_text
        path = store.path(session_id)
    with sessions_in(url) as store:
        assert store.path(session_id) == path


def test_what_is_still_written_by_another_process_is_left_alone(url: str) -> None:
    with writing(url) as process:
        session_id, _ = _told(process)
        with sessions_in(url) as store:
            assert [kept.message.text for kept in store.path(session_id)] == ["tell"]
        for _ in range(3):
            _told(process)


@pytest.fixture
def begun(store: SessionStore) -> tuple[str, str]:
    """A session, and its message to go on from."""
    session = store.create_session(SETUP)
    return session.id, store.append(session.id, user("hi"), parent_id=None).id


def test_a_message_that_is_whole_leaves_nothing_unfinished(
    store: SessionStore, begun: tuple[str, str], file: Path
) -> None:
    session_id, parent_id = begun
    first = store.save_unfinished(session_id, "a", GENERATION, parent_id=parent_id)
    again = store.save_unfinished(session_id, "ab", GENERATION, parent_id=parent_id, unfinished_id=first)
    assert again == first
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT text FROM unfinished").fetchall() == [("ab",)]
    assert len(store.path(session_id)) == 1
    store.append(session_id, completion("abc"), parent_id=parent_id, unfinished_id=first)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT text FROM unfinished").fetchall() == []
    assert [kept.message.text for kept in store.path(session_id)] == ["hi", "abc"]


def test_two_that_are_written_at_once_do_not_mix(store: SessionStore, begun: tuple[str, str]) -> None:
    session_id, parent_id = begun
    ids = [store.save_unfinished(session_id, text, GENERATION, parent_id=parent_id) for text in "ab"]
    store.append(session_id, completion("a!"), parent_id=parent_id, unfinished_id=ids[0])
    store.append(session_id, completion("b!"), parent_id=parent_id, unfinished_id=ids[1])
    assert len([node for node in store.tree(session_id) if node.parent_id == parent_id]) == 2


def test_what_cannot_be_written_is_refused(store: SessionStore, begun: tuple[str, str]) -> None:
    session_id, parent_id = begun
    with pytest.raises(BadInput, match="NUL"):
        store.save_unfinished(session_id, "a\0", GENERATION, parent_id=parent_id)
    with pytest.raises(StoreError, match="has no message"):
        store.save_unfinished(session_id, "a", GENERATION, parent_id="nowhere")


def test_a_restored_copy_of_another_machine_keeps_what_was_left(file: Path) -> None:
    url = f"sqlite:///{file}"
    with sessions_in(url) as store:
        session = store.create_session(SETUP)
        root = store.append(session.id, user("hi"), parent_id=None)
        store.save_unfinished(session.id, "half", GENERATION, parent_id=root.id)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE unfinished SET writer = 'elsewhere 1 1700000000.00'")
    with sessions_in(url) as store:
        assert len(store.path(session.id)) == 1
    later = datetime.now(UTC) + timedelta(minutes=2)
    with sessions_in(url, now=lambda: later) as store:
        assert [kept.message.text for kept in store.path(session.id)] == ["hi", "half"]


def test_a_writer_is_known_by_machine_number_and_start() -> None:
    host, pid, started = this_writer().rsplit(" ", 2)
    assert not has_ended(this_writer(), is_silent=True)
    assert has_ended(f"{host} {pid} {float(started) - 100:.2f}", is_silent=False)
    assert has_ended(f"{host} 999999999 {started}", is_silent=False)
    assert [has_ended(f"elsewhere {pid} {started}", is_silent=one) for one in (True, False)] == [True, False]
