"""Requests to `/v1/responses`, what the model writes, and the events of an answer."""

import json

from tests.gateway.serving import ANSWER, CALL, QUESTION, WEATHER

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
"""What a model may write."""


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
