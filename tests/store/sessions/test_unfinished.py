"""Unfinished text is deleted with its complete message, and recovered if the writer was killed."""

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
from workbench.store.sessions.sessions import SessionStore
from workbench.store.sessions.unfinished import has_ended, this_writer

WRITE = """
import sys, time
from tests.store.examples import GENERATION, SETUP, user
from tests.store.opening import sessions_in
from dataclasses import replace
from workbench.rollout.ports import FinishReason

with sessions_in(sys.argv[1]) as store:
    session = store.create_session(SETUP)
    root = store.append(session.id, user("tell"), parent_id=None)
    started = replace(GENERATION, finish_reason=FinishReason.INTERRUPTED)
    id, text = None, ""
    while True:
        text += "wörd 🦉 "
        id = store.save_unfinished(session.id, text, started, parent_id=root.id, unfinished_id=id)
        print(session.id, len(text), flush=True)
        time.sleep(0.01)
"""


@contextmanager
def writing(url: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a process that writes one endless message."""
    process = subprocess.Popen([sys.executable, "-c", WRITE, url], stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def _read_progress(process: "subprocess.Popen[str]") -> tuple[str, int]:
    assert process.stdout
    session_id, size = process.stdout.readline().split()
    return session_id, int(size)


@pytest.mark.slow
def test_a_killed_writer_s_text_is_recovered_at_the_next_start(url: str) -> None:
    with writing(url) as process:
        for _ in range(5):
            session_id, size = _read_progress(process)
        process.send_signal(signal.SIGKILL)
        # The process is now a zombie, as in a container whose first process waits for no children.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with sessions_in(url) as store:
            assert len(store.path(session_id)) == 2
    with sessions_in(url) as store:
        question, unfinished = store.path(session_id)
        assert unfinished.message.text.startswith("wörd 🦉 ")
        assert len(unfinished.message.text) >= size
        assert (unfinished.parent_id, unfinished.origin) == (question.id, MessageOrigin.MODEL)
        assert unfinished.generation and unfinished.generation.finish_reason is FinishReason.INTERRUPTED
        assert unfinished.generation.prompt_text == GENERATION.prompt_text
        path = store.path(session_id)
    with sessions_in(url) as store:
        assert store.path(session_id) == path


@pytest.mark.slow
def test_text_of_a_running_process_is_not_recovered(url: str) -> None:
    with writing(url) as process:
        session_id, _ = _read_progress(process)
        with sessions_in(url) as store:
            assert [stored.message.text for stored in store.path(session_id)] == ["tell"]
        for _ in range(3):
            _read_progress(process)


@pytest.fixture
def started(store: SessionStore) -> tuple[str, str]:
    """The ids of a session and its only message."""
    session = store.create_session(SETUP)
    return session.id, store.append(session.id, user("hi"), parent_id=None).id


def test_a_complete_message_deletes_its_unfinished_text(
    store: SessionStore, started: tuple[str, str], file: Path
) -> None:
    session_id, parent_id = started
    first = store.save_unfinished(session_id, "a", GENERATION, parent_id=parent_id)
    second = store.save_unfinished(session_id, "ab", GENERATION, parent_id=parent_id, unfinished_id=first)
    assert second == first
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT text FROM unfinished").fetchall() == [("ab",)]
    assert len(store.path(session_id)) == 1
    store.append(session_id, completion("abc"), parent_id=parent_id, unfinished_id=first)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT text FROM unfinished").fetchall() == []
    assert [stored.message.text for stored in store.path(session_id)] == ["hi", "abc"]


def test_two_unfinished_texts_do_not_mix(store: SessionStore, started: tuple[str, str]) -> None:
    session_id, parent_id = started
    ids = [store.save_unfinished(session_id, text, GENERATION, parent_id=parent_id) for text in "ab"]
    store.append(session_id, completion("a!"), parent_id=parent_id, unfinished_id=ids[0])
    store.append(session_id, completion("b!"), parent_id=parent_id, unfinished_id=ids[1])
    assert len([node for node in store.tree(session_id) if node.parent_id == parent_id]) == 2


def test_unstorable_unfinished_text_is_rejected(store: SessionStore, started: tuple[str, str]) -> None:
    session_id, parent_id = started
    with pytest.raises(BadInput, match="NUL"):
        store.save_unfinished(session_id, "a\0", GENERATION, parent_id=parent_id)
    with pytest.raises(StoreError, match="has no message"):
        store.save_unfinished(session_id, "a", GENERATION, parent_id="nowhere")


def test_text_of_a_silent_writer_on_another_machine_is_recovered(file: Path) -> None:
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
        assert [stored.message.text for stored in store.path(session.id)] == ["hi", "half"]


def test_a_writer_is_identified_by_machine_process_id_and_start_time() -> None:
    host, pid, started = this_writer().rsplit(" ", 2)
    assert not has_ended(this_writer(), is_silent=True)
    assert has_ended(f"{host} {pid} {float(started) - 100:.2f}", is_silent=False)
    assert has_ended(f"{host} 999999999 {started}", is_silent=False)
    assert [has_ended(f"elsewhere {pid} {started}", is_silent=is_silent) for is_silent in (True, False)] == [
        True,
        False,
    ]
