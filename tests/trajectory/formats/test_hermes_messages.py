"""Calls, results and thoughts inside the content of messages are read like those of ShareGPT."""

import json
from typing import Any

import pytest

from workbench.chat.message import Role
from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import Call, Prose, Result, Thought, Trajectory, is_same_trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.repair import repair_row
from workbench.trajectory.writing.convert import Converted, convert_row, write_row
from workbench.trajectory.writing.row_draft import RowOptions

SPEC = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
ROME = CALL.replace("Oslo", "Rome")
RESULT = '<tool_response>\n{"c": 4}\n</tool_response>'
TARGETS = [name for name in WRITTEN if FORMATS[name].content is RowContent.CONVERSATION]


def row(*messages: tuple[str, str] | dict[str, Any], key: str = "messages", **more: Any) -> dict[str, Any]:
    listed = [
        message if isinstance(message, dict) else {"role": message[0], "content": message[1]}
        for message in messages
    ]
    return {"tools": [SPEC], key: listed, **more}


def talk(call: str = CALL, result: str = RESULT, role: str = "tool", answer: str = "4") -> dict[str, Any]:
    return row(("user", "W?"), ("assistant", call), (role, result), ("assistant", answer))


def structured(content: str | None = None, **more: Any) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": {"city": "Oslo"}}
    call = {"id": "a", "type": "function", "function": function}
    return {"role": "assistant", "content": content, "tool_calls": [call], **more}


def read(given: dict[str, Any]) -> Trajectory:
    form = detect_format(given)
    assert form is not None
    reading = read_trajectory(form.read(given))
    assert reading.problems == ()
    return reading.trajectory


def codes(given: dict[str, Any]) -> list[str]:
    form = detect_format(given)
    assert form is not None
    return [finding.code for finding in check_completely(form.read(given)).findings]


def convert(given: dict[str, Any], target: str) -> Converted:
    form = detect_format(given)
    assert form is not None
    return convert_row(given, form, FORMATS[target], RowOptions())


PLAIN = row(
    ("user", "W?"),
    structured(),
    {"role": "tool", "tool_call_id": "a", "name": "get_weather", "content": '{"c": 4}'},
    ("assistant", "4"),
)


@pytest.mark.parametrize("key", ["messages", "conversations"])
@pytest.mark.parametrize("role", ["tool", "user"])
@pytest.mark.parametrize("target", TARGETS)
def test_a_conversation_in_the_content_becomes_the_same_row_as_one_outside_of_it(
    target: str, role: str, key: str
) -> None:
    given = talk(role=role)
    given[key] = given.pop("messages")
    form = detect_format(given)
    assert form is not None and form.name == "hermes-messages"
    assert codes(given) == []
    done, plain = convert(given, target), convert(PLAIN, target)
    assert done.row is not None, done.problems
    assert done.losses == ()
    written = FORMATS[target].read(json.loads(json.dumps(done.row)))
    assert check_completely(written).findings == ()
    back, same = (
        read_trajectory(FORMATS[target].read(done_row.row or {})).trajectory for done_row in (done, plain)
    )
    assert [
        message.calls and [(c.name, c.arguments) for c in message.calls] for message in back.messages
    ] == [message.calls and [(c.name, c.arguments) for c in message.calls] for message in same.messages]
    assert [message.role for message in back.messages] == [message.role for message in same.messages]
    assert [message.result and message.result.text for message in back.messages] == [
        message.result and message.result.text for message in same.messages
    ]


def test_each_format_can_be_written_as_messages_with_calls_in_the_content() -> None:
    for name in TARGETS:
        if name == "hermes-agent":  # its results are records, which formats with Hermes' texts keep
            continue
        source = convert(PLAIN, name)
        assert source.row is not None, source.problems
        done = convert_row(source.row, FORMATS[name], FORMATS["hermes-messages"], RowOptions())
        assert done.row is not None, done.problems
        # A chat template lists the tools, and it would write the tags of results again in a turn of the tool.
        assert done.row["messages"] == talk(role="user")["messages"], name
        assert done.row["tools"] == [SPEC]


