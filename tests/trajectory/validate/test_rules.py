"""One defect in a valid row gives one finding with its code and place, in every format that can have the defect."""

import json
from typing import Any

import pytest

from tests.trajectory.validate.changed_rows import (
    ASKS,
    CALLS,
    CODEX,
    ENDS,
    GETS,
    HEADER,
    JSON_EXAMPLE,
    KEY,
    PAIR,
    PREFERENCE,
    TALK,
    XML_PARIS,
    XML_ROME,
    beside,
    calling,
    generated,
    generated_key,
    given,
    log,
    nested,
    observed,
    open_tool,
    paris,
    renamed,
    speak,
    system,
)
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
    changed,
    findings_of,
    inserted,
    without,
)
from workbench.chat.finding import Severity

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
    ("call-in-prose", speak(ENDS, '{"function": "now", "parameters": {}}'), ENDS, "/conversations/4/value"),
    ("call-in-prose", speak(ENDS, '{"tool": "now", "tool_input": {}}'), ENDS, "/conversations/4/value"),
    ("call-in-prose", speak(ENDS, 'I\'ll call `get_weather(city="Rome")` now.'), ENDS, "/conversations/4/value"),
    ("call-in-prose", speak(ENDS, 'Calling get_weather with {"city": "Rome"}'), ENDS, "/conversations/4/value"),
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
    ("mojibake", speak(ENDS, "РњРёСЂ!"), ENDS, "/conversations/4/value"),
    ("mojibake", speak(ASKS, "ItвЂ™s late"), ASKS, "/conversations/1/value"),
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
