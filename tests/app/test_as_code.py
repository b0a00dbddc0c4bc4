"""A round as code repeats its request. The tests run each kind of code."""

import json
import os
import shlex
import subprocess
import sys
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.engines.remote.scripted_server import (
    DONE,
    Answer,
    piece,
    said,
    scripted_server,
    stream,
)
from tests.services import CHECKOUT, services_for
from workbench.app.as_code import code_of
from workbench.chat.message import Role
from workbench.engines.remote import openai_api
from workbench.engines.remote.request.openai_request import STREAMED
from workbench.engines.remote.server import ServerKind
from workbench.errors import BadInput
from workbench.rollout.sampling import Sampling, TokenBias

pytestmark = pytest.mark.slow

TEXT = 'What\'s the reading — "now"?\n$HOME `id` \\n JSON\nJSON'
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


@contextmanager
def completing(requests):
    """Run a local server that answers completions and records the requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append((self.path, body))
            choice = {"index": 0, "text": "31!", "finish_reason": "stop", "logprobs": None}
            answer = {"id": "1", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]}
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def opened(folder: Path, *texts: Any, **options: Any) -> AbstractContextManager[tuple[Any, Any]]:
    """Open services with a scripted model, and a function that runs a turn."""
    return services_for(folder, *texts, **options)


def code_for(services, session, place=2):
    path = services.sessions.path(session)
    setup = services.sessions.find_session(session).setup
    return path, code_of(services, session, setup, path, path[place].id)


def run(command, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    done = subprocess.run(
        command, env=environment | variables, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", ["curl", "python"])
def test_the_copied_code_sends_exactly_the_stored_prompt(tmp_path, kind):
    with opened(tmp_path, CALL, "It is 31.") as (services, play):
        path, code = code_for(services, play(TEXT, tool_choice="required"))
        requests = []
        with completing(requests) as url:
            text = getattr(code, kind)
            command = ["bash", "-c", text] if kind == "curl" else [sys.executable, "-c", text]
            assert "31!" in run(command, OPENAI_BASE_URL=url)
        ((where, body),) = requests
        generation = path[2].generation
        assert where == "/v1/completions"
        assert body["prompt"] == generation.prompt_text + generation.prefill
        assert TEXT in body["prompt"]
        assert (body["max_tokens"], body["temperature"], body["seed"]) == (256, 0.0, 0)
        assert body["stop"] == ["<|im_end|>"]


def test_the_copied_command_runs_the_same_turn(tmp_path):
    with opened(tmp_path, CALL, "It is 31.") as (services, play):
        path, code = code_for(services, play(TEXT))
        assert code.is_whole
        command = code.command.replace(
            "workbench chat", f"{shlex.quote(sys.executable)} -m workbench chat --json", 1
        )
        data = tmp_path / "other"
        output = json.loads(
            run(["bash", "-c", command], WORKBENCH_HOME=str(CHECKOUT), WORKBENCH_DATA=str(data),
                PYTHONPATH=str(CHECKOUT))
        )  # fmt: skip
        texts = [message["content"] for message in output["messages"]]
        assert texts[1] == TEXT
        assert texts[2] == path[2].message.text


def test_tools_that_are_not_a_toolset_are_passed_as_json(tmp_path):
    with opened(tmp_path, "Hello.") as (services, play):
        _, code = code_for(services, play("Hi", disabled_tools=frozenset({"calculate_zorbix"})))
        assert code.command.startswith("workbench chat --contract minimal@1 ")
        assert "--tools /dev/stdin" in code.command
        offered = json.loads(code.command.splitlines()[-2])
        assert [tool["function"]["name"] for tool in offered] == ["get_flumbuster"]


def test_with_an_edited_contract_or_a_later_turn_the_command_continues_the_session(tmp_path):
    with opened(tmp_path, "Hello.", "Again.") as (services, play):
        text = services.setup_for().contract_text + "\nBe short.\n"
        edited = play("Hi", contract_text=text)
        _, code = code_for(services, edited)
        assert not code.is_whole and f"--session {edited}" in code.command
        later = play("Hi")
        play("And now?", later)
        _, code = code_for(services, later, place=4)
        assert f"--session {later}" in code.command and "'And now?'" in code.command


def test_a_prompt_that_the_server_rendered_is_sent_as_messages(tmp_path):
    with opened(tmp_path, "Hello.") as (services, play):
        session = play("Hi")
        path = list(services.sessions.path(session))
        setup = services.sessions.find_session(session).setup
        path[2] = replace(path[2], generation=replace(path[2].generation, is_exact=False))
        code = code_of(services, session, setup, path, path[2].id)
        assert "/chat/completions" in code.curl
        body = json.loads(code.curl.splitlines()[-2])
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        compile(code.python, "code", "exec")


def test_a_message_that_no_model_wrote_has_no_code(tmp_path: Path):
    with (
        opened(tmp_path, "Hello.") as (services, play),
        pytest.raises(BadInput, match="no model wrote"),
    ):
        code_for(services, play("Hi"), place=1)


SAMPLING = Sampling(
    temperature=0.7, top_p=0.9, top_k=7, min_p=0.1, typical_p=0.8, repeat_penalty=1.1,
    presence_penalty=0.5, frequency_penalty=-0.25, mirostat=2, stop=("\n\n", "stop"),
    logit_bias=(TokenBias(token=42, bias=-5.0), TokenBias(token="Hello", bias=float("inf"))), seed=7, max_tokens=99,
)  # fmt: skip
SERVERS = {
    **{f"{kind}-raw": {"kind": kind.value, "mode": "raw"} for kind in ServerKind},
    **{f"{kind}-chat": {"kind": kind.value} for kind in ServerKind},
    "written": {"tools": "contract"},
}
MODELS = [*(f"openai:{name}/hermes" for name in SERVERS), "hf-inference:NousResearch/Hermes"]
SNIPPET_HEADERS = {"Content-Type": "application/json"}


def answered(requests):
    """Return a stream for an engine, and a complete answer for a copied snippet."""
    if requests.body.get("stream"):
        is_chat = requests.path.endswith("chat/completions")
        return said("Hello.") if is_chat else stream(piece("Hello.", "stop"), DONE)
    choice = {"index": 0, "text": "Hello.", "message": {"role": "assistant", "content": "Hello."},
              "finish_reason": "stop", "logprobs": None}  # fmt: skip
    document = {"id": "1", "object": "completion", "created": 1, "model": "m", "choices": [choice]}
    return Answer(headers=SNIPPET_HEADERS, pieces=(json.dumps(document).encode(),))


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Services that know a server of each kind in each mode. All of them are one recording server."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "data").mkdir()
    with scripted_server(answered) as server, pytest.MonkeyPatch.context() as patch:
        urls = {"base_url": server.url.replace("http://", "http://ada:secret@")}
        file = json.dumps({"servers": {name: {**entry, **urls} for name, entry in SERVERS.items()}})
        (folder / "data" / "servers.yaml").write_text(file)
        patch.setattr(openai_api, "ROUTER_URL", server.url)
        patch.setenv("HF_TOKEN", "hf_secret")
        with opened(folder) as (services, play):
            yield server, services, play


@pytest.mark.parametrize("model", MODELS)
def test_the_copied_request_equals_the_one_that_was_sent(served, model, monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    server, services, play = served
    server.requests.clear()
    is_written = "written" in model
    session = play(
        "Hi", model=model, sampling=SAMPLING, tool_choice="auto" if is_written else "required", max_rounds=1,
        wants_logprobs=True, ephemeral="The user is Ada.",
    )  # fmt: skip
    _, code = code_for(services, session)
    assert "secret" not in code.curl + code.python
    run(["bash", "-c", code.curl])
    exec(compile(code.python, "copied", "exec"), {"__name__": "__copied__"})
    # A server of unknown software is asked first what it can do, with one token each.
    asked = [request for request in server.requests if request.body.get("max_tokens") not in (None, 1)]
    sent, by_curl, by_python = asked
    assert {name: sent.body.pop(name) for name in STREAMED} == STREAMED
    assert sent.path == by_curl.path == by_python.path
    assert sent.body == by_curl.body == by_python.body
    assert sent.body["presence_penalty"] == 0.5 and "stop" in sent.body["stop"]
    assert "Ada" in json.dumps(sent.body)
    assert ("tools" in sent.body) == ("chat" in model or "hf-" in model)
    # Ollama ignores tool choices. It gets the schema of a call.
    assert ("tool_choice" in sent.body) == ("tools" in sent.body and "ollama" not in model)
    assert ("response_format" in sent.body) == ("ollama-chat" in model)


def test_the_copied_sampling_uses_the_names_of_the_server(served):
    server, services, play = served
    bodies = {}
    for name in ("llama-server-raw", "vllm-chat", "openai-chat"):
        server.requests.clear()
        code_for(services, play("Hi", model=f"openai:{name}/hermes", sampling=SAMPLING, max_rounds=1))
        bodies[name] = server.requests[0].body
    assert bodies["llama-server-raw"]["logit_bias"] == [[42, -5.0], ["Hello", 100.0]]
    assert bodies["llama-server-raw"]["min_p"] == 0.1
    assert bodies["vllm-chat"]["logit_bias"] == {"42": -5.0}
    assert bodies["vllm-chat"]["repetition_penalty"] == 1.1
    assert "min_p" not in bodies["openai-chat"]


def test_code_for_a_removed_server_keeps_its_mode(served):
    _, services, play = served
    session = play("Hi", model="openai:vllm-chat/hermes", max_rounds=1)
    path = list(services.sessions.path(session))
    setup = services.sessions.find_session(session).setup
    generation = replace(path[2].generation, engine_name="openai:gone/hermes")
    path[2] = replace(path[2], generation=generation)
    body = json.loads(code_of(services, session, setup, path, path[2].id).curl.splitlines()[-2])
    assert body["model"] == "gone/hermes"
    assert body["tools"] and body["tool_choice"] == "auto"


def test_tools_that_are_in_the_system_text_are_not_sent_again(tmp_path):
    with opened(tmp_path, "Hello.") as (services, play):
        session = play("Hi")
        path = list(services.sessions.path(session))
        assert path[0].message.role is Role.SYSTEM and "get_flumbuster" in path[0].message.text
        setup = services.sessions.find_session(session).setup
        path[2] = replace(path[2], generation=replace(path[2].generation, is_exact=False))
        body = json.loads(code_of(services, session, setup, path, path[2].id).curl.splitlines()[-2])
        assert "tools" not in body and "tool_choice" not in body
