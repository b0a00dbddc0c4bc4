"""Calls of the history whose arguments are not JSON reach the model as they were written, and are reported."""

import json
from html import escape

import pytest

from tests.gateway.serving import ANSWER, QUESTION, WEATHER, gateway_over
from workbench.app.recording import Recorder
from workbench.hermes.spelling.families import FAMILIES

HISTORIES = {"cut off": '{"city": "Os', "Python": "{'city': 'Oslo',}", "a list": '["Oslo"]'}


def history(arguments):
    call = {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    result = {"role": "tool", "tool_call_id": "a", "content": "sunny"}
    return [*QUESTION, {"role": "assistant", "content": None, "tool_calls": [call]}, result]


@pytest.mark.parametrize("family", FAMILIES)
def test_arguments_that_are_not_json_are_rendered_and_reported(family, tmp_path):
    recorder = Recorder()
    with gateway_over(tmp_path, ANSWER, recorder=recorder, family=family) as gateway:
        for text in HISTORIES.values():
            answer = gateway.chat(history(text), tools=[WEATHER])
            assert "arguments-not-object" in answer.json()["hermes"]["findings"]
            recorder.flush()
            leaf = list(gateway.services.sessions.path(answer.headers["x-hermes-session"]))[-1]
            prompt = leaf.generation.prompt_text
            spellings = (text, json.dumps(text), repr(text), escape(text, quote=False))
            assert any(spelling in prompt for spelling in spellings), prompt[-400:]
        valid = gateway.chat(history('{"city": "Oslo"}'), tools=[WEATHER]).json()
        assert "arguments-not-object" not in valid["hermes"]["findings"]
    recorder.close()


def test_the_same_through_the_other_protocols(tmp_path):
    text = HISTORIES["cut off"]
    call = {"type": "function_call", "call_id": "a", "name": "get_weather", "arguments": text}
    items = [*QUESTION, call, {"type": "function_call_output", "call_id": "a", "output": "sunny"}]
    tool = {"type": "function", **WEATHER["function"]}
    with gateway_over(tmp_path, ANSWER) as gateway:
        body = {"model": gateway.model, "input": items, "tools": [tool]}
        answer = gateway.client.post("/v1/responses", json=body).json()
    assert answer["hermes"]["findings"] == ["arguments-not-object"]
