"""An open tab belongs to its browser or account, and tabs take limited memory."""

import re
import sys
from contextlib import ExitStack
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote

import httpx
import pytest

from tests.security.gate_requests import ask, logged_in
from tests.served import Server
from workbench.ui.gate.pages import ForeignPage, OpenPages, TooManyPages

pytestmark = pytest.mark.slow
PARSE = ["Hello.", None, "auto", "tolerant", "stop", False]


def test_a_tab_belongs_to_its_browser(open_server: Server) -> None:
    with (
        httpx.Client(base_url=open_server.url, timeout=30) as own,
        httpx.Client(base_url=open_server.url) as other,
    ):
        jars = [client.get("/").headers["set-cookie"].partition(";")[0] for client in (own, other)]
        mine, theirs = ({"Cookie": jar} for jar in jars)
        tab = {"data": PARSE, "session_hash": "tabofmine1"}
        event = own.post("/gradio_api/call/parse", json=tab, headers=mine).json()["event_id"]
        for client, headers in ((other, theirs), (other, {}), (other, {"x-workbench-key": "k" * 32})):
            for path in (
                "/gradio_api/queue/data?session_hash=tabofmine1",
                "/gradio_api/call/parse/tabofmine1",
                "/gradio_api/call/v2/parse/tabofmine1",
                "/gradio_api/heartbeat/tabofmine1",
            ):
                assert client.get(path, headers=headers).status_code == 403, path
            for path in ("queue/join", "call/parse", "cancel"):
                assert client.post(f"/gradio_api/{path}", json=tab, headers=headers).status_code == 403, path
        assert "event: complete" in own.get(f"/gradio_api/call/parse/{event}", headers=mine).text


def test_a_tab_of_an_account_belongs_to_that_account(team: Server) -> None:
    with logged_in(team, "ann") as ann, logged_in(team, "bob") as bob:
        tab = {"data": PARSE, "session_hash": "tabofann12"}
        assert ann.post("/gradio_api/call/parse", json=tab).status_code == 200
        assert bob.get("/gradio_api/queue/data?session_hash=tabofann12").status_code == 403
        assert httpx.get(f"{team.url}/gradio_api/queue/data?session_hash=tabofann12").status_code == 401


@pytest.mark.parametrize("session_hash", ["../x", "x" * 65, "a b", "é", "a/b", 7, ["x"], {"a": 1}, True])
def test_a_session_hash_of_another_form_is_refused(laptop: Server, session_hash: object) -> None:
    call = {"data": ["x"], "session_hash": session_hash, "fn_index": 0}
    for path in ("queue/join", "call/parse", "cancel"):
        answer = httpx.post(f"{laptop.url}/gradio_api/{path}", json=call, timeout=30)
        assert answer.status_code == 400


@pytest.mark.parametrize("unknown", ["abcdefgh", "x" * 64, "x" * 65, "a b", "..", "%00", "é"])
def test_a_stream_of_an_unknown_tab_or_call_says_so_and_leaves_no_traceback(
    laptop: Server, unknown: str
) -> None:
    tab = httpx.get(f"{laptop.url}/gradio_api/queue/data", params={"session_hash": unknown}, timeout=30)
    assert '"session_not_found": true' in tab.text
    call = httpx.get(f"{laptop.url}/gradio_api/call/parse/{quote(unknown, safe='')}", timeout=30)
    assert call.status_code == 404 or call.text.startswith("event: error")
    assert "Traceback" not in (laptop.folder / "server.log").read_text()


def test_a_query_with_two_session_hashes_is_refused(laptop: Server) -> None:
    assert ask(laptop, "GET", "/gradio_api/queue/data?session_hash=a&session_hash=b").status == 400


def test_the_least_recently_used_tab_is_dropped_unless_it_is_connected() -> None:
    dropped = list[str]()
    pages = OpenPages(10, dropped.append)
    pages.use("shown", "ann")
    with pages.listening("shown"):
        for number in range(9):
            pages.use(f"tab{number}", "bob")
        pages.use("tab0", "bob")
        pages.use("one-more", "cleo")
        assert dropped == ["tab1"]
        assert len(pages) == 10
    with pytest.raises(ForeignPage):
        pages.use("shown", "bob")


def test_open_streams_cannot_use_up_all_tabs() -> None:
    dropped = list[str]()
    pages = OpenPages(20, dropped.append)
    with ExitStack() as streams:
        for number in range(20):
            pages.use(f"tab{number}", "flood" if number else "ann")
            streams.enter_context(pages.listening(f"tab{number}"))
        pages.use("new", "bob")
        assert dropped == ["tab1"]
    pages = OpenPages(20, dropped.append)
    with ExitStack() as streams:
        for number in range(20):
            pages.use(f"tab{number}", f"visitor{number}")
            streams.enter_context(pages.listening(f"tab{number}"))
        with pytest.raises(TooManyPages):
            pages.use("new", "bob")


def memory_mb(server: Server) -> float:
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def open_tabs(server: Server, count: int) -> float:
    """Return the megabytes that new tabs take."""
    with httpx.Client(base_url=server.url, timeout=30) as client:

        def open_tab() -> None:
            tab = {"data": PARSE, "session_hash": token_hex(8)}
            event_id = client.post("/gradio_api/call/parse", json=tab).json()["event_id"]
            assert "event: complete" in client.get(f"/gradio_api/call/parse/{event_id}").text

        for _ in range(20):
            open_tab()
        before_mb = memory_mb(server)
        for _ in range(count):
            open_tab()
        return memory_mb(server) - before_mb


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_new_tab_takes_little_memory(laptop: Server) -> None:
    assert open_tabs(laptop, 200) < 60


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_two_thousand_tabs_take_limited_memory(laptop: Server) -> None:
    taken_mb = open_tabs(laptop, 2000)
    print(f"2,000 tabs: {taken_mb:.0f} MB")
    assert taken_mb < 150
