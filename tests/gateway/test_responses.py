"""`/v1/responses`: answers and typed events, as the official client uses them."""

import json

import openai
import pytest

from tests.engines.remote.scripted_server import DONE, delta, scripted_server, stream
from tests.gateway.answers import is_json
from tests.gateway.responding import (
    ASKED,
    CASES,
    TOOL,
    TWO_CALLS,
    replayed,
    respond,
    typed_events,
    without_ids,
)
from tests.gateway.serving import ANSWER, CALL, QUESTION, WEATHER, gateway_over, message_of, writing
from tests.gateway.upstream import answered, in_front_of, more, opened
from workbench.app.recording import Recorder


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with gateway_over(tmp_path_factory.mktemp("gateway"), ANSWER) as gateway:
        yield gateway


@pytest.mark.parametrize("name", CASES)
def test_a_stream_adds_up_to_the_plain_answer_and_says_the_same_as_a_chat_completion(shared, name):
    with writing(shared, CASES[name]) as gateway:
        chat = gateway.chat(tools=[WEATHER]).json()
        plain = respond(gateway, tools=[TOOL]).json()
        events = typed_events(respond(gateway, tools=[TOOL], stream=True).text)
    assert [event["type"] for event in events[:2]] == ["response.created", "response.in_progress"]
    assert events[-1]["type"] == "response.completed"
    assert without_ids(events[-1]["response"]) == without_ids(plain)
    runnable = [item for item in replayed(events) if item["status"] == "completed"]
    assert events[-1]["response"]["output"] == runnable
    message = chat["choices"][0]["message"]
    texts = {kind: "".join(item["content"][0]["text"] for item in plain["output"] if item["type"] == kind) for kind in ("message", "reasoning")}  # fmt: skip
    assert texts["message"] == (message["content"] or "")
    assert texts["reasoning"] == message.get("reasoning_content", "")
    calls = [(item["call_id"], item["name"], item["arguments"]) for item in plain["output"] if item["type"] == "function_call"]  # fmt: skip
    assert [name for _, name, _ in calls] == [
        call["function"]["name"] for call in message.get("tool_calls", ())
    ]
    assert [json.loads(text) for *_, text in calls] == [json.loads(call["function"]["arguments"]) for call in message.get("tool_calls", ())]  # fmt: skip
    assert plain["hermes"] == chat["hermes"]
    assert plain["usage"]["total_tokens"] == chat["usage"]["total_tokens"]


def test_the_events_of_a_call(shared):
    with writing(shared, "<think>\nHm.\n</think>\n\nI look.\n" + CALL) as gateway:
        events = typed_events(respond(gateway, tools=[TOOL], stream=True).text)
    kinds = [event["type"].removeprefix("response.") for event in events]
    steps = [kind for place, kind in enumerate(kinds) if kind != kinds[place - 1]]
    assert steps == [
        "created", "in_progress",
        "output_item.added", "content_part.added", "reasoning_text.delta", "reasoning_text.done", "content_part.done", "output_item.done",
        "output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done", "output_item.done",
        "output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done",
        "completed",
    ]  # fmt: skip
    [part] = [event for event in events if event["type"] == "response.content_part.added"][1:]
    item = events[-1]["response"]["output"][1]
    assert part == {
        "type": "response.content_part.added",
        "sequence_number": part["sequence_number"],
        "item_id": item["id"],
        "output_index": 1,
        "content_index": 0,
        "part": {"type": "output_text", "text": "", "annotations": [], "logprobs": []},
    }
    done = next(event for event in events if event["type"] == "response.function_call_arguments.done")
    call = events[-1]["response"]["output"][2]
    assert done["name"] == "get_weather" and done["arguments"] == call["arguments"] == '{"city": "Rome"}'


