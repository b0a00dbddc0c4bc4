"""Valid rows, and rows close to a defect, have no findings."""

import json

import pytest

from tests.trajectory.validate.changed_rows import (
    ASKS,
    CALLS,
    ENDS,
    GETS,
    JSON_EXAMPLE,
    TALK,
    XML_PARIS,
    XML_ROME,
    nested,
    paris,
    speak,
    system,
)
from tests.trajectory.validate.rows import (
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
)


@pytest.mark.parametrize("name", VALID)
def test_a_valid_row_has_no_findings(name: str) -> None:
    assert findings_of(VALID[name]) == []


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
    "Cyrillic": speak(ENDS, "СРСР, РІВНЕ, РЄС «Рівне — СЄЛО», СЕРЁЖА, ЂОРЂЕ, ЊЕГОШ, срџба, ЧЕТВРЋ: С“СССР”."),
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
