"""Every bad request gets a body of OpenAI's protocol, and nothing is recorded."""

import copy

import pytest

from tests.gateway.serving import ANSWER, CALL, QUESTION, WEATHER, gateway_over, writing
from workbench.app.recording import Recorder

RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "{}"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}


def weather(**parameters):
    tool = copy.deepcopy(WEATHER)
    tool["function"]["parameters"].update(parameters)
    return [tool]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    recorder = Recorder()
    with gateway_over(tmp_path_factory.mktemp("gateway"), ANSWER, recorder=recorder) as served:
        yield served
        recorder.flush()
        assert recorder.counts.answers == 0 and not served.services.sessions.list_sessions(limit=1)


FAULTS = {
    "unknown model": ({"model": "nothing"}, 404, "model_not_found", "model"),
    "unknown contract": ({"model": "nothing/embedded"}, 404, "model_not_found", "model"),
    "a file": ({"model": "scripted:/etc/passwd"}, 404, "model_not_found", "model"),
    "messages that are a text": ({"messages": "Hi"}, 400, "invalid_value", "messages"),
    "empty messages": ({"messages": []}, 400, "invalid_value", "messages"),
    "unknown role": ({"messages": [{"role": "robot", "content": "x"}]}, 400, "invalid_value", "messages[0].role"),
    "no content": ({"messages": [{"role": "user"}]}, 400, "missing_required_parameter", "messages[0].content"),
    "an image": ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}, 400, "unsupported_value", "messages[0].content[0]"),
    "result without call": ({"messages": [*QUESTION, RESULT]}, 400, "tool_result_without_call", "messages[1].tool_call_id"),
    "result of another call": ({"messages": [*QUESTION, CALLED, {**RESULT, "tool_call_id": "call_2"}]}, 400, "tool_result_without_call", "messages[2].tool_call_id"),
    "two results": ({"messages": [*QUESTION, CALLED, RESULT, RESULT]}, 400, "invalid_value", "messages[3].tool_call_id"),
    "result without call or id": ({"messages": [*QUESTION, {"role": "tool", "content": "{}"}]}, 400, "missing_required_parameter", "messages[1].tool_call_id"),
    "call without name": ({"messages": [*QUESTION, {"role": "assistant", "tool_calls": [{"id": "1", "function": {}}]}]}, 400, "invalid_value", "messages"),
    "a reference in the format": ({"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"$ref": "https://example.org/x"}}}}, 400, "invalid_schema", "response_format.json_schema.schema"),
    "a format without schema": ({"response_format": {"type": "json_schema"}}, 400, "invalid_value", "response_format"),
    "unknown tool choice": ({"tools": [WEATHER], "tool_choice": {"type": "function", "function": {"name": "x"}}}, 400, "invalid_value", "tool_choice"),
    "required without tools": ({"tool_choice": "required"}, 400, "invalid_value", "tool_choice"),
    "too many answers": ({"n": 9}, 400, "invalid_value", "n"),
    "temperature": ({"temperature": "hot"}, 400, "invalid_value", "temperature"),
    "no tokens": ({"max_tokens": 0}, 400, "invalid_value", "max_tokens"),
    "logit bias": ({"logit_bias": {"a": 1}}, 400, "invalid_value", "logit_bias"),
}  # fmt: skip


@pytest.mark.parametrize("is_stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_bad_request_is_explained(gateway, name, is_stream):
    changed, status, code, param = FAULTS[name]
    response = gateway.chat(**changed, stream=is_stream)
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert (error["code"], error["param"], error["type"]) == (code, param, "invalid_request_error"), error
    assert error["message"] and "Traceback" not in error["message"]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"model": 1e999}', b"\xff\xfe", b'{"a":' * 5000]
)
def test_a_body_that_is_no_request_is_explained(gateway, body):
    response = gateway.client.post(
        "/v1/chat/completions", content=body, headers={"content-type": "application/json"}
    )
    assert response.status_code == 400 and response.json()["error"]["type"] == "invalid_request_error"


def nested(levels):
    return {"a": nested(levels - 1)} if levels else 1


@pytest.mark.parametrize("path", ["chat/completions", "responses", "messages", "messages/count_tokens"])
def test_a_body_that_is_nested_too_deeply_is_refused(gateway, path):
    asked = {"model": gateway.model, "messages": QUESTION, "input": "Hi", "max_tokens": 9}
    for name in ("metadata", "text", "thinking"):
        response = gateway.client.post(f"/v1/{path}", json={**asked, name: nested(300)})
        assert response.status_code == 400 and "200 levels" in response.json()["error"]["message"]


def test_other_types_paths_and_methods_are_refused(gateway):
    client = gateway.client
    for response, status in (
        (client.post("/v1/chat/completions", content=b"{}", headers={"content-type": "text/plain"}), 415),
        (client.get("/v1/chat/completions"), 405),
        (client.get("/v1/files"), 404),
        (client.post("/v1/models"), 405),
    ):
        assert response.status_code == status and response.json()["error"]["message"]


def test_requests_of_websites_are_refused(gateway):
    for headers, status in (({"origin": "https://example.org"}, 403), ({"host": "example.org"}, 421)):
        response = gateway.chat(headers=headers)
        assert response.status_code == status
        assert not [name for name in response.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_prompt_that_is_too_long_says_by_how_many_tokens(tmp_path, is_stream):
    (tmp_path / "small.yaml").write_text('{"completions": ["x"], "context_tokens": 50}')
    model = f"scripted:{tmp_path / 'small.yaml'}"
    with gateway_over(tmp_path, ANSWER, variables={"WORKBENCH_MODEL": model}) as gateway:
        response = gateway.chat([{"role": "user", "content": "word " * 200}], stream=is_stream)
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["code"] == "context_length_exceeded" and error["param"] == "messages"
    assert "tokens too long" in error["message"]


def test_a_body_or_prompt_that_is_too_large_is_refused(tmp_path):
    with gateway_over(tmp_path, ANSWER, gateway_body_mb=1, gateway_prompt_chars=1000) as gateway:
        large = gateway.chat([{"role": "user", "content": "x" * 1_000_001}])
        assert large.status_code == 413 and large.json()["error"]["code"] == "request_too_large"

        def pieces():
            for _ in range(20):
                yield b" " * 100_000

        headers = {"content-type": "application/json"}
        chunked = gateway.client.post("/v1/chat/completions", content=pieces(), headers=headers)
        assert chunked.status_code == 413
        long = gateway.chat([{"role": "user", "content": "x" * 1001}])
        assert long.status_code == 400 and long.json()["error"]["code"] == "context_length_exceeded"


def test_an_engine_that_fails_gives_an_error_in_both_forms(gateway):
    with writing(gateway, {"text": CALL, "error": "out of memory"}) as gateway:
        plain = gateway.chat()
        assert plain.status_code == 500 and "out of memory" in plain.json()["error"]["message"]
        chunks = gateway.stream()
        assert "out of memory" in chunks[-1]["error"]["message"]
