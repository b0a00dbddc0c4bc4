"""MCP servers that misbehave are reported in one line, ended with their children, and delay nobody."""

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.clock import Clock
from tests.security.misbehaving_mcp import PATIENCE_S, SCRIPT, processes
from tests.security.misbehaving_mcp import connect as connect  # a fixture
from tests.security.misbehaving_mcp import word as word  # a fixture
from workbench.errors import BadInput, RemoteFailed
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.mcp.bounds import (
    MOST_UNASKED,
    WINDOW_S,
    InvalidLineCounter,
    McpServerRefused,
    RateLimit,
)
from workbench.toolbox.mcp.config_import import parse_address
from workbench.toolbox.mcp.connection import Connection
from workbench.toolbox.mcp.source import McpTools

pytestmark = pytest.mark.slow

pytest.importorskip("mcp", reason="the extra mcp is not installed")


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("ends at once", "ended"),
        ("ends in the greeting", "ended|closed"),
        ("garbage", "lines that are not MCP messages, the last one: 'Traceback"),
        ("binary garbage", "lines that are not MCP messages"),
        ("nested without end", "lines that are not MCP messages"),
        ("a line without end", "a message of more than 4 MiB"),
        ("endless pages", "more than 100 pages"),
        ("circular pages", "repeats itself"),
        ("many tools", "more than 1,000 tools"),
        ("refuses to begin", "no no no"),
        ("wrong list", "tools must be a list"),
    ],
)
def test_a_server_that_misbehaves_at_the_start_is_refused_and_ended(
    connect: Callable[..., Connection], word: str, caplog: pytest.LogCaptureFixture, mode: str, said: str
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(ConnectionError, match=said) as raised:
        connect(mode).open()
    assert len(str(raised.value)) < 400
    assert processes(word) == []
    assert "Traceback" not in caplog.text.replace("the last: 'Traceback", "")


@pytest.mark.parametrize("mode", ["silent", "stubborn"])
def test_a_server_that_does_not_answer_in_time_is_ended_with_its_children(
    connect: Callable[..., Connection], word: str, mode: str
) -> None:
    """This includes a server that ignores SIGTERM, and children in their own process group."""
    connection = connect(mode, timeout=2.0 if mode == "silent" else PATIENCE_S)
    if mode == "silent":
        with pytest.raises(ConnectionError, match="no answer within 2 s"):
            connection.open()
    else:
        connection.open()
        assert len(processes(word)) == 3
        connection.close()
    assert processes(word) == []


@pytest.mark.parametrize(
    "mode", ["well", "greets", "noisy on standard error", "leaves a child behind", "odd tools"]
)
def test_harmless_oddities_are_accepted(connect: Callable[..., Connection], word: str, mode: str) -> None:
    connection = connect(mode)
    connection.open()
    assert connection.check()
    assert connection.call("add", {"a": 1}) == "3"
    connection.close()
    connection.close()
    assert processes(word) == []
    with pytest.raises(ConnectionError, match="'test' is gone: it was closed"):
        connection.call("add", {})


def test_tools_that_are_too_large_are_left_out_and_reported(word: str, tmp_path: Path) -> None:
    made, problems = _catalog(tmp_path, {"test": _server("odd tools", word)})
    try:
        assert made.toolsets()["mcp-test"].names == ("mcp_test_add", "mcp_test_wordy")
        assert sorted(problem.split(": ", 1)[1] for problem in problems) == [
            "its schema has more than 200,000 characters",
            "its schema is nested more than 64 levels deep",
        ]
        assert len(made.toolsets()["mcp-test"].by_name["mcp_test_wordy"].description) <= 20_000
    finally:
        made.close()


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("big answer", "'test' is gone: it sent a message of more than 4 MiB"),
        ("garbage in a call", "'test' is gone: it wrote 20 lines"),
        ("floods in a call", "'test' is gone: it sent too many messages that nobody asked for"),
        ("changes its tools without end", "'test' is gone: it sent too many messages that nobody asked for"),
    ],
)
def test_a_server_that_misbehaves_in_a_call_is_reported_and_ended(
    connect: Callable[..., Connection], word: str, caplog: pytest.LogCaptureFixture, mode: str, said: str
) -> None:
    connection = connect(mode)
    connection.open()
    with pytest.raises(ConnectionError, match=said):
        connection.call("add", {"a": 1})
    with pytest.raises(ConnectionError, match="'test' is gone"):
        connection.check()
    connection.close()
    assert processes(word) == []
    assert len(caplog.text) < 20_000


