"""One defect in a valid row gives one finding with its code and place, in every format that can have the defect."""

import json
from typing import Any

import pytest

from tests.trajectory.validate.rows import (
    AGENT,
    OPENAI,
    OTHER,
    PARIS,
    RAIN,
    ROME,
    SHAREGPT,
    SPEC,
    SUN,
    SYSTEM,
    TRL,
    VALID,
    changed,
    findings_of,
    inserted,
    without,
)
from workbench.chat.finding import Severity

TALK = "conversations"
ASKS, CALLS, GETS, ENDS = 1, 2, 3, 4


def speak(place: int, text: str, row: dict[str, Any] = SHAREGPT) -> dict[str, Any]:
    return changed(row, TALK, place, "value", to=text)


def paris(arguments: str) -> str:
    """Return the entry with calls, with other arguments in its first call."""
    return SHAREGPT[TALK][CALLS]["value"].replace('{"city": "Paris", "days": 2}', arguments)


def given(arguments: object, row: dict[str, Any] = OPENAI) -> dict[str, Any]:
    return changed(row, "messages", CALLS, "tool_calls", 0, "function", "arguments", to=arguments)


def nested(levels: int) -> object:
    """Return a number within this many lists and objects in turn."""
    value: object = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def open_tool(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose first tool takes any arguments."""
    return changed(
        row, "tools", 0, "function", "parameters", to={"type": "object", "additionalProperties": True}
    )


def beside(*, city: str, **members: object) -> dict[str, Any]:
    """Return a row whose first call has members beside its arguments."""
    function = {"name": "get_weather", "arguments": json.dumps({"city": city}), **members}
    return changed(OPENAI, "messages", CALLS, "tool_calls", 0, "function", to=function)


def generated(answer: str) -> dict[str, Any]:
    """Return a row in which a tool generates a password."""
    spec = {"name": "generate_password", "parameters": {"type": "object", "properties": {}}}
    entries = [
        {"from": "system", "value": "Be brief."},
        {"from": "human", "value": "I need a password."},
        {"from": "gpt", "value": '<tool_call>\n{"name": "generate_password", "arguments": {}}\n</tool_call>'},
        {"from": "tool", "value": '<tool_response>\n{"password": "a9B7$#fG3&Z1"}\n</tool_response>'},
        {"from": "gpt", "value": answer},
    ]
    return {TALK: entries, "tools": json.dumps([spec])}


KEY = "sk-" + "proj-a8Kd92LmQp71XzRt55VbNc03"


def generated_key(key: str) -> dict[str, Any]:
    """Return a row in which a tool that generates passwords returns a key."""
    result = f'<tool_response>\n{{"password": "{key}"}}\n</tool_response>'
    return changed(generated("Here."), TALK, GETS, "value", to=result)


def renamed(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a row with another name of the tool that generates passwords."""
    renamed_row: dict[str, Any] = json.loads(json.dumps(row).replace("generate_password", name))
    return renamed_row


PREFERENCE: dict[str, Any] = {
    "input": {"messages": OPENAI["messages"][:2], "tools": [SPEC]},
    "preferred_output": [
        {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function":
            {"name": "get_weather", "arguments": {"city": "Rome"}}}]}
    ],
    "non_preferred_output": [{"role": "assistant", "content": "No idea."}],
}  # fmt: skip


def system(text: str) -> dict[str, Any]:
    return speak(0, text)


@pytest.mark.parametrize("name", VALID)
def test_a_valid_row_has_no_findings(name: str) -> None:
    assert findings_of(VALID[name]) == []


XML_PARIS, XML_ROME = (
    f"<tool_call>\n<function=get_weather>\n<parameter=city>\n{city}\n</parameter>\n</function>\n</tool_call>"
    for city in ("Paris", "Rome")
)
JSON_EXAMPLE = '<tool_call>\n{"name": <name>, "arguments": <arguments>}\n</tool_call>'