def test_an_answer_that_is_cut_off_is_incomplete_and_has_no_call_that_can_be_run(shared):
    with writing(shared, CALL) as gateway:
        plain = respond(gateway, tools=[TOOL], max_output_tokens=15).json()
        events = typed_events(respond(gateway, tools=[TOOL], max_output_tokens=15, stream=True).text)
        text = respond(gateway, max_output_tokens=3).json()
    assert plain["status"] == "incomplete" and plain["completed_at"] is None
    assert plain["incomplete_details"] == {"reason": "max_output_tokens"}
    assert all(item["type"] == "message" for item in plain["output"])
    assert events[-1]["type"] == "response.incomplete"
    assert without_ids(events[-1]["response"]) == without_ids(plain)
    for item in replayed(events):
        if item["type"] == "function_call":
            assert item["status"] == "incomplete"
            with pytest.raises(ValueError):
                json.loads(item["arguments"])
    assert text["output"][0]["status"] == "incomplete"


def test_the_official_client_calls_and_answers(shared):
    with writing(shared, TWO_CALLS, ANSWER) as gateway, openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="none") as client:  # fmt: skip
        first = client.responses.create(
            model=gateway.model, input=ASKED, tools=[TOOL], instructions="Be kind."
        )
        reasoning, message, *calls = first.output
        assert (reasoning.type, reasoning.content[0].text) == ("reasoning", "Hm.")
        assert first.output_text == message.content[0].text == "I look it up."
        assert [json.loads(call.arguments)["city"] for call in calls] == ["Rome", "Oslo"]
        results = [
            {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"} for call in calls
        ]
        history = [{"role": "user", "content": ASKED}, *[item.to_dict() for item in first.output], *results]
        with client.responses.stream(model=gateway.model, input=history, tools=[TOOL]) as stream:
            texts = [event.delta for event in stream if event.type == "response.output_text.delta"]
            final = stream.get_final_response()
        assert "".join(texts) == final.output_text == ANSWER
        assert final.hermes == {"fixes": [], "findings": [], "dropped": 0}


def test_logprobs_are_part_of_the_finished_text(tmp_path):
    likely = [{"token": "It", "logprob": -0.1, "bytes": [73, 116], "top_logprobs": []}]
    piece = json.dumps(
        {"choices": [{"index": 0, "delta": {"content": "It"}, "logprobs": {"content": likely}}]}
    )
    with scripted_server(stream(f"data: {piece}\n\n".encode(), delta("stop"), DONE)) as server, in_front_of(tmp_path, server) as gateway:  # fmt: skip
        fields = {"include": ["message.output_text.logprobs"], "top_logprobs": 2}
        answer = respond(gateway, model="hermes", **fields).json()
        body = server.requests[-1].body
    assert (body["logprobs"], body["top_logprobs"]) == (True, 2) and "ignored" not in answer["hermes"]
    assert answer["output"][0]["content"][0]["logprobs"][0]["token"] == "It"


def test_calls_whose_pieces_mix_follow_each_other(tmp_path):
    mixed = answered(
        opened("get_weather"), opened("get_weather", 1), more('{"city": ', 1), more('{"city": '), more('"Oslo"}', 1),
        more('"Rome"}'), finish="tool_calls",
    )  # fmt: skip
    with scripted_server(mixed, mixed) as server, in_front_of(tmp_path, server) as gateway:
        events = typed_events(respond(gateway, model="hermes", tools=[TOOL], stream=True).text)
        plain = respond(gateway, model="hermes", tools=[TOOL]).json()
    assert [item["arguments"] for item in replayed(events)] == ['{"city": "Rome"}', '{"city": "Oslo"}']
    assert without_ids(events[-1]["response"]) == without_ids(plain)
    added = [place for place, event in enumerate(events) if event["type"] == "response.output_item.added"]
    done = [place for place, event in enumerate(events) if event["type"] == "response.output_item.done"]
    assert added[0] < done[0] < added[1] < done[1]


ROME, CUT = '{"city": "Rome"}', '{"city": "Os'


@pytest.mark.parametrize(
    ("pieces", "runnable", "findings"),
    [
        ([opened("get_weather", 0, ROME), opened("get_weather", 1, CUT)], [ROME], ["truncated"]),
        ([opened("get_weather", 0, ROME), delta(content="Then")], [ROME], []),
        ([opened("get_weather", 0, ROME)], [ROME], []),
        ([opened("get_weather")], [], ["truncated"]),
    ],
)
def test_all_protocols_have_the_same_parsed_calls_of_an_answer_that_was_cut_off(
    tmp_path, pieces, runnable, findings
):
    with scripted_server(answered(*pieces, finish="length")) as server, in_front_of(tmp_path, server) as gateway:  # fmt: skip
        chat = gateway.chat(model="hermes", tools=[WEATHER]).json()
        streamed = message_of(gateway.stream(model="hermes", tools=[WEATHER]))
        plain = respond(gateway, model="hermes", tools=[TOOL]).json()
        events = typed_events(respond(gateway, model="hermes", tools=[TOOL], stream=True).text)
    calls = [call["function"]["arguments"] for call in chat["choices"][0]["message"].get("tool_calls", ())]
    texts = [call["function"]["arguments"] for call in streamed["tool_calls"]]
    assert calls == runnable == [text for text in texts if is_json(text)]
    assert runnable == [item["arguments"] for item in plain["output"] if item["type"] == "function_call"]
    assert [item for item in replayed(events) if item["status"] == "completed"] == [
        item for item in events[-1]["response"]["output"] if item["status"] == "completed"
    ]
    assert plain["hermes"] == chat["hermes"] == {"fixes": [], "findings": findings, "dropped": len(findings)}


def test_a_stream_that_breaks_off_has_failed(tmp_path):
    broken = [delta(role="assistant", content=""), delta(content="It is "), b'data: {"error": {"message": "out of memory"}}\n\n']  # fmt: skip
    with scripted_server(stream(*broken)) as server, in_front_of(tmp_path, server) as gateway:
        text = respond(gateway, model="hermes", stream=True).text
    last = json.loads(text.rstrip().rpartition("data: ")[2])
    assert last["type"] == "response.failed" and last["response"]["status"] == "failed"
    assert (
        last["response"]["error"]["code"] == "server_error"
        and "out of memory" in last["response"]["error"]["message"]
    )


def test_a_text_that_waits_for_a_call_is_not_lost_if_the_stream_breaks_off(tmp_path):
    pieces = [delta(content="Look."), opened("get_weather", 0, CUT), delta(content="Wait.")]
    broken = stream(*pieces, b'data: {"error": {"message": "out of memory"}}\n\n')
    with scripted_server(broken) as server, in_front_of(tmp_path, server) as gateway:
        text = respond(gateway, model="hermes", tools=[TOOL], stream=True).text
    *events, last = typed_events(f"{text}data: [DONE]\n\n")
    items = [(item["type"], item["status"]) for item in replayed(events)]
    assert items == [("message", "completed"), ("function_call", "incomplete"), ("message", "incomplete")]
    texts = [item["content"][0]["text"] for item in last["response"]["output"]]
    assert (last["type"], texts) == ("response.failed", ["Look.", "Wait."])


def test_a_recorded_conversation_looks_like_one_of_chat_completions(tmp_path_factory):
    sessions = []
    for kind in ("chat", "responses"):
        recorder = Recorder("agent")
        with gateway_over(tmp_path_factory.mktemp(kind), TWO_CALLS, ANSWER, recorder=recorder) as gateway:
            if kind == "chat":
                message = message_of(gateway.stream(tools=[WEATHER]))
                message = {"role": "assistant", **message}
                results = [{"role": "tool", "tool_call_id": call["id"], "content": "sunny"} for call in message["tool_calls"]]  # fmt: skip
                answer = gateway.chat([*QUESTION, message, *results], tools=[WEATHER])
            else:
                first = respond(gateway, tools=[TOOL])
                items = first.json()["output"]
                results = [{"type": "function_call_output", "call_id": item["call_id"], "output": "sunny"} for item in items if item["type"] == "function_call"]  # fmt: skip
                answer = respond(
                    gateway, [{"role": "user", "content": ASKED}, *items, *results], tools=[TOOL]
                )
                assert first.headers["x-hermes-session"] == answer.headers["x-hermes-session"]
            recorder.flush()
            path = gateway.services.sessions.path(answer.headers["x-hermes-session"])
            sessions.append([(stored.message.role, stored.message.text, stored.message.calls, stored.message.thought, stored.message.name) for stored in path])  # fmt: skip
        recorder.close()
    assert sessions[0] == sessions[1] and len(sessions[0]) == 5