def test_an_answer_of_the_wrong_shape_is_an_error_for_the_model(connect: Callable[..., Connection]) -> None:
    connection = connect("wrong answer")
    connection.open()
    answer = connection.call("add", {"a": 1})
    assert isinstance(answer, dict)
    assert "content" in str(answer["error"])
    assert connection.check()


def test_a_deep_answer_is_an_error_for_the_model(connect: Callable[..., Connection]) -> None:
    connection = connect("deep answer")
    connection.open()
    assert connection.call("add", {}) == {"error": "the server's answer is nested more than 64 levels deep"}


def test_a_call_without_an_answer_times_out_and_the_next_one_works(
    connect: Callable[..., Connection],
) -> None:
    connection = connect("never answers a call", timeout=5.0)
    connection.open()
    answer = connection.call("add", {})
    assert isinstance(answer, dict)
    assert "imed out" in str(answer["error"])
    assert connection.check()


def test_what_a_program_writes_to_standard_error_is_kept_from_the_end(
    connect: Callable[..., Connection],
) -> None:
    connection = connect("noisy on standard error")
    connection.open()
    _answer(connection)
    lines = connection.state.lines
    assert 0 < len(lines) <= 41 and set(lines) == {"Traceback (most recent call last):"}


def test_a_server_that_cannot_be_saved_is_ended(word: str, tmp_path: Path) -> None:
    made, _ = _catalog(tmp_path, {})
    (tmp_path / "tools.yaml").write_text("mcp_servers: {}\n", encoding="utf-8")
    command = f"{sys.executable} {SCRIPT} stubborn {word}"
    with pytest.raises(BadInput, match="not on its own line"):
        add(made, "new", command)
    assert processes(word) == []
    (tmp_path / "tools.yaml").unlink()
    with pytest.raises(RemoteFailed, match="not MCP messages"):
        add(made, "new", f"{sys.executable} {SCRIPT} garbage {word}")
    assert processes(word) == []
    made.close()


def test_closing_the_catalog_ends_its_servers(word: str, tmp_path: Path) -> None:
    servers: dict[str, object] = {
        mode.replace(" ", "-"): _server(mode, word) for mode in ("well", "stubborn", "leaves a child behind")
    }
    made, problems = _catalog(tmp_path, servers)
    assert problems == []
    assert len(processes(word)) == 6
    made.close()
    assert processes(word) == []


class TestBounds:
    """Unit tests of the limits."""

    def test_a_window_forgets_what_is_long_ago(self) -> None:
        clock = Clock()
        window = RateLimit(MOST_UNASKED, "too many", clock)
        for _ in range(10):
            for _ in range(MOST_UNASKED):
                window.add()
            clock.now_s += WINDOW_S + 1
        window.add(MOST_UNASKED)
        with pytest.raises(McpServerRefused, match="too many"):
            window.add()

    def test_bad_lines_are_shown_short(self) -> None:
        bad = InvalidLineCounter()
        with pytest.raises(McpServerRefused) as raised:
            for _ in range(100):
                bad.add("x" * 10_000)
        assert len(str(raised.value)) < 200


def add(made: Catalog, name: str, command: str) -> None:
    made.servers.add(name, parse_address(name, command))


def _catalog(tmp_path: Path, servers: dict[str, object]) -> tuple[Catalog, list[str]]:
    path = tmp_path / "tools.yaml"
    path.write_text(yaml.safe_dump({"mcp_servers": servers}), encoding="utf-8")
    made = Catalog(tmp_path / "none", sources=[McpTools(path)], packages=())
    return made, list(made.problems())


def _server(mode: str, word: str) -> dict[str, object]:
    return {"command": sys.executable, "args": [SCRIPT, mode, word]}


def _answer(connection: Connection) -> None:
    assert connection.call("add", {}) == "3"
