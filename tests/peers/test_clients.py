"""Clients and agents play call, result and answer through the gateway, in front of a server that reads no calls."""

import pytest

from tests.engines.remote.scripted_server import refused, scripted_server
from tests.gateway.test_in_front import REFUSALS
from tests.gateway.upstream import in_front_of
from tests.peers.clients import CLIENTS, NODE_OPENAI, run_client, run_script
from tests.peers.hermes_server import ANSWER, hermes_answer
from tests.peers.node_clients import FAILING

# The first test of a client installs it.
pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

PLAYS = [(client, is_stream) for client in CLIENTS for is_stream in client.streams]


def name_of(value):
    return {False: "plain", True: "stream"}[value] if isinstance(value, bool) else str(value)


@pytest.mark.parametrize(("client", "is_stream"), PLAYS, ids=name_of)
def test_a_call_its_result_and_an_answer(client, is_stream, tmp_path):
    (tmp_path / "client").mkdir()
    with scripted_server(hermes_answer) as server, in_front_of(tmp_path, server) as gateway:
        result = run_client(client, f"{gateway.url}/v1", "hermes", tmp_path / "client", is_stream=is_stream)
    assert result == {"cities": ["Rome"], "answer": ANSWER}


def test_without_the_gateway_the_call_is_lost(tmp_path):
    with scripted_server(hermes_answer) as server:
        result = run_client(NODE_OPENAI, server.url, "hermes", tmp_path, is_stream=True)
    assert result["cities"] == [] and "<tool_call>" in result["answer"]


@pytest.mark.parametrize("status", REFUSALS)
def test_the_npm_client_sends_as_many_requests_as_without_the_gateway(tmp_path, status):
    def requests(name: str, url: str) -> int:
        before = len(server.requests)
        folder = tmp_path / name
        folder.mkdir()
        result = run_script(NODE_OPENAI, FAILING, folder, url, "hermes")
        assert result["answer"] == status
        return len(server.requests) - before

    answer = refused(status, "no", **{"Retry-After": "0.01"})
    with scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        assert requests("behind", f"{gateway.url}/v1") == requests("direct", server.url)
