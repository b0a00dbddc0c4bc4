"""`/v1/responses`: answers, typed events and continued conversations, as the official client uses them."""

import asyncio
import gc
import json
from contextlib import suppress

import openai
import pytest

from tests.engines.remote.scripted_server import DONE, delta, refused, said, scripted_server, stream
from tests.gateway.answers import is_json
from tests.gateway.serving import ANSWER, CALL, QUESTION, WEATHER, gateway_over, message_of, writing
from tests.gateway.test_upstream import answered, in_front_of, more, opened
from tests.waiting import await_until
from workbench.app.recording import Recorder
from workbench.gateway.faults import RequestFault
from workbench.gateway.response_memory import ResponseMemory

TOOL = {"type": "function", **WEATHER["function"]}
ASKED = QUESTION[0]["content"]
TWO_CALLS = f"<think>\nHm.\n</think>\n\nI look it up.\n{CALL}\n{CALL.replace('Rome', 'Oslo')}"
CASES = {
    "text": ANSWER,
    "call": CALL,
    "thought, text and calls": TWO_CALLS,
    "only a thought": "<think>\nRome is a city.\n</think>",
    "nothing": "",
    "unreadable call": "<tool_call>no json</tool_call> I tried.",
    "cut-off call": CALL.removesuffix("}\n</tool_call>"),
    "text after a call": f"First.\n{CALL}\nSecond.",
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with gateway_over(tmp_path_factory.mktemp("gateway"), ANSWER) as gateway:
        yield gateway


def respond(gateway, asked=ASKED, headers=None, **fields):
    body = {"model": gateway.model, "input": asked, **fields}
    return gateway.client.post("/v1/responses", json=body, headers=headers)


def typed_events(text):
    """Return the events of a stream, each of which is named by its type."""
    *events, done = text.removesuffix("\n\n").split("\n\n")
    assert done == "data: [DONE]"
    documents = []
    for event in events:
        name, data = event.split("\n")
        documents.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {documents[-1]['type']}"
    assert [document["sequence_number"] for document in documents] == list(range(len(documents)))
    return documents


def without_ids(response):
    """Return what is the same in each answer to a request."""
    items = [{key: value for key, value in item.items() if key != "id"} for item in response["output"]]
    return {**response, "output": items, **dict.fromkeys(("id", "created_at", "completed_at"))}


def replayed(events):
    """Return the items that a client puts together from the events."""
    items = []
    for event in events:
        kind = event["type"]
        if kind == "response.output_item.added":
            assert event["output_index"] == len(items) and event["item"]["status"] == "in_progress"
            items.append({"texts": [], **event["item"]})
            continue
        if kind.startswith(
            ("response.completed", "response.incomplete", "response.created", "response.in_pro")
        ):
            continue
        item = items[event["output_index"]]
        assert event.get("item_id", item["id"]) == item["id"] and "done" not in item
        if kind.endswith(".delta"):
            item["texts"].append(event["delta"])
        elif kind == "response.output_item.done":
            item["done"] = event["item"]
        elif kind.endswith(("text.done", "arguments.done")):
            assert event.get("text", event.get("arguments")) == "".join(item["texts"])
    for item in items:
        done = item["done"]
        text = done["arguments"] if "arguments" in done else done["content"][0]["text"]
        assert text == "".join(item["texts"]) and done["id"] == item["id"]
    return [item["done"] for item in items]


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


def test_the_official_client_continues_a_response_by_its_id(shared):
    async def play(gateway):
        async with openai.AsyncOpenAI(base_url=f"{gateway.url}/v1", api_key="none") as client:
            first = await client.responses.create(
                model=gateway.model, input=ASKED, tools=[TOOL], instructions="X"
            )
            [call] = [item for item in first.output if item.type == "function_call"]
            results = [{"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}]
            stream = await client.responses.create(
                model=gateway.model, input=results, previous_response_id=first.id, tools=[TOOL], stream=True
            )
            second = [event async for event in stream][-1].response
            again = await client.responses.retrieve(second.id)
            assert again.output_text == second.output_text == ANSWER
            assert second.previous_response_id == first.id and second.instructions is None
            await client.responses.delete(first.id)
            with pytest.raises(openai.NotFoundError):
                await client.responses.retrieve(first.id)
            with pytest.raises(openai.BadRequestError) as error:
                await client.responses.create(model=gateway.model, input="?", previous_response_id=first.id)
            assert (error.value.code, error.value.param) == (
                "previous_response_not_found",
                "previous_response_id",
            )
            assert "Send the whole conversation as `input`." in str(error.value)
            return second

    with writing(shared, CALL, ANSWER) as gateway:
        asyncio.run(play(gateway))


def test_a_continued_conversation_has_the_messages_before_it_without_their_instructions(tmp_path):
    with scripted_server(answered(delta(reasoning_content="Hm."), opened("get_weather"), more('{"city": "Rome"}')), said(ANSWER), said("Yes.")) as server, in_front_of(tmp_path, server) as gateway:  # fmt: skip
        fields = {"model": "hermes", "tools": [TOOL]}
        first = respond(gateway, **fields, instructions="Be kind.").json()
        call_id = first["output"][-1]["call_id"]
        output = [{"type": "function_call_output", "call_id": call_id, "output": "sunny"}]
        second = respond(gateway, output, **fields, previous_response_id=first["id"]).json()
        respond(gateway, "Sure?", **fields, previous_response_id=second["id"], instructions="Be short.")
        bodies = [request.body for request in server.requests]
    assert call_id == "chatcmpl-tool-0"
    roles = [[message["role"] for message in body["messages"]] for body in bodies]
    assert roles == [
        ["system", "user"],
        ["user", "assistant", "tool"],
        ["system", "user", "assistant", "tool", "assistant", "user"],
    ]
    called = bodies[1]["messages"][1]
    assert called["reasoning_content"] == "Hm." and called["tool_calls"][0]["id"] == call_id
    assert bodies[2]["messages"][0]["content"] == "Be short."


def test_items_of_stored_responses_can_be_named_instead_of_sent(shared):
    with writing(shared, TWO_CALLS, ANSWER, ANSWER) as gateway:
        first = respond(gateway, tools=[TOOL]).json()
        named = [{"type": "item_reference", "id": item["id"]} for item in first["output"]]
        results = [{"type": "function_call_output", "call_id": item["call_id"], "output": "sunny"} for item in first["output"] if "call_id" in item]  # fmt: skip
        asked = {"role": "user", "content": ASKED}
        whole = respond(gateway, [asked, *first["output"], *results], tools=[TOOL]).json()
        named[0] = {"type": None, "id": named[0]["id"]}
        second = respond(gateway, [asked, *named, *results], tools=[TOOL]).json()
        assert second["output"][0]["content"] == whole["output"][0]["content"]
        assert second["usage"] == whole["usage"]
        twice = respond(gateway, [asked, *named, named[0], *results], tools=[TOOL]).json()["error"]
        assert (twice["code"], twice["param"]) == ("invalid_value", f"input[{len(named) + 1}]")
        gateway.client.delete(f"/v1/responses/{first['id']}")
        error = respond(gateway, [asked, *named, *results], tools=[TOOL]).json()["error"]
        assert (error["code"], error["param"]) == ("item_not_found", "input[1]")


def test_what_is_not_stored_cannot_be_continued(shared):
    with writing(shared, ANSWER) as gateway:
        answer = respond(gateway, store=False).json()
        assert answer["store"] is False
        missing = respond(gateway, previous_response_id=answer["id"])
        assert (missing.status_code, missing.json()["error"]["code"]) == (400, "previous_response_not_found")


def test_a_response_that_the_client_did_not_wait_for_is_not_stored(tmp_path):
    slow = {"text": "word " * 400, "seconds_per_token": 0.01}
    # The only thread answers the second request once it has ended the first.
    with gateway_over(tmp_path, slow, ANSWER, gateway_requests=1) as gateway:
        asked = {"model": gateway.model, "input": ASKED, "stream": True}
        with gateway.client.stream("POST", "/v1/responses", json=asked) as stream:
            created = next(line for line in stream.iter_lines() if line.startswith("data: "))
        await_until(lambda: gateway.client.get("/health").json()["requests"] == 0)
        assert respond(gateway, max_output_tokens=2).status_code == 200
        first = json.loads(created.removeprefix("data: "))["response"]["id"]
        assert gateway.client.get(f"/v1/responses/{first}").status_code == 404


def remembered(memory, owner, *ids):
    found = []
    for response_id in ids:
        with suppress(RequestFault):
            found.append(memory.find(owner, response_id).document["id"])
    return found


def test_the_memory_forgets_the_oldest_responses():
    memory = ResponseMemory(most_bytes=1000)
    ids = [f"resp_{number}" for number in range(4)]
    for response_id in ids:
        memory.add("ann", (), {"id": response_id}, {"role": "assistant", "content": "x" * 300})
    assert remembered(memory, "ann", *ids) == ids[2:] and remembered(memory, "bob", *ids) == []
    memory.find("ann", ids[2])
    memory.add("ann", (), {"id": "next"}, {"role": "assistant", "content": "x" * 300})
    assert remembered(memory, "ann", *ids, "next") == [ids[2], "next"]
    memory.add("ann", (), {"id": "large"}, {"role": "assistant", "content": "x" * 3000})
    assert remembered(memory, "ann", *ids, "next", "large") == []


def test_the_memory_holds_json_and_not_the_objects_of_it():
    memory = ResponseMemory(most_bytes=1_000_000)
    before = len(gc.get_objects())
    for number in range(20):
        memory.add("ann", (), {"id": f"resp_{number}", "metadata": {"a": [[] for _ in range(30_000)]}}, {})
    assert len(gc.get_objects()) - before < 30_000
    assert memory.find("ann", "resp_19").messages == ({},)


def test_parameters_are_translated_and_what_cannot_be_used_is_named(tmp_path):
    fields = {
        "instructions": "Be kind.",
        "tools": [TOOL, {"type": "web_search"}, {"type": "custom", "name": "free"}],
        "tool_choice": {"type": "function", "name": "get_weather"},
        "parallel_tool_calls": False,
        "max_output_tokens": 99,
        "temperature": 0.5,
        "top_p": 0.9,
        "reasoning": {"effort": "low", "summary": "auto"},
        "text": {"format": {"type": "json_schema", "name": "place", "schema": {"type": "object"}}, "verbosity": "low"},
        "truncation": "auto",
        "include": ["reasoning.encrypted_content"],
        "metadata": {"topic": "x"},
        "chat_template_kwargs": {"enable_thinking": False},
        "seed": 7,
        "n": 2,
        "messages": [{"role": "user", "content": "x"}],
    }  # fmt: skip
    with scripted_server(said("{}")) as server, in_front_of(tmp_path, server) as gateway:
        answer = respond(gateway, model="hermes", **fields).json()
        body = server.requests[-1].body
    expected = {
        "tool_choice": {"type": "function", "function": {"name": "get_weather"}},
        "temperature": 0.5,
        "top_p": 0.9,
        "reasoning_effort": "low",
        "verbosity": "low",
        "chat_template_kwargs": {"enable_thinking": False},
        "seed": 7,
    }
    assert {name: body.get(name) for name in expected} == expected
    assert body["response_format"]["json_schema"] == {"name": "place", "schema": {"type": "object"}}
    assert [tool["function"]["name"] for tool in body["tools"]] == ["get_weather"]
    assert 99 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert not {"store", "include", "truncation", "input", "instructions"} & body.keys()
    assert answer["hermes"]["ignored"] == [
        "include.reasoning.encrypted_content",
        "messages",
        "n",
        "reasoning.summary",
        "tools.custom",
        "tools.web_search",
        "truncation",
    ]


IMAGE = {"type": "input_image", "image_url": "https://example.org/x.png"}


@pytest.mark.parametrize(
    ("fields", "ignored"),
    [
        ({"text": {"verbosity": "low", "tone": "x"}}, ["text.tone"]),
        ({"top_logprobs": 3}, ["top_logprobs"]),
        ({"tools": [{**TOOL, "defer_loading": True, "cache_control": None}]}, ["tools.defer_loading"]),
        ({"input": [{"role": "user", "content": [{**IMAGE, "mark": {"x": 1}}]}]}, ["mark"]),
        ({"reasoning_effort": "low", "verbosity": "high"}, None),
    ],
)
def test_nothing_is_left_out_without_being_named(tmp_path, fields, ignored):
    with scripted_server(said(ANSWER)) as server, in_front_of(tmp_path, server) as gateway:
        answer = gateway.client.post("/v1/responses", json={"model": "hermes", "input": "Hi", **fields})
        [body] = [request.body for request in server.requests]
    assert answer.json()["hermes"].get("ignored") == ignored
    if not ignored:
        assert fields.items() <= body.items()
    assert all(tool.keys() == {"type", "function"} for tool in body.get("tools", ()))


def test_an_image_that_is_a_file_of_another_server_is_not_replaced(tmp_path):
    image = {"type": "input_image", "file_id": "file_1"}
    with scripted_server(said(ANSWER)) as server, in_front_of(tmp_path, server) as gateway:
        respond(gateway, [{"role": "user", "content": [image]}], model="hermes")
        [body] = [request.body for request in server.requests]
    assert body["messages"][0]["content"] == [image]


def test_fields_that_are_null_are_not_set(shared):
    names = "instructions", "tools", "tool_choice", "text", "reasoning", "include", "metadata", "stream", "store", "top_logprobs"  # fmt: skip
    with writing(shared, ANSWER) as gateway:
        answer = respond(gateway, **dict.fromkeys(names), previous_response_id=None)
        assert answer.json()["hermes"] == {"fixes": [], "findings": [], "dropped": 0}
        assert gateway.client.head(f"/v1/responses/{answer.json()['id']}").status_code == 200
        assert gateway.client.get(f"/v1/responses/{answer.json()['id']}").json() == answer.json()


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


def test_allowed_tools(shared):
    other = {**TOOL, "name": "other"}
    choice = {
        "type": "allowed_tools",
        "mode": "required",
        "tools": [{"type": "function", "name": "get_weather"}],
    }
    with writing(shared, CALL) as gateway:
        answer = respond(gateway, tools=[TOOL, other], tool_choice=choice).json()
    assert answer["output"][0]["name"] == "get_weather" and answer["tool_choice"] == choice


def test_images_are_spelled_as_chat_requests_have_them(tmp_path):
    image = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low"}
    asked = [{"role": "user", "content": [{"type": "input_text", "text": "Here:"}, image]}]
    with scripted_server(said(ANSWER)) as server, in_front_of(tmp_path, server) as gateway:
        assert respond(gateway, asked, model="hermes").status_code == 200
        [body] = [request.body for request in server.requests]
    url = {"url": image["image_url"], "detail": "low"}
    assert body["messages"][0]["content"] == [{"type": "text", "text": "Here:"}, {"type": "image_url", "image_url": url}]  # fmt: skip


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


FAULTS = {
    "no input": ({"input": []}, "missing_required_parameter", "input"),
    "a wrong input": ({"input": 3}, "invalid_value", "input"),
    "an unknown item": ({"input": [{"type": "web_search_call", "id": "x"}]}, "unsupported_value", "input[0]"),
    "an unknown role": ({"input": [{"role": "user", "content": "x"}, {"role": "robot", "content": "x"}]}, "invalid_value", "input[1]"),
    "a result without call": ({"input": [{"role": "user", "content": "x"}, {"type": "function_call_output", "call_id": "c", "output": "1"}]}, "tool_result_without_call", "input[1]"),
    "a call without name": ({"input": [{"role": "user", "content": "x"}, {"type": "function_call", "call_id": "c", "arguments": "{}"}]}, "invalid_value", "input[1]"),
    "an image": ({"instructions": "Hi", "input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}]}, "unsupported_value", "input[0]"),
    "background": ({"background": True}, "unsupported_value", "background"),
    "a stored conversation": ({"conversation": "conv_1"}, "unsupported_value", "conversation"),
    "too many tokens": ({"max_output_tokens": 0}, "invalid_value", "max_output_tokens"),
    "a format without schema": ({"text": {"format": {"type": "json_schema", "name": "x"}}}, "invalid_value", "text.format"),
    "a reference in the format": ({"text": {"format": {"type": "json_schema", "name": "x", "schema": {"$ref": "https://example.org/x"}}}}, "invalid_schema", "text.format.schema"),
    "an unknown tool choice": ({"tools": [TOOL], "tool_choice": {"type": "function", "name": "x"}}, "invalid_value", "tool_choice"),
    "a tool choice of another kind": ({"tools": [TOOL], "tool_choice": {"type": "mcp", "server_label": "x"}}, "invalid_value", "tool_choice.type"),
    "required without tools": ({"tool_choice": "required", "tools": [{"type": "web_search"}]}, "invalid_value", "tool_choice"),
    "an unknown response": ({"previous_response_id": "resp_1"}, "previous_response_not_found", "previous_response_id"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_name_the_place_in_the_request(shared, name):
    fields, code, param = FAULTS[name]
    response = shared.client.post("/v1/responses", json={"model": shared.model, "input": "Hi", **fields})
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["param"]) == (400, code, param), error
    assert error["message"].startswith(param.partition("[")[0]) and error["type"] == "invalid_request_error"


def test_a_prompt_that_is_too_long_is_a_fault_of_the_input(tmp_path):
    with scripted_server(refused(400, "too many tokens")) as server, in_front_of(tmp_path, server) as gateway:
        error = respond(gateway, model="hermes").json()["error"]
    assert (error["code"], error["param"]) == ("context_length_exceeded", "input")


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
