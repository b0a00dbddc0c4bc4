"""The store on many sessions: list, search and open; then writers and readers at once."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tests.bench.store_data import MESSAGES, SESSIONS, write_sessions
from tests.bench.timing import once, seconds
from tests.store.examples import SETUP, completion, user
from workbench.label.records.project import QueueFilter, QueueOrder, QueueSort
from workbench.records.owner import LOCAL_OWNER
from workbench.records.session_tree import SearchFilter
from workbench.store.store import OwnedStore, Store

LIST_AIM_MS = 50
OPEN_AIM_MS = 20
QUEUE_AIM_MS = 200
CROWD = 10
"""Writers, and as many readers."""
CROWD_S = 60.0
"""How long they go on."""


def measure() -> Iterator[str]:
    """Lines; BENCH_SESSIONS takes fewer sessions, for a quick look."""
    sessions = int(os.environ.get("BENCH_SESSIONS", SESSIONS))
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        file = Path(folder) / "workbench.sqlite3"
        took_s = once(lambda: write_sessions(file, sessions))
        size_mb = file.stat().st_size / 2**20
        yield f"{sessions:,} sessions of {MESSAGES} messages, {size_mb:.0f} MB, written in {took_s:.0f} s"
        with closing(Store(f"sqlite:///{file}")) as store:
            owned = store.of(LOCAL_OWNER)
            yield from _times(owned, sessions)
            yield _crowd(owned, min(CROWD_S, sessions / 1000))


def _times(owned: OwnedStore, sessions: int) -> Iterator[str]:
    some = f"s{sessions // 2}"
    asked: dict[str, tuple[int, Callable[[], object]]] = {
        "first page of the list": (LIST_AIM_MS, lambda: owned.sessions.list_sessions(limit=50)),
        "search, a word of one message": (LIST_AIM_MS, lambda: owned.search.find("zulu7")),
        "search, a word of many": (LIST_AIM_MS, lambda: owned.search.find("babel ")),
        "search, two words": (LIST_AIM_MS, lambda: owned.search.find("babel dedor")),
        "search, the first letter typed": (LIST_AIM_MS, lambda: owned.search.find("b")),
        "search, a word that is nowhere": (LIST_AIM_MS, lambda: owned.search.find("nowhere")),
        "search with a filter": (
            LIST_AIM_MS,
            lambda: owned.search.find("babel", SearchFilter(contract="minimal", has_fix=False)),
        ),
        "first page of the labelling queue": (QUEUE_AIM_MS, lambda: owned.label_queues.queue(QueueFilter())),
        "page of the queue around a session": (
            QUEUE_AIM_MS,
            lambda: owned.label_queues.queue(QueueFilter(), around=some),
        ),
        "page of the queue in random order": (
            QUEUE_AIM_MS,
            lambda: owned.label_queues.queue(QueueFilter(), sort=QueueSort(order=QueueOrder.RANDOM, seed=1)),
        ),
        "next session to label": (
            OPEN_AIM_MS,
            lambda: owned.label_queues.next_open(QueueFilter(), after=some),
        ),
        "open a session for labelling": (OPEN_AIM_MS, lambda: owned.labelling.open(some)),
        "open a session": (
            OPEN_AIM_MS,
            lambda: (owned.sessions.find_session(some), owned.sessions.path(some)),
        ),
    }
    for (name, (aim_ms, _)), taken_s in zip(
        asked.items(), seconds(*(call for _, call in asked.values())), strict=True
    ):
        yield f"{name}: {taken_s * 1000:.1f} ms (aim: under {aim_ms})"


def _crowd(owned: OwnedStore, for_s: float) -> str:
    """Writers and readers at once; an error ends it."""
    end = time.monotonic() + for_s

    def write(number: int) -> int:
        session = owned.sessions.create_session(SETUP)
        parent_id, count = None, 0
        while time.monotonic() < end:
            new = completion(f"written {count}") if count % 2 else user(f"asked {number} {count}")
            parent_id = owned.sessions.append(session.id, new, parent_id=parent_id).id
            count += 1
            if count % 20 == 0:
                session, parent_id = owned.sessions.create_session(SETUP), None
        return count

    def read(number: int) -> int:
        count = 0
        while time.monotonic() < end:
            page = owned.sessions.list_sessions(limit=20)
            owned.sessions.path(page[(number + count) % len(page)].id)
            owned.search.find(f"asked {number}")
            count += 3
        return count

    with ThreadPoolExecutor(2 * CROWD) as pool:
        written = [pool.submit(write, number) for number in range(CROWD)]
        done = [pool.submit(read, number) for number in range(CROWD)]
        messages, readings = (sum(future.result() for future in many) for many in (written, done))
    return f"{CROWD} writers and {CROWD} readers for {for_s:.0f} s: {messages} messages, {readings} readings, no error"
