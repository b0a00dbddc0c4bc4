"""An MCP server that ended is started again after longer and longer waits, and one that broke a limit only by a person."""

from collections.abc import Callable

import pytest

from tests.clock import Clock
from tests.security.misbehaving_mcp import PATIENCE_S, processes
from tests.security.misbehaving_mcp import connect as connect  # a fixture
from tests.security.misbehaving_mcp import word as word  # a fixture
from workbench.toolbox.mcp.config import McpServerConfig
from workbench.toolbox.mcp.connection import BACK_OFF_S, STABLE_S, Connection

pytestmark = pytest.mark.slow

pytest.importorskip("mcp", reason="the extra mcp is not installed")


def test_a_server_that_died_is_started_again_by_the_next_call_and_later_after_longer_waits(
    connect: Callable[..., Connection], word: str
) -> None:
    clock = Clock()
    connection = connect("dies in a call", now_s=clock)
    connection.open()
    _die(connection)
    assert connection.check()
    assert processes(word) == []
    for wait_s in BACK_OFF_S[1:]:
        # It is started again, and dies again.
        _die(connection)
        for use in (connection.check, lambda: connection.call("add", {})):
            with pytest.raises(
                ConnectionError, match=f"exit code 3; it can be started again in {wait_s:.0f} s"
            ):
                use()
        clock.now_s += wait_s
        _wait_for_start(connection)
        assert connection.check()
        assert len(processes(word)) == 1
    # After running for long, the next call starts it at once again.
    clock.now_s += STABLE_S
    _die(connection)
    assert connection.check()
    assert processes(word) == []


def test_a_server_that_does_not_start_is_tried_again_after_longer_waits(
    connect: Callable[..., Connection],
) -> None:
    clock = Clock()
    connection = connect("well", now_s=clock)
    server, connection._server = connection._server, McpServerConfig(command="no-such-program-of-a-test")
    with pytest.raises(ConnectionError, match="'no-such-program-of-a-test' was not found"):
        connection.open()
    for wait_s in (*BACK_OFF_S[1:], BACK_OFF_S[-1]):
        with pytest.raises(ConnectionError, match=f"not found; it can be started again in {wait_s:.0f} s"):
            connection.check()
        clock.now_s += wait_s
        _wait_for_start(connection)
    connection._server = server
    clock.now_s += BACK_OFF_S[-1]
    assert connection.call("add", {}) == "3"


def test_a_server_that_broke_a_limit_is_only_started_again_by_a_person(
    connect: Callable[..., Connection],
) -> None:
    clock = Clock()
    connection = connect("garbage in a call", now_s=clock)
    connection.open()
    _die(connection)
    clock.now_s += 10_000
    for use in (connection.check, lambda: connection.call("add", {})):
        with pytest.raises(
            ConnectionError, match=r"20 lines .*not started again until it is retried on the Tools tab"
        ):
            use()
    connection.retry()
    assert connection.check()


def _die(connection: Connection) -> None:
    with pytest.raises(ConnectionError):
        connection.call("add", {})


def _wait_for_start(connection: Connection) -> None:
    """Check the server, which starts it again, and wait for the outcome."""
    with pytest.raises(ConnectionError, match="it is being started again"):
        connection.check()
    starting = connection._in_background
    assert starting
    starting.join(PATIENCE_S)