NOTHING_WRONG = {
    "an answer without a call": {**SHAREGPT, TALK: [*SHAREGPT[TALK][:2], SHAREGPT[TALK][ENDS]]},
    "no system text": {**SHAREGPT, TALK: SHAREGPT[TALK][1:]},
    "a call at the end": {**SHAREGPT, TALK: SHAREGPT[TALK][:3]},
    "results in a user's entry": changed(SHAREGPT, TALK, GETS, "from", to="human"),
    "one result an entry": inserted(
        speak(GETS, SUN), TALK, ENDS, {"from": "tool", "value": RAIN}
    ),
    "a tag named in a question": speak(ASKS, "What does <tool_call> mean?"),
    "a tag named in a system text": system(f"Write <tool_call> and </tool_call>. {SYSTEM}"),
    "other words of the same tools": system(SYSTEM.replace("Weather of a city.", "The weather.")),
    "tools in another order": changed(SHAREGPT, "tools", to=json.dumps([OTHER, SPEC])),
    "null where it is allowed": changed(
        {**TRL, "tools": [{"function": {"name": "get_weather", "parameters": {"properties": {"city": {}}}}}]},
        "messages", CALLS, "tool_calls", 0, "function", "arguments", to={"city": None},
    ) | {"messages": [*TRL["messages"][:2], {"role": "assistant", "tool_calls": [
        {"function": {"name": "get_weather", "arguments": {"city": None}}}]}]},
    "calls in the form of the example": system(f"{SYSTEM}\n{JSON_EXAMPLE}"),
    "XML calls without an example": speak(CALLS, f"{XML_PARIS}\n{XML_ROME}"),
    "a thought before a call": speak(CALLS, f"<think>\nhm\n</think>\n{PARIS}\n{ROME}"),
    "braces in code": speak(ENDS, "Write f'{name}' or {x: 1}."),
    "a mail address that nobody owns": speak(ASKS, "Mail to ann@example.com"),
    "a tool that an answer talks about": speak(ENDS, "Use get_weather(city) or\nget_weather(city: str), as get_weather does."),
    "a call in a code fence": speak(ENDS, 'Write:\n```python\nprint("x")\nget_weather("Rome")\n```'),
    "results by the name of the tool": speak(ENDS, 'get_weather: {"sky": "sun"}'),
    "the same tool with other values": speak(CALLS, PARIS + "\n" + ROME.replace("Rome", "Oslo")),
    "French and Portuguese": speak(ENDS, "Voilà « le café » : “AMANHÔ, naïve, SÃO, été\u00a0»."),
    "Chinese, Russian and an emoji": speak(ENDS, "中文 Привет 😀 \U0001f1e9\U0001f1ea"),
    "many digits that are not a card": speak(ASKS, "Order 4111 1111 1111 1112"),
    "the largest integers and the deepest column": {**SHAREGPT, "n": [2**63 - 1, -(2**63)], "tree": nested(62)},
    "long numbers as text": {**OPENAI, "n": [str(2**70), "[" * 300 + "]" * 300]},
    "an open schema": changed(
        changed(SHAREGPT, "tools", to=json.dumps([{"function": {"name": "get_weather", "parameters": {
            "type": "object", "properties": {"city": {}}, "additionalProperties": True}}}])),
        TALK, 0, "value", to="Be brief.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTHING_WRONG)
def test_rows_close_to_a_defect_have_no_findings(name: str) -> None:
    assert findings_of(NOTHING_WRONG[name]) == []


HEADER: dict[str, Any] = {"type": "session", "harness": "my-agent", "id": "s", "tools": [SPEC]}


def log(header: dict[str, Any], *more: object) -> dict[str, Any]:
    """Return a session trace with a question, an answer, and more lines."""
    said = ({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."})
    return {"traces": [header, *({"type": "message", "message": message} for message in said), *more]}


CODEX: dict[str, Any] = {
    "traces": [
        {
            "type": "session_meta",
            "payload": {"id": "s", "dynamic_tools": [{"name": "now", "description": "Now"}]},
        },
        *(
            {"type": "response_item", "payload": {"type": "message", "role": role, "content": text}}
            for role, text in (("user", "Hi"), ("assistant", "Hello."), ("user", "Remove it"))
        ),
        {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
    ]
}


def observed(text: str) -> dict[str, Any]:
    """Return a row of LLaMA-Factory whose observation has this text."""
    calls = [{"name": "get_weather", "arguments": {"city": city}} for city in ("Paris", "Rome")]
    turns = [
        ("human", "Weather?"),
        ("function_call", json.dumps(calls)),
        ("observation", text),
        ("gpt", "Sun."),
    ]
    return {
        TALK: [{"from": speaker, "value": value} for speaker, value in turns],
        "tools": json.dumps([SPEC]),
    }


def calling(arguments: object) -> dict[str, Any]:
    """Return an answer with one call."""
    function = {"name": "get_weather", "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": function}]}


PAIR: dict[str, Any] = {
    "prompt": [{"role": "user", "content": "Weather?"}],
    "chosen": [{"role": "assistant", "content": "Sun."}],
    "rejected": [calling({"city": "a"})],
    "tools": [SPEC, OTHER],
}


DEFECTS: list[tuple[str, dict[str, Any], int | None, str]] = [
    ("missing-field", without(SHAREGPT, TALK, ASKS, "value"), ASKS, "/conversations/1/value"),
    ("missing-field", without(OPENAI, "messages", 5, "content"), 5, "/messages/5/content"),
    ("unknown-role", changed(SHAREGPT, TALK, ASKS, "from", to="alien"), ASKS, "/conversations/1/from"),
    ("unknown-role", changed(SHAREGPT, TALK, CALLS, "from", to="bot"), CALLS, "/conversations/2/from"),
    ("unknown-role", changed(OPENAI, "messages", 3, "role", to="result"), 3, "/messages/3/role"),
    ("mask-value", changed(SHAREGPT, TALK, ENDS, "weight", to=0.5), ENDS, "/conversations/4/weight"),
    ("mask-value", changed(SHAREGPT, TALK, ASKS, "train", to="false"), ASKS, "/conversations/1/train"),
    ("mask-value", changed(SHAREGPT, TALK, ENDS, "train_detail", to=[0, 4]), ENDS, "/conversations/4/train_detail"),
    ("mask-value", changed(OPENAI, "messages", 5, "loss", to=[True]), 5, "/messages/5/loss"),
    ("mask-value", changed(OPENAI, "messages", 5, "mask", to=True), 5, "/messages/5/mask"),
    ("role-order", inserted(SHAREGPT, TALK, 2, {"from": "human", "value": "And?"}), 2, "/conversations/2"),
    ("role-order", inserted(SHAREGPT, TALK, 5, {"from": "gpt", "value": "More."}), 5, "/conversations/5"),
    ("role-order", inserted(SHAREGPT, TALK, 4, {"from": "human", "value": "And?"}), 4, "/conversations/4"),
    ("role-order", without(SHAREGPT, TALK, ASKS), 1, "/conversations/1"),
    ("role-order", inserted(SHAREGPT, TALK, 2, {"from": "system", "value": "x"}), 2, "/conversations/2"),
    ("role-order", inserted(OPENAI, "messages", 2, {"role": "user", "content": "x"}), 2, "/messages/2"),
    ("empty-entry", speak(ASKS, " \n"), ASKS, "/conversations/1"),
    ("empty-entry", speak(CALLS, ""), CALLS, "/conversations/2"),
    ("empty-entry", speak(GETS, ""), GETS, "/conversations/3"),
    ("empty-entry", changed(OPENAI, "messages", 5, "content", to=""), 5, "/messages/5"),
    ("empty-entry", changed(OPENAI, "messages", 5, "content", to=None), 5, "/messages/5"),
    ("thought-only", speak(ENDS, "<think>\nIt is warm.\n</think>"), ENDS, "/conversations/4"),
    ("thought-only", speak(ENDS, "It is warm.\n</think>\n"), ENDS, "/conversations/4"),
    (
        "thought-only",
        changed(OPENAI, "messages", 5, to={"role": "assistant", "content": None, "reasoning_content": "Warm."}),
        5,
        "/messages/5",
    ),
    (
        "thought-only",
        inserted(inserted(SHAREGPT, TALK, 1, {"from": "gpt", "value": "<think>a</think>"}), TALK, 1,
                 {"from": "human", "value": "Hi"}),
        2,
        "/conversations/2",
    ),
    ("last-not-assistant", without(SHAREGPT, TALK, ENDS), GETS, "/conversations/3"),
    ("last-not-assistant", without(OPENAI, "messages", 5), 4, "/messages/4"),
    ("tools-unreadable", changed(SHAREGPT, "tools", to="[{"), None, "/tools"),
    ("tools-unreadable", changed(SHAREGPT, "tools", to='{"a": 1}'), None, "/tools"),
    ("tools-mismatch", system(SYSTEM.replace('"now"', '"today"')), 0, "/conversations/0/value"),
    ("tools-mismatch", system(SYSTEM.replace('"days"', '"weeks"')), 0, "/conversations/0/value"),
    ("tools-mismatch", changed(SHAREGPT, "tools", to=json.dumps([SPEC])), 0, "/conversations/0/value"),
    ("tool-declared-twice", changed(OPENAI, "tools", to=[SPEC, OTHER, OTHER]), None, "/tools"),
    (
        "spec-unsound",
        changed(OPENAI, "tools", 1, "function", "parameters", to={"type": "text"}),
        None,
        "/tools/1/function/parameters/type",
    ),
    ("spec-unsound", changed(OPENAI, "tools", 0, "function", "parameters", "type", to="array"), None,
     "/tools/0/function/parameters/type"),
    (
        "spec-unusual",
        changed(OPENAI, "tools", 0, "function", "parameters", "properties", "days", "type", to="int"),
        None,
        "/tools/0/function/parameters/properties/days/type",
    ),
    ("undeclared-tool", speak(CALLS, f"{PARIS}\n{ROME.replace('weather', 'wether')}"), CALLS, "/conversations/2/value"),
    (
        "undeclared-tool",
        changed(OPENAI, "messages", CALLS, "tool_calls", 1, "function", "name", to="then"),
        CALLS,
        "/messages/2/tool_calls/1",
    ),
    ("schema-type", speak(CALLS, paris('{"city": 7}')), CALLS, "/city"),
    ("schema-type", speak(CALLS, paris('{"city": "x", "days": "two"}')), CALLS, "/days"),
    ("schema-type", speak(CALLS, paris('{"city": "x", "places": [{"x": 1}, {"x": "one"}]}')), CALLS, "/places/1/x"),
    ("schema-type", given('{"city": null}'), CALLS, "/city"),
    ("schema-enum", given('{"city": "x", "unit": "K"}'), CALLS, "/unit"),
    ("schema-minimum", given({"city": "x", "days": 0}, TRL), CALLS, "/days"),
    ("schema-missing-required", speak(CALLS, paris("{}")), CALLS, "/city"),
    ("schema-unknown-argument", speak(CALLS, paris('{"city": "x", "town": "y"}')), CALLS, "/town"),
    ("schema-unknown-argument", given('{"city": "x", "places": [{"y": 1}]}'), CALLS, "/places/0/y"),
    ("call-not-strict", speak(CALLS, paris('{"city": "Paris",}')), CALLS, "/conversations/2/value"),
    ("call-not-strict", speak(CALLS, paris("{'city': 'Paris'}")), CALLS, "/conversations/2/value"),
    ("call-not-strict", speak(CALLS, f"{PARIS}\n{ROME[:-12]}"), CALLS, "/conversations/2/value"),
    ("call-not-strict", speak(CALLS, paris('{"city": "a", "city": "b"}')), CALLS, "/conversations/2/value"),
    ("call-not-strict", given('{"city": "Paris",}'), CALLS, "/messages/2/tool_calls/0/function/arguments"),
    ("call-unreadable", speak(CALLS, paris("[1]")), CALLS, "/conversations/2/value"),
    ("call-unreadable", speak(CALLS, paris('{"city": @!}')), CALLS, "/conversations/2/value"),
    ("call-unreadable", speak(CALLS, paris('{"city": NaN}')), CALLS, "/conversations/2/value"),
    ("call-unreadable", speak(CALLS, PARIS[12:-13]), CALLS, "/conversations/2/value"),
    ("call-unreadable", given("{city:: }"), CALLS, "/messages/2/tool_calls/0/function/arguments"),
    ("call-unreadable", given("[]"), CALLS, "/messages/2/tool_calls/0/function/arguments"),
    ("call-truncated", speak(CALLS, f"{PARIS}\n{ROME[:40]}"), CALLS, "/conversations/2/value"),
    ("call-not-strict", speak(CALLS, paris('{"city": "Paris"}, "days": 2')), CALLS, "/conversations/2/value"),
    (
        "call-not-strict",
        speak(
            CALLS,
            f"{PARIS}\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>",
        ),
        CALLS,
        "/conversations/2/value",
    ),
    ("call-not-strict", beside(days=2, city="Paris"), CALLS, "/messages/2/tool_calls/0"),
    ("call-form", speak(CALLS, f"{XML_PARIS}\n{XML_ROME}", speak(0, f"{SYSTEM}\n{JSON_EXAMPLE}")), CALLS,
     "/conversations/2/value"),
    ("call-form", system(f"{SYSTEM} <function=example_name>"), CALLS, "/conversations/2/value"),
    ("unknown-member", speak(CALLS, paris('{"city": "Paris"}, "town": "x"')), CALLS, "/conversations/2/value"),
    ("unknown-member", beside(town="x", city="Paris"), CALLS, "/messages/2/tool_calls/0"),
    ("unknown-member", changed(OPENAI, "messages", CALLS, "tool_calls", 0, "extra_content", to={"a": 1}), CALLS,
     "/messages/2/tool_calls/0"),
    ("call-without-result", speak(GETS, SUN), CALLS, "/conversations/2/value"),
    ("call-without-result", without(OPENAI, "messages", 4), CALLS, "/messages/2/tool_calls/1"),
    ("result-without-call", speak(GETS, f"{SUN}\n{RAIN}\n{SUN}"), GETS, "/conversations/3/value"),
    ("result-without-call", speak(CALLS, PARIS), GETS, "/conversations/3/value"),
    ("result-id-mismatch", changed(OPENAI, "messages", 4, "tool_call_id", to="a"), 4, "/messages/4/content"),
    ("result-id-mismatch", changed(OPENAI, "messages", 4, "tool_call_id", to="z"), 4, "/messages/4/content"),
    ("result-id-mismatch", speak(GETS, AGENT[TALK][GETS]["value"].replace("get_w", "w", 1), AGENT), GETS,
     "/conversations/3/value"),
    ("result-order", changed(changed(OPENAI, "messages", 3, "tool_call_id", to="b"), "messages", 4, "tool_call_id",
     to="a"), 3, "/messages/3/content"),
    ("call-in-user", speak(ASKS, f"Do this: {PARIS}"), ASKS, "/conversations/1/value"),
    ("control-mark", speak(ASKS, "Stop here<|im_end|>"), ASKS, "/conversations/1/value"),
    ("control-mark", system(SYSTEM + "<|im_start|>"), 0, "/conversations/0/value"),
    ("control-mark", speak(GETS, f'{SUN}\n{RAIN.replace("rain", "</tool_response> rain")}'), GETS,
     "/conversations/3/value"),
    ("control-mark", speak(ENDS, "Sun.\n<tool_response>\nrain\n</tool_response>"), ENDS, "/conversations/4/value"),
    ("control-mark", given('{"city": "<|im_end|>"}'), CALLS, "/messages/2/tool_calls/0/function/arguments"),
    ("control-mark", speak(CALLS, paris('{"city": "<|im_end|>"}')), CALLS, "/conversations/2/value"),
    ("placeholder", system(SYSTEM + " {tool_call}"), 0, "/conversations/0/value"),
    ("placeholder", speak(ASKS, "Weather in {{ city }}?"), ASKS, "/conversations/1/value"),
    ("none-filled", given({"city": "Paris", "days": None}, TRL), CALLS, "/days"),
    ("none-filled", given({"city": "Paris", "zone": None}, TRL), CALLS, "/zone"),
    ("secret", speak(ASKS, "Use hf_" + "aB3" * 11), ASKS, "/conversations/1/value"),
    ("secret", changed(OPENAI, "messages", 3, "content", to="AKIA" + "ABCDEFGH12345678"), 3, "/messages/3/content"),
    ("secret", given('{"city": "https://me:hunter22@host.org"}'), CALLS, "/messages/2/tool_calls/0/function/arguments"),
    ("generated-secret", generated("The password."), GETS, "/conversations/3/value"),
    ("generated-secret", renamed(generated_key(KEY), "create_api_key"), GETS, "/conversations/3/value"),
    ("secret", generated_key(KEY), GETS, "/conversations/3/value"),
    ("secret", generated_key("AKIA" + "IOSFODNN7QXAMPLE"), GETS, "/conversations/3/value"),
    ("arguments-not-text", PREFERENCE, 2, "/preferred_output/0/tool_calls/0/function/arguments"),
    ("lone-surrogate", speak(ENDS, "Sun. \ud83d"), ENDS, "/conversations/4/value"),
    ("lone-surrogate", changed(OPENAI, "messages", 4, "content", to="\udc00"), 4, "/messages/4/content"),
    ("lone-surrogate", {**SHAREGPT, "source": ["a", "\ud83d"]}, None, "/source/1"),
    ("lone-surrogate", {**OPENAI, "\ud83d": 1}, None, "/\ud83d"),
    ("lone-surrogate", given('{"city": "\\ud83d"}'), CALLS, "/messages/2/tool_calls/0/function/arguments"),
    ("null-character", speak(ASKS, "a\0b"), ASKS, "/conversations/1/value"),
    ("null-character", system(SYSTEM + "\0"), 0, "/conversations/0/value"),
    ("null-character", given({"city": "\0"}, TRL), CALLS, "/messages/2/tool_calls/0/function/arguments/city"),
    ("null-character", speak(CALLS, f"{PARIS}\n{ROME}".replace("Rome", "\\u0000")), CALLS, "/conversations/2/value"),
    ("null-character", {**SHAREGPT, "tools": SHAREGPT["tools"].replace("a city.", "\\u0000"),
     TALK: SHAREGPT[TALK][1:]}, None, "/tools"),
    ("lone-surrogate", {**OPENAI, "tools": json.dumps([SPEC, OTHER]).replace("a city.", "\\ud83d")}, None, "/tools"),
    ("lone-surrogate", observed('["sun", "\\ud83d"]'), 2, "/conversations/2/value"),
    ("non-finite-number", {**SHAREGPT, "score": float("inf")}, None, "/score"),
    ("non-finite-number", changed(SHAREGPT, TALK, ENDS, "score", to=float("nan")), ENDS, "/conversations/4/score"),
    ("non-finite-number", {**TRL, "scores": [1.0, {"a/b": float("-inf")}]}, None, "/scores/1/a~1b"),
    ("big-integer", {**SHAREGPT, "seed": 2**63}, None, "/seed"),
    ("big-integer", changed(SHAREGPT, TALK, ENDS, "id", to=-(2**63) - 1), ENDS, "/conversations/4/id"),
    ("big-integer", {**OPENAI, "hashes": [1, {"a/b": 10**30}]}, None, "/hashes/1/a~1b"),
    ("big-integer", given({"city": "Rome", "days": 2**64}, TRL), CALLS, "/messages/2/tool_calls/0/function/arguments/days"),
    ("big-integer", changed(OPENAI, "tools", 1, "function", "parameters", to={"type": "object", "properties":
     {"n": {"type": "integer", "maximum": 2**64}}}), None, "/tools/1/function/parameters/properties/n/maximum"),
    ("deep-nesting", {**SHAREGPT, "tree": nested(63)}, None, "/tree"),
    ("deep-nesting", {**OPENAI, "tree": nested(600)}, None, "/tree"),
    ("deep-nesting", {**SHAREGPT, "tree": [nested(62), nested(600), []]}, None, "/tree"),
    ("deep-nesting", changed(SHAREGPT, TALK, ENDS, "tree", to=nested(61)), ENDS, "/conversations/4"),
    ("deep-nesting", given({"city": "Rome", "places": nested(600)}, open_tool(TRL)), CALLS,
     "/messages/2/tool_calls/0/function/arguments"),
    ("duplicate-key", given('{"city": "a", "city": "b"}'), CALLS, "/messages/2/tool_calls/0/function/arguments"),
    ("duplicate-key", given('{"city": "a", "places": [{"x": 1, "x": 2}]}'), CALLS,
     "/messages/2/tool_calls/0/function/arguments"),
    ("duplicate-key", {**SHAREGPT, "tools": SHAREGPT["tools"].replace('"name": "now"', '"name": "x", "name": "now"'),
     TALK: SHAREGPT[TALK][1:]}, None, "/tools"),
    ("duplicate-key", system(SYSTEM.replace('"name": "now"', '"name": "x", "name": "now"')), 0, "/conversations/0/value"),
    ("duplicate-key", without(system(SYSTEM.replace('"city": {', '"city": 1, "city": {')), "tools"), 0,
     "/conversations/0/value"),
    ("duplicate-key", {**PAIR, "rejected": [calling('{"city": "a", "city": "b"}')]}, 2,
     "/rejected/0/tool_calls/0/function/arguments"),
    ("duplicate-key", {
        TALK: [{"from": "human", "value": "Weather?"}],
        "chosen": {"from": "gpt", "value": "Sun."},
        "rejected": {"from": "function_call", "value": '{"name": "now", "arguments": {"a": 1, "a": 2}}'},
        "tools": json.dumps([OTHER]),
    }, 2, "/rejected/value"),
    ("call-in-prose", speak(ENDS, 'get_weather("Rome")'), ENDS, "/conversations/4/value"),
    ("call-in-prose", speak(ENDS, 'One more.\nget_weather({"city": "Rome"})'), ENDS, "/conversations/4/value"),
    ("call-in-prose", speak(ENDS, 'functions.get_weather: {"city": "Rome"}'), ENDS, "/conversations/4/value"),
    ("call-in-prose", speak(ENDS, "get_weather(city=Rome)"), ENDS, "/conversations/4/value"),
    ("call-in-prose", changed(OPENAI, "messages", 5, "content", to='get_weather("Rome")'), 5, "/messages/5/content"),
    ("call-unreadable", speak(ENDS, 'get_weather(city="Rome")'), ENDS, "/conversations/4/value"),
    ("call-in-prose", speak(ENDS, '[{"name": "now", "arguments": {}}]'), ENDS, "/conversations/4/value"),
    ("call-in-prose", speak(ENDS, 'So:\n```json\n{"name": "now", "arguments": {}}\n```'), ENDS, "/conversations/4/value"),
    ("call-in-prose", speak(ENDS, 'Now:\n{"name": "now", "arguments": {}}'), ENDS, "/conversations/4/value"),
    ("call-unreadable", speak(ENDS, '[TOOL_CALLS][{"name": "now", "arguments": {}}]'), ENDS,
     "/conversations/4/value"),
    ("repeated-call", speak(CALLS, f"{PARIS}\n{PARIS}"), CALLS, "/conversations/2/value"),
    ("repeated-call", given('{"city":"Rome"}'), CALLS, "/messages/2/tool_calls/1"),
    ("mojibake", speak(ENDS, "In the CafÃ©."), ENDS, "/conversations/4/value"),
    ("mojibake", speak(ASKS, "Itâ€™s late"), ASKS, "/conversations/1/value"),
    ("mojibake", changed(OPENAI, "messages", 3, "content", to="18Â°C"), 3, "/messages/3/content"),
    ("mojibake", speak(ASKS, "鏉变含?"), ASKS, "/conversations/1/value"),
    ("mojibake", speak(ENDS, "浣犲ソ锛屼笘鐣�".removesuffix("�")), ENDS, "/conversations/4/value"),
    ("mojibake", speak(ASKS, "縺薙ｓ縺ｫ縺｡縺ｯ"), ASKS, "/conversations/1/value"),
    ("mojibake", given(json.dumps({"city": "MÃ¼nchen"})), CALLS, "/messages/2/tool_calls/0/function/arguments"),
    ("mojibake", given(json.dumps({"city": "鏉变含"})), CALLS, "/messages/2/tool_calls/0/function/arguments"),
    ("mojibake", speak(CALLS, paris(json.dumps({"city": "MÃ¼nchen"}))), CALLS, "/conversations/2/value"),
    ("mojibake", speak(GETS, f"{SUN}\n{RAIN}".replace("sun", "\\u00c3\\u00bc")), GETS, "/conversations/3/value"),
    ("replacement-character", given('{"city": "K\\ufffdln"}'), CALLS, "/messages/2/tool_calls/0/function/arguments"),
    ("replacement-character", speak(CALLS, paris('{"city": "K\\ufffdln"}')), CALLS, "/conversations/2/value"),
    ("replacement-character", speak(GETS, f"{SUN}\n{RAIN}".replace("sun", "s\\ufffdn")), GETS, "/conversations/3/value"),
    ("replacement-character", speak(GETS, f"{SUN}\n{RAIN}".replace("sun", "s\ufffdn")), GETS, "/conversations/3/value"),
    ("replacement-character", system(SYSTEM + "\ufffd"), 0, "/conversations/0/value"),
    ("tools-unlisted", log({"type": "session", "id": "s"}), None, "/traces/0"),
    ("log-line", log(HEADER, '{"type": "mess'), None, "/traces/3"),
    ("log-event", log(HEADER, {"type": "brain-wave"}), None, "/traces/3"),
    ("log-members", log(HEADER, {"type": "message", "id": "r", "rating": 1, "message":
                                 {"role": "user", "content": "?", "rating": 2}},
                        {"type": "message", "message": {"role": "assistant", "content": "!"}}), None, "/traces/0"),
    ("log-compacted", log(HEADER, {"type": "compaction", "summary": "Greetings."}), None, "/traces/3"),
    ("log-left-out", CODEX, None, "/traces/4"),
    ("personal-data", speak(ASKS, "Mail to ann@corp.com"), ASKS, "/conversations/1/value"),
    ("personal-data", speak(ASKS, "Card 4111 1111 1111 1111"), ASKS, "/conversations/1/value"),
    ("personal-data", speak(ASKS, "Pay to DE89 3704 0044 0532 0130 00"), ASKS, "/conversations/1/value"),
]  # fmt: skip


@pytest.mark.parametrize("text", [
    'I will call get_weather(city="Oslo") now.',
    'print(get_weather(city="Oslo"))',
    'await get_weather(city="Oslo")',
    'result = get_weather(city="Oslo")',
    'const r = await get_weather({"city": "Oslo"});',
    '```tool_code\nprint(get_weather(city="Oslo"))\n```',
    'Thought: look\nAction:\n```json\n{"action": "get_weather", "action_input": {"city": "Oslo"}}\n```',
    "Action: get_weather[Oslo]",
    "Action: get_weather\nAction Input: Oslo",
    '{"tool_calls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}]}',
    '{"tool_calls": [{"type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]}',
    '<tool_use>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_use>',
    'Call: get_weather with {"city": "Oslo"}',
])  # fmt: skip
def test_a_call_in_a_form_that_nobody_reads_is_found(text: str) -> None:
    assert [finding.code for finding in findings_of(speak(ENDS, text))] == ["call-in-prose"]
    assert [finding.code for finding in findings_of(changed(TRL, "messages", 5, "content", to=text))] == [
        "call-in-prose"
    ]


@pytest.mark.parametrize("text", [
    'For example, `get_weather(city="Oslo")` returns the weather.',
    '```python\nr = get_weather(city="Oslo")\nprint(r)\n```',
    'import weather\nresult = get_weather(city="Oslo")',
    'def get_weather(city="Oslo"):\n    return 1',
    'I called get_weather(city="Oslo") and it says sun.',
    'I will call get_weather(city="Oslo") if you agree.',
    'Shall I look? Then I will call get_weather(city).',
    "Call get_weather with a city.",
    "Call: get_weather with a city",
    "Action: get_weather [see below]",
    "The result = get_weather of Oslo",
    '{"name": "Oslo", "tool": "get_weather", "input": 1}',
    json.dumps(SPEC, indent=1),
])  # fmt: skip
def test_text_that_mentions_a_function_is_not_a_call(text: str) -> None:
    assert findings_of(speak(ENDS, text)) == []


def test_text_about_escapes_and_rare_characters_are_not_damaged() -> None:
    for text in (
        r'Write "\ufffd" or "\u00c3\u00a9" in JSON.',
        "溆浦县、涓滴之水、洵阳、臺灣鸚鵡麒麟、飜譯書",
        "日･中･韓",
    ):
        assert findings_of(speak(ENDS, text)) == []
        assert findings_of(speak(CALLS, paris(json.dumps({"city": text})))) == []
    assert findings_of(speak(CALLS, paris(r'{"city": "Z\u00fcrich"}'))) == []


@pytest.mark.parametrize(
    ("code", "row", "entry", "pointer"),
    DEFECTS,
    ids=[f"{place}-{finding[0]}" for place, finding in enumerate(DEFECTS)],
)
def test_one_defect_gives_one_finding(
    code: str, row: dict[str, Any], entry: int | None, pointer: str
) -> None:
    assert [(finding.code, finding.entry, finding.pointer) for finding in findings_of(row)] == [
        (code, entry, pointer)
    ]


def test_messages_are_short_and_do_not_reveal_secrets() -> None:
    for _, row, _, _ in DEFECTS:
        for finding in findings_of(row):
            assert 0 < len(finding.message) < 100
            assert "hunter22" not in finding.message


def test_two_defects_in_two_blocks_are_two_findings() -> None:
    row = speak(CALLS, paris('{"city": "Paris",}').replace('"Rome"}}', '"Rome",}}'))
    assert [finding.code for finding in findings_of(row)] == ["call-not-strict", "call-not-strict"]


def test_calls_and_results_are_not_paired_if_roles_are_out_of_order() -> None:
    swapped = {**SHAREGPT, TALK: [SHAREGPT[TALK][place] for place in (0, 2, 1, 3, 4)]}
    assert {finding.code for finding in findings_of(swapped)} == {"role-order"}


LLAMAFACTORY: dict[str, Any] = {
    TALK: [
        {"from": "human", "value": "a"},
        {"from": "function_call", "value": '{"name": "now", "arguments": {}}'},
        {"from": "observation", "value": "1"},
        {"from": "gpt", "value": "b"},
    ],
    "tools": json.dumps([OTHER["function"]]),
}
USER_AFTER_RESULTS = [
    (inserted(SHAREGPT, TALK, 4, {"from": "human", "value": "And?"}), Severity.WARNING),
    (inserted(OPENAI, "messages", 5, {"role": "user", "content": "And?"}), Severity.WARNING),
    (inserted(LLAMAFACTORY, TALK, 3, {"from": "human", "value": "And?"}), Severity.ERROR),
]


@pytest.mark.parametrize(("row", "severity"), USER_AFTER_RESULTS, ids=["sharegpt", "openai", "llamafactory"])
def test_a_user_after_results_is_an_error_only_where_the_trainer_skips_it(
    row: dict[str, Any], severity: Severity
) -> None:
    assert [(finding.code, finding.severity) for finding in findings_of(row)] == [("role-order", severity)]


@pytest.mark.parametrize(("arguments", "found"), [("", False), ('{"city": "Rome",}', False), ("[1]", True)])
def test_calls_of_a_rejected_answer_that_a_conversion_can_read_are_not_found(
    arguments: str, *, found: bool
) -> None:
    function = {"name": "now" if arguments == "" else "get_weather", "arguments": arguments}
    row = {
        "prompt": [{"role": "user", "content": "?"}],
        "chosen": [{"role": "assistant", "content": "b"}],
        "rejected": [
            {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": function}]}
        ],
        "tools": [SPEC, OTHER],
    }
    assert ("call-unreadable" in {finding.code for finding in findings_of(row)}) is found
