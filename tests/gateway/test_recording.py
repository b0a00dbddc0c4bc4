"""Requests over HTTP become sessions, and recording never disturbs a client."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.gateway.serving import (
    ANSWER,
    QUESTION,
    WEATHER,
    ServedGateway,
    events_of,
    gateway_over,
    message_of,
)
from tests.gateway.test_command import environment, free_port
from workbench.app.recording import Recorder
from workbench.app.runs.session_suite import suite_from_sessions
from workbench.chat.message import Role
from workbench.records.sessions import MessageOrigin, StoredMessage

RAW = '<think>\nI look it up.\n</think>\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome", "days": 2,}}\n</tool_call>\n'
SESSION = "x-hermes-session"


@pytest.fixture
def gateway(tmp_path: Path, recorder: Recorder) -> Iterator[ServedGateway]:
    """A gateway that records, whose model calls, answers, and answers again."""
    with gateway_over(tmp_path, RAW, f"{ANSWER}\n", "You are welcome.", recorder=recorder) as served:
        yield served


def path(gateway: ServedGateway, recorder: Recorder, session_id: str) -> list[StoredMessage]:
    """Return the open path of a session, once everything is written."""
    recorder.flush()
    return list(gateway.services.sessions.path(session_id))


def sent_again(message: dict[str, object]) -> dict[str, object]:
    """Return an answer as many clients send it: other ids, other JSON, no reasoning."""
    calls = [
        {
            "id": f"other_{number}",
            "type": "function",
            "function": {
                "name": call["function"]["name"],
                "arguments": json.dumps(
                    dict(reversed(json.loads(call["function"]["arguments"]).items())), indent=1
                ),
            },
        }
        for number, call in enumerate(message.get("tool_calls") or ())
    ]
    kept = {"role": "assistant", "content": message["content"]}
    return {**kept, "tool_calls": calls} if calls else kept


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_call_its_result_and_the_answer_become_one_session(
    gateway: ServedGateway, recorder: Recorder, *, is_stream: bool
) -> None:
    messages, ids = [*QUESTION], list[str]()
    agent = {"user-agent": "my-agent/2.0"}
    for following in (
        {"role": "tool", "content": '{"celsius": 31}'},
        {"role": "user", "content": "Thanks."},
        None,
    ):
        model = f"minimal/{gateway.model}"
        response = gateway.chat(messages, tools=[WEATHER], model=model, stream=is_stream, headers=agent)
        assert response.status_code == 200
        ids.append(response.headers[SESSION])
        messages.append(sent_again(answer_of(response, is_stream=is_stream)))
        if following and following["role"] == "tool":
            following = {**following, "tool_call_id": "other_0"}
        messages += [following] if following else []
    assert len(set(ids)) == 1
    stored = path(gateway, recorder, ids[0])
    assert [message.message.role for message in stored] == [
        Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.USER, Role.ASSISTANT,
    ]  # fmt: skip
    assert [message.message.text for message in stored[1:]] == [
        QUESTION[0]["content"], RAW, '{"celsius": 31}', f"{ANSWER}\n", "Thanks.", "You are welcome.",
    ]  # fmt: skip
    assert stored[3].message.name == "get_weather"
    origins = [message.origin for message in stored]
    assert origins[2] is MessageOrigin.MODEL and origins[3] is MessageOrigin.GATEWAY
    generation = stored[2].generation
    assert generation is not None and generation.is_exact
    assert generation.prompt_text.endswith("<|im_start|>assistant\n")
    assert generation.timing.completion_tokens > 0
    (session,) = gateway.services.sessions.list_sessions()
    assert (session.tags, session.is_recorded) == (("agent",), True)
    assert session.client == "my-agent/2.0"
    found = gateway.services.sessions.find_session(session.id)
    assert found is not None and found.setup.contract_name == "minimal"
    assert [spec.name for spec in found.setup.offered_tools().specs] == ["get_weather"]
    assert gateway.client.get("/health").json()["recorded"] == {"answers": 3, "messages": 7, "failures": 0}


def answer_of(response: httpx.Response, *, is_stream: bool) -> dict[str, object]:
    """Return the message of an answer, joined if it is a stream."""
    if not is_stream:
        return response.json()["choices"][0]["message"]
    return message_of(events_of(response.text))


def test_a_conversation_that_diverges_becomes_a_branch(gateway: ServedGateway, recorder: Recorder) -> None:
    first = gateway.chat(tools=[WEATHER])
    call = sent_again(first.json()["choices"][0]["message"])
    for result in ('{"celsius": 31}', '{"celsius": -3}'):
        tool = {"role": "tool", "tool_call_id": "other_0", "content": result}
        response = gateway.chat([*QUESTION, call, tool], tools=[WEATHER])
        assert response.headers[SESSION] == first.headers[SESSION]
    recorder.flush()
    tree = gateway.services.sessions.tree(first.headers[SESSION])
    results = [node for node in tree if node.role is Role.TOOL]
    assert len(results) == 2 and len({node.parent_id for node in results}) == 1


def test_a_client_names_its_session(gateway: ServedGateway, recorder: Recorder) -> None:
    named = gateway.chat(metadata={"session": "ticket 17"})
    other = gateway.chat([{"role": "user", "content": "Something else"}], metadata={"session": "ticket 17"})
    by_header = gateway.chat(
        [{"role": "user", "content": "And else"}], headers={SESSION: named.headers[SESSION]}
    )
    assert named.headers[SESSION] == other.headers[SESSION] == by_header.headers[SESSION]
    recorder.flush()
    assert len(gateway.services.sessions.list_sessions()) == 1


def test_requests_at_the_same_time_and_several_answers_become_branches(
    tmp_path: Path, recorder: Recorder
) -> None:
    answers = [f"Answer {number}." for number in range(12)]
    with gateway_over(tmp_path, *answers, recorder=recorder) as gateway:
        with ThreadPoolExecutor(8) as pool:
            responses = list(pool.map(lambda _: gateway.chat(), range(8)))
        assert {response.status_code for response in responses} == {200}
        several = gateway.chat(n=3)
        (session_id,) = {response.headers[SESSION] for response in (*responses, several)}
        recorder.flush()
        tree = gateway.services.sessions.tree(session_id)
    sent = {
        choice["message"]["content"]
        for response in (*responses, several)
        for choice in response.json()["choices"]
    }
    assert len([node for node in tree if node.role is Role.ASSISTANT]) == len(sent)
    assert len([node for node in tree if node.role is Role.USER]) == 1


def test_a_failure_of_the_store_does_not_fail_the_request(gateway: ServedGateway, recorder: Recorder) -> None:
    data = gateway.services.settings.data
    gateway.services.store.close()
    for file in data.glob("workbench.sqlite3*"):
        file.unlink()
    (data / "workbench.sqlite3").write_text("this is not a database" * 100)
    response = gateway.client.post(
        "/v1/chat/completions", json={"model": gateway.model, "messages": QUESTION, "tools": [WEATHER]}
    )
    assert response.status_code == 200, response.text
    assert response.json()["choices"][0]["finish_reason"] == "tool_calls"
    recorder.flush()
    counts = gateway.client.get("/health").json()["recorded"]
    assert counts["answers"] == 0 and counts["failures"] >= 1


def test_without_a_recorder_nothing_is_stored(tmp_path: Path) -> None:
    with gateway_over(tmp_path, ANSWER) as gateway:
        response = gateway.chat()
        assert SESSION not in response.headers
        assert "recorded" not in gateway.client.get("/health").json()
        assert gateway.services.sessions.list_sessions() == ()


def test_a_recorded_session_can_be_run_again(gateway: ServedGateway, recorder: Recorder) -> None:
    system = {"role": "system", "content": "Answer in Latin."}
    gateway.chat([system, *QUESTION], tools=[WEATHER], model=f"minimal/{gateway.model}")
    recorder.flush()
    (case,) = suite_from_sessions(gateway.services, "agent").suite.cases
    assert case.system == "Answer in Latin."
    assert [call.name for call in case.expectations[0].calls or ()] == ["get_weather"]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("gateway --record-tag agent", "--record-tag: it needs --record"),
        ("serve --record", "--record: it needs --gateway"),
    ],
)
@pytest.mark.slow
@pytest.mark.long
def test_options_that_do_not_fit_are_refused(tmp_path: Path, command: str, problem: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *shlex.split(command)],
        env=environment(tmp_path), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and problem in done.stderr, done.stderr


@pytest.mark.slow
@pytest.mark.long
def test_the_first_line_says_that_requests_are_recorded(tmp_path: Path) -> None:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "gateway", "--record", "--record-tag", "agent", "--port", str(port)],
        env=environment(tmp_path), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
        assert re.fullmatch(
            r"Requests and answers are recorded as sessions in sqlite:///\S+, tagged agent\.\n", first
        )
        assert "The gateway is running at" in process.stdout.readline()
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"metadata": {"session": "a\0b"}}, 400),
        ({"messages": [{"role": "user", "content": "a\0b"}]}, 200),
        ({"stop": "a\0b"}, 200),
        ({"metadata": {"session": "ab"}}, 200),
    ],
)
def test_no_session_is_announced_that_cannot_be_stored(
    tmp_path: Path, fields: dict[str, object], status: int
) -> None:
    recorder = Recorder()
    with gateway_over(tmp_path, "Fine.", recorder=recorder) as gateway:
        body = {"model": gateway.model, "messages": [{"role": "user", "content": "Hi"}], **fields}
        answer = gateway.client.post("/v1/chat/completions", json=body)
        recorder.flush()
        assert answer.status_code == status
        stored = {session.id for session in gateway.services.sessions.list_sessions()}
        announced = answer.headers.get("x-hermes-session")
        assert {announced} - {None} == stored
        assert bool(stored) is (fields == {"metadata": {"session": "ab"}})
        if status == 400:
            assert "metadata.session: it contains NUL" in answer.json()["error"]["message"]
    recorder.close()
