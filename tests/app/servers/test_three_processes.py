"""Three server processes with one database and thirty visitors, and one of the servers is killed in the middle."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from tests.security.visitor import Visitor
from tests.served import Server, served, write_script
from workbench.app.passwords import hash_password
from workbench.records.owner import Owner, account_key
from workbench.records.runs import RunState
from workbench.rollout.ports import FinishReason
from workbench.store.store import OwnedStore, Store

pytestmark = [pytest.mark.postgres, pytest.mark.long, pytest.mark.timeout(600)]
VISITORS = 30
TURNS = 3
ANSWER = ("word " * 60).strip()
KILLED = 0
"""The server that is killed."""
KILLED_AFTER = 12
"""How many turns have been acknowledged when it is killed."""
PATIENCE_S = 120.0
UNFINISHED = f"""SELECT count(*) FROM unfinished JOIN session ON session.id = unfinished.session_id
WHERE session.owner IN ({", ".join(f"'account:visitor{number}'" for number in range(KILLED, VISITORS, 3))})"""
"""How many answers the server that is killed is writing for visitors."""
RUNNER = "runner"
"""An account with a suite run."""
REPETITIONS = 12


def names() -> list[str]:
    return [f"visitor{number}" for number in range(VISITORS)]


class UnansweredTurn(Exception):
    """The server did not answer a turn: it was killed, or another turn of the session is still being written."""


class ApiVisitor:
    """Somebody who talks to the workbench over HTTP, and goes to another server if one does not answer.

    Args:
        name: The account.
        servers: Addresses of the servers, the preferred one first.
    """

    def __init__(self, name: str, servers: list[str]) -> None:
        self.name = name
        self.session: str | None = None
        self.acknowledged: list[tuple[str, str]] = []
        """Question and answer of each turn that was answered."""
        self._servers = servers
        self._client: httpx.Client | None = None

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def ask(self, question: str) -> None:
        """Ask until there is an answer."""
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                turn = self.call("chat", text=question, **({"session": self.session} if self.session else {}))
            except UnansweredTurn:
                assert time.monotonic() < until, f"{self.name}: no answer to {question!r}"
                time.sleep(0.5)
                continue
            self.session = turn["session"]
            self.acknowledged.append((question, turn["answer"]))
            return

    def call(self, name: str, **arguments: object) -> Any:
        """Call a function of the API.

        Raises:
            UnansweredTurn: The server ended, or refused the call.
        """
        try:
            client = self._logged_in()
            sent = client.post(f"/gradio_api/call/v2/{name}", json=arguments)
            sent.raise_for_status()
            with client.stream("GET", f"/gradio_api/call/v2/{name}/{sent.json()['event_id']}") as stream:
                lines = [line for line in stream.iter_lines() if line.startswith(("event:", "data:"))]
        except httpx.HTTPError as error:
            self.close()
            self._client = None
            self._servers.append(self._servers.pop(0))
            raise UnansweredTurn from error
        if len(lines) < 2 or lines[-2] != "event: complete":
            raise UnansweredTurn(lines[-2:])
        return json.loads(json.loads(lines[-1].removeprefix("data:"))[0])

    def _logged_in(self) -> httpx.Client:
        if self._client is None:
            client = httpx.Client(base_url=self._servers[0], timeout=60)
            answer = client.post("/login", data={"username": self.name, "password": self.name})
            answer.raise_for_status()
            self._client = client
        return self._client


@pytest.fixture
def three_servers(shared_url: str, tmp_path: Path) -> Iterator[list[Server]]:
    script = write_script(tmp_path / "script.yaml", {"text": ANSWER, "seconds_per_token": 0.02})
    accounts = ",".join(f"{name}:{hash_password(name, n=2**4)}" for name in (*names(), RUNNER))
    with ExitStack() as closing_last_first:
        servers = list[Server]()
        for number in range(3):
            folder = tmp_path / f"server{number}"
            folder.mkdir()
            opened = contextmanager(served)(
                folder, f"scripted:{script}", WORKBENCH_AUTH=accounts, WORKBENCH_DATABASE_URL=shared_url
            )
            servers.append(closing_last_first.enter_context(opened))
        yield servers


def await_until(condition: Callable[[], object], what: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, f"not in time: {what}"
        time.sleep(0.1)


def scalar(store: Store, query: str) -> int:
    with store._database.reading() as db:
        return db.connection().execute(text(query)).scalar_one()


def own(store: Store, name: str) -> OwnedStore:
    return store.of(Owner(key=account_key(name), name=name))


def start_run(server: Server) -> None:
    """Start a suite run on the page of a server."""
    with closing(Visitor(server.url, (RUNNER, RUNNER))) as visitor:
        started = visitor.fire("suites-start", "click", suites_repeat=REPETITIONS, suites_limit=2)
        assert started.is_success, started.output


def talk(visitor: ApiVisitor, acknowledged: threading.Semaphore) -> None:
    for number in range(TURNS):
        visitor.ask(f"{visitor.name} question {number}")
        acknowledged.release()


def kill(server: Server, store: Store, acknowledged: threading.Semaphore) -> None:
    """Kill a server in the middle: while it writes answers, and after some turns were acknowledged."""
    for _ in range(KILLED_AFTER):
        assert acknowledged.acquire(timeout=PATIENCE_S)
    await_until(
        lambda: scalar(store, "SELECT count(*) FROM unfinished") >= VISITORS // 3, "unfinished answers"
    )
    await_until(lambda: own(store, RUNNER).runs.list_runs()[0].done, "results of the run")
    server.kill()


def check_conversation(store: Store, visitor: ApiVisitor) -> int:
    """Check that everything acknowledged is stored; return the number of interrupted answers."""
    sessions = own(store, visitor.name).sessions
    assert visitor.session is not None
    texts = [kept.message.text for kept in sessions.path(visitor.session)]
    assert [answer for _, answer in visitor.acknowledged] == [ANSWER] * TURNS
    # A question whose answer was interrupted is asked again.
    assert set(visitor.acknowledged) <= {*pairwise(texts)}
    interrupted = 0
    for listed in sessions.list_sessions():
        nodes = sessions.tree(listed.id)
        found = {node.id: sessions.path(listed.id, leaf_id=node.id)[-1] for node in nodes}
        for kept in found.values():
            if kept.message.role == "user":
                assert kept.message.text.startswith(f"{visitor.name} question")
            if kept.generation and kept.generation.finish_reason is FinishReason.INTERRUPTED:
                assert ANSWER.startswith(kept.message.text)
                interrupted += 1
    return interrupted


def check_privacy(visitors: list[ApiVisitor], visitor: ApiVisitor) -> int:
    """Check that the visitor sees only their own sessions, on whatever server they are now; return how many rows.

    Sessions with an interrupted answer are not exported.
    """
    rows = visitor.call("export", format="openai")["rows"]
    questions = [
        message["content"] for row in rows for message in row["messages"] if message["role"] == "user"
    ]
    assert all(question.startswith(f"{visitor.name} question") for question in questions)
    other = visitors[(visitors.index(visitor) + 1) % len(visitors)]
    with pytest.raises(UnansweredTurn):
        visitor.call("chat", text="Let me in.", session=other.session)
    return len(rows)


def test_a_killed_server_loses_nothing_and_mixes_nothing_up(
    three_servers: list[Server], shared_url: str
) -> None:
    urls = [server.url for server in three_servers]
    visitors = [
        ApiVisitor(name, [*urls[number % 3 :], *urls[: number % 3]]) for number, name in enumerate(names())
    ]
    acknowledged = threading.Semaphore(0)
    with closing(Store(shared_url)) as store, ThreadPoolExecutor(VISITORS + 1) as pool:
        await_until(lambda: scalar(store, "SELECT count(*) FROM server") == 3, "three servers")
        start_run(three_servers[KILLED])
        talking = [pool.submit(talk, visitor, acknowledged) for visitor in visitors]
        kill(three_servers[KILLED], store, acknowledged)
        killed_at = time.monotonic()
        await_until(lambda: scalar(store, "SELECT count(*) FROM server") == 2, "the killed server is noticed")
        print(f"the killed server was removed after {time.monotonic() - killed_at:.1f} s")
        for done in talking:
            done.result()
        interrupted = sum(check_conversation(store, visitor) for visitor in visitors)
        print(f"interrupted answers that were saved: {interrupted}")
        assert interrupted > 0
        assert sum(check_privacy(visitors, visitor) for visitor in visitors) >= VISITORS // 2
        for visitor in visitors:
            visitor.close()
        runs = own(store, RUNNER).runs
        (listed,) = runs.list_runs()
        await_until(lambda: runs.list_runs()[0].state is RunState.DONE, "the run of the killed server")
        print(f"the run of the killed server was complete after {time.monotonic() - killed_at:.1f} s")
        stored = runs.find_run(listed.id)
        assert stored is not None
        keys = Counter(result.key for result in runs.results(listed.id))
        assert keys == Counter(job.key for job in stored.plan.jobs())
        await_until(lambda: not scalar(store, "SELECT count(*) FROM live_run"), "no run is left")
        assert scalar(store, "SELECT count(*) FROM live_turn") == 0
        assert scalar(store, "SELECT count(*) FROM unfinished") == 0