MIXED = {
    "a thought before calls": (
        row(("user", "W?"), structured("<think>\nhm\n</think>\n\n"), ("tool", '{"c": 4}'), ("assistant", "4")),
        (Thought(text="hm"), Call(name="get_weather", arguments={"city": "Oslo"}, id="a")),
    ),
    "the end of a thought before calls": (
        row(("user", "W?"), structured("hm\n</think>\n\nSo:"), ("tool", '{"c": 4}'), ("assistant", "4")),
        (Thought(text="hm"), Prose(text="So:"), Call(name="get_weather", arguments={"city": "Oslo"}, id="a")),
    ),
    "a thought in a key and calls in the content": (
        row(
            ("user", "W?"),
            {"role": "assistant", "content": f"So:\n{CALL}", "reasoning_content": "hm"},
            ("user", RESULT),
            ("assistant", "4"),
        ),
        (Thought(text="hm"), Prose(text="So:"), Call(name="get_weather", arguments={"city": "Oslo"})),
    ),
    "one call in each place": (
        row(("user", "W?"), structured(ROME), ("tool", f"{RESULT}\n{RESULT}"), ("assistant", "4")),
        (
            Call(name="get_weather", arguments={"city": "Rome"}),
            Call(name="get_weather", arguments={"city": "Oslo"}, id="a"),
        ),
    ),
    "content in parts": (
        row(
            ("user", "W?"),
            {"role": "assistant", "content": [{"type": "text", "text": "<think>\nhm\n</think>\n"},
                                              {"type": "text", "text": CALL}]},
            {"role": "tool", "content": [{"type": "text", "text": RESULT}]},
            ("assistant", "4"),
        ),
        (Thought(text="hm"), Call(name="get_weather", arguments={"city": "Oslo"})),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_what_is_in_the_content_and_outside_of_it_is_read_together(name: str) -> None:
    given, parts = MIXED[name]
    message = read(given).messages[1]
    assert message.parts == parts
    assert codes(given) == []
    for target in TARGETS:
        done = convert(given, target)
        assert done.row is not None, (target, done.problems)
        assert {loss.code.value for loss in done.losses} <= {"ids", "reasoning", "preface"}
        assert "<tool_call>" not in json.dumps(done.row) or target in (
            "sharegpt", "hermes-agent", "raw", "hermes-messages",
        )  # fmt: skip


def test_calls_in_several_messages_are_read_wherever_they_are() -> None:
    given = row(
        ("user", "W?"),
        structured(),
        {"role": "tool", "tool_call_id": "a", "content": '{"c": 4}'},
        ("assistant", f"And Rome:\n{ROME}"),
        ("user", RESULT),
        ("assistant", "4"),
    )
    form = detect_format(given)
    assert form is not None and form.name == "trl"
    assert codes(given) == []
    assert [message.role for message in read(given).messages] == [
        Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT,
    ]  # fmt: skip
    done = convert(given, "openai")
    assert done.row is not None
    assert [len(message.get("tool_calls", ())) for message in done.row["messages"]] == [0, 1, 0, 1, 0, 0]


def test_a_result_within_tags_keeps_the_id_and_the_name_of_its_message() -> None:
    given = row(
        ("user", "W?"),
        structured(),
        {"role": "tool", "tool_call_id": "a", "name": "get_weather", "content": RESULT},
        ("assistant", "4"),
    )
    assert read(given).messages[2].result == Result(text='{"c": 4}', id="a", name="get_weather")


@pytest.mark.parametrize(
    ("thought", "parts"),
    [
        ("<think>\nadd\n</think>\n\n4", (Thought(text="add"), Prose(text="4"))),
        ("add\n</think>\n\n4", (Thought(text="add"), Prose(text="4"))),
        ("<scratch_pad>add</scratch_pad>4", (Thought(text="add"), Prose(text="4"))),
        ("<think>\n\n</think>\n\n4", (Prose(text="4"),)),
        ("The tag `<think>` opens a thought.", (Prose(text="The tag `<think>` opens a thought."),)),
        ("2 < 3", (Prose(text="2 < 3"),)),
    ],
)
def test_a_thought_in_the_content_is_a_thought(thought: str, parts: tuple[object, ...]) -> None:
    given = row(("user", "2+2?"), ("assistant", thought))
    assert read(given).messages[1].parts == parts
    for target in ("sharegpt", "raw", "hermes-messages"):
        done = convert(given, target)
        assert done.row is not None, done.problems
        assert json.dumps(thought)[1:-1] in json.dumps(done.row)


DEFECTS = {
    "call-not-strict": talk(CALL.replace('"', "'")),
    "call-unreadable": talk(CALL.replace('{"city": "Oslo"}', "[1]")),
    "call-truncated": row(("user", "W?"), ("assistant", CALL[:40])),
    "undeclared-tool": talk(CALL.replace("weather", "wether")),
    "schema-type": talk(CALL.replace('"Oslo"', "7")),
    "call-without-result": talk(f"{CALL}\n{ROME}"),
    "result-without-call": talk("Wait."),
    "thought-only": talk(answer="<think>\nIt is 4.\n</think>"),
    "call-form": talk(CALL) | {"messages": [{"role": "system", "content": "Write <function=name>."},
                                             *talk(CALL)["messages"]]},
}  # fmt: skip


@pytest.mark.parametrize("code", DEFECTS)
def test_defects_in_the_content_are_found(code: str) -> None:
    assert codes(DEFECTS[code]) == [code]


@pytest.mark.parametrize("target", TARGETS)
def test_a_safe_fix_is_applied_and_reported_and_a_guess_is_not(target: str) -> None:
    done = convert(DEFECTS["call-not-strict"], target)
    assert done.row is not None, done.problems
    assert ("fixed", 1, "python-literal") in [
        (change.code.value, change.entry, change.detail) for change in done.changes
    ]
    assert check_completely(FORMATS[target].read(done.row)).findings == ()
    for guess in (CALL.replace('"Oslo"', '"Os"lo"'), "<think>\nIt is 4. It is 4 degrees.", CALL[:40]):
        refused = convert(talk(guess), target)
        assert refused.row is None
        assert [(problem.code, problem.entry) for problem in refused.problems] == [("call-unreadable", 1)]


def test_fix_out_writes_the_fixed_content() -> None:
    form = FORMATS["hermes-messages"]
    repaired = repair_row(parse_texts(form.read(DEFECTS["call-not-strict"])))
    assert repaired.fields == talk()


@pytest.mark.parametrize(
    ("system", "written", "code"),
    [
        ("Be brief.", "Be brief.", None),
        (None, None, None),
        (f"Be brief. <tools>{json.dumps([SPEC])}</tools>", f"Be brief. <tools>{json.dumps([SPEC])}</tools>",
         "tools-told-twice"),
    ],
)  # fmt: skip
def test_the_system_text_is_kept_without_the_sentences_that_a_template_writes(
    system: str | None, written: str | None, code: str | None
) -> None:
    given = talk(role="user")
    if system:
        given["messages"].insert(0, {"role": "system", "content": system})
    done = convert(given, "hermes-messages")
    assert done.row is not None, done.problems
    assert [change.code.value for change in done.changes] == ([code] if code else [])
    assert done.row["messages"][0]["content"] == (written or "W?")
    listed = convert(done.row, "sharegpt")
    assert listed.row is not None
    back = convert(listed.row, "hermes-messages")
    assert back.row is not None
    assert back.row["messages"][0]["content"] == (written or "W?")


def test_a_written_row_is_read_as_the_same_trajectory() -> None:
    for given, _ in MIXED.values():
        trajectory = read(given)
        done = write_row(trajectory, FORMATS["hermes-messages"], RowOptions())
        assert done.row is not None, done.problems
        again = write_row(read(done.row), FORMATS["hermes-messages"], RowOptions())
        assert again.row == done.row
        assert done.trajectory is not None and is_same_trajectory(read(done.row), done.trajectory)
