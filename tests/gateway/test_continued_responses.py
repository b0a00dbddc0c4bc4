"""`/v1/responses`: conversations that are continued from stored responses."""

import asyncio
import gc
import json
from contextlib import suppress

import openai
import pytest

from tests.engines.remote.scripted_server import delta, said, scripted_server
from tests.gateway.responding import ASKED, TOOL, TWO_CALLS, respond
from tests.gateway.serving import ANSWER, CALL, gateway_over, writing
from tests.gateway.upstream import answered, in_front_of, more, opened
from tests.waiting import await_until
from workbench.gateway.faults import RequestFault
from workbench.gateway.response_memory import ResponseMemory


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with gateway_over(tmp_path_factory.mktemp("gateway"), ANSWER) as gateway:
        yield gateway


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
