"""Keys, owners, limits and hang-ups."""

import json
import threading
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import httpx
import pytest

from tests.gateway.serving import ANSWER, QUESTION, gateway_over
from tests.waiting import await_until
from workbench.app.passwords import hash_password
from workbench.errors import BadInput
from workbench.gateway.keys import owner_of_key
from workbench.gateway.serve import check_gateway
from workbench.records.owner import Owner
from workbench.settings import read_settings

SLOW = {"text": "word " * 400, "seconds_per_token": 0.01}


def keys(**secrets):
    return {name: hash_password(secret, n=2**4) for name, secret in secrets.items()}


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def test_requests_need_a_key_if_there_are_keys(tmp_path):
    with gateway_over(tmp_path, ANSWER, gateway_keys=keys(ann="secret-a", bob="secret-b")) as gateway:
        for headers in (
            {},
            bearer("wrong"),
            bearer("wrong"),
            bearer("x" * 5000),
            {"Authorization": "Basic secret-a"},
        ):
            response = gateway.chat(headers=headers)
            assert response.status_code == 401
            assert response.json()["error"]["code"] == "invalid_api_key"
        for key in ("secret-a", "secret-b", "secret-a"):
            assert gateway.chat(headers=bearer(key)).status_code == 200
        assert gateway.client.get("/v1/models").status_code == 401
        assert gateway.client.get("/health").status_code == 200


def test_a_key_belongs_to_the_account_of_its_name():
    accounts = {"ann": hash_password("x", n=2**4)}
    with_accounts = settings(WORKBENCH_AUTH=f"ann:{accounts['ann']}")
    assert owner_of_key(with_accounts, "ann").key == "account:ann"
    alone = settings()
    assert owner_of_key(alone, "").key is None
    assert owner_of_key(alone, "ann").key is None
    assert owner_of_key(alone, "ann").share != owner_of_key(alone, "bob").share
    assert isinstance(owner_of_key(alone, "ann"), Owner)


def settings(**variables):
    return read_settings({"WORKBENCH_DATA": "/nowhere", **variables})


HASH = hash_password("x", n=2**4)


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"WORKBENCH_HOST": "0.0.0.0"}, "without a key"),
        ({"WORKBENCH_AUTH": f"ann:{HASH}"}, "needs keys"),
        ({"WORKBENCH_AUTH": f"ann:{HASH}", "WORKBENCH_GATEWAY_KEYS": f"bob:{HASH}"}, "no account 'bob'"),
        ({"SPACE_ID": "me/space"}, "cannot be served on a Space"),
        ({"WORKBENCH_GATEWAY_KEYS": "ann"}, "expected `name:hash`"),
    ],
)
def test_settings_that_would_let_others_in_are_refused(variables, problem):
    with pytest.raises(BadInput, match=problem):
        check_gateway(settings(**variables))


def test_settings_that_are_safe_are_accepted():
    check_gateway(settings())
    check_gateway(settings(WORKBENCH_HOST="0.0.0.0", WORKBENCH_GATEWAY_KEYS=f"ann:{HASH}"))


def test_a_full_queue_says_when_to_try_again(tmp_path):
    with gateway_over(tmp_path, SLOW, gateway_requests=2) as gateway:
        with ExitStack() as open_streams:
            for _ in range(2):
                stream = gateway.client.stream("POST", "/v1/chat/completions", json=body(gateway))
                chunks = open_streams.enter_context(stream).iter_raw()
                next(chunks)
                # A generator that nobody refers to closes its connection.
                open_streams.callback(chunks.close)
            third = gateway.chat()
            assert third.status_code == 429 and int(third.headers["retry-after"]) >= 1
            assert third.json()["error"]["code"] == "rate_limit_exceeded"
        await_until(lambda: running(gateway) == 0)
        assert gateway.chat(max_tokens=2).status_code == 200


def body(gateway, **fields):
    return {"model": gateway.model, "messages": QUESTION, "stream": True, **fields}


def running(gateway):
    return httpx.get(f"{gateway.url}/health").json()["requests"]


@pytest.mark.parametrize("is_stream", [True, False])
def test_a_client_that_hangs_up_stops_its_decoding(tmp_path, is_stream, monkeypatch):
    from workbench.engines.scripted import ScriptedEngine

    written, ended, started = [], threading.Event(), threading.Event()
    generate = ScriptedEngine.generate

    def counted(engine, request, *, is_cancelled):
        for delta in generate(engine, request, is_cancelled=is_cancelled):
            written.append(is_cancelled())
            started.set()
            yield delta
        ended.set()

    monkeypatch.setattr(ScriptedEngine, "generate", counted)
    with gateway_over(tmp_path, {**SLOW, "seconds_per_token": 0.03}) as gateway:
        with closing(HTTPConnection(urlsplit(gateway.url).netloc)) as client:
            sent = json.dumps(body(gateway, stream=is_stream))
            client.request("POST", "/v1/chat/completions", sent, {"Content-Type": "application/json"})
            assert started.wait(30)
        assert ended.wait(10)
        # At most one token, and the last delta, came after the signal.
        assert sum(written) <= 2 and len(written) < 400
        await_until(lambda: running(gateway) == 0)


def test_counting_tokens_is_a_request_as_all_others(tmp_path):
    with gateway_over(tmp_path, SLOW, gateway_requests=1) as gateway:
        with gateway.client.stream("POST", "/v1/chat/completions", json=body(gateway)) as response:
            chunks = response.iter_raw()
            next(chunks)
            counted = httpx.post(f"{gateway.url}/v1/messages/count_tokens", json=body(gateway))
        assert (counted.status_code, counted.json()["error"]["type"]) == (429, "rate_limit_error")
        await_until(lambda: running(gateway) == 0)
        assert httpx.post(f"{gateway.url}/v1/messages/count_tokens", json=body(gateway)).status_code == 200
