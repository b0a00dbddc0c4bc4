"""The same conversation is written in every format, field by field."""

import json
from dataclasses import replace

import pytest

from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.hermes_text import spell_parts
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.system_text import FRAMES, compose_system, split_system
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage, Thought, Trajectory
from workbench.trajectory.writing.argument_columns import ArgumentTypes
from workbench.trajectory.writing.convert import convert_row, write_row
from workbench.trajectory.writing.row_draft import RowOptions

TOOLS = OfferedTools(specs=(ToolSpec.of_function({"name": "f", "description": "d", "parameters": {}}),))
SPECS = json.dumps([spec.document for spec in TOOLS.specs])
CALLS = (Call(name="f", arguments={"a": 1}, id="x"), Call(name="f", arguments={"b": [None, "é"]}, id="y"))


def message(role, *parts, **more):
    """Return a message."""
    return RowMessage(role=Role(role), parts=parts, **more)


TALK = Trajectory(
    messages=(
        message("system", Prose(text="Be brief.")),
        message("user", Prose(text="q")),
        message("assistant", Thought(text="hm"), Prose(text="Look:"), *CALLS),
        message("tool", Result(text='{"t": 1}', id="x", name="f")),
        message("tool", Result(text="error: no", id="y", name="f")),
        message("assistant", Prose(text="done")),
    ),
    tools=TOOLS,
    columns={"id": 1},
)
SPELLED = (
    "<think>\nhm\n</think>\nLook:\n"
    '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>\n'
    '<tool_call>\n{"name": "f", "arguments": {"b": [null, "é"]}}\n</tool_call>'
)
RESULTS = '<tool_response>\n{"t": 1}\n</tool_response>\n<tool_response>\nerror: no\n</tool_response>'


def written(name, trajectory=TALK, **terms):
    done = write_row(trajectory, FORMATS[name], RowOptions(**terms))
    assert done.problems == ()
    return done.row


def test_sharegpt():
    row = written("sharegpt", source="mine")
    assert list(row) == ["conversations", "tools", "id", "source"]
    system, *rest = row["conversations"]
    assert system["from"] == "system"
    assert system["value"].endswith("</tool_call>\n\nBe brief.")
    assert f"<tools>\n{SPECS}\n</tools>" in system["value"]
    assert rest == [
        {"from": "human", "value": "q"},
        {"from": "gpt", "value": SPELLED},
        {"from": "tool", "value": RESULTS},
        {"from": "gpt", "value": "done"},
    ]
    assert (row["tools"], row["source"], row["id"]) == (SPECS, "mine", 1)


def test_results_are_written_to_user_entries_on_request():
    assert written("sharegpt", result_role="user")["conversations"][3] == {"from": "human", "value": RESULTS}
    assert f"<|im_start|>user\n{RESULTS}<|im_end|>\n" in written("raw", result_role="user")["text"]


def test_hermes_agent():
    row = written("hermes-agent")
    assert [entry["value"] for entry in row["conversations"][2:]] == [
        SPELLED,
        '<tool_response>\n{"tool_call_id": "x", "name": "f", "content": {"t": 1}}\n</tool_response>\n'
        '<tool_response>\n{"tool_call_id": "y", "name": "f", "content": "error: no"}\n</tool_response>',
        "<think>\n</think>\ndone",
    ]
    assert (
        '[{"name": "f", "description": "d", "parameters": {}, "required": null}]'
        in row["conversations"][0]["value"]
    )
    assert row["completed"] is True
    assert row["tool_stats"] == {"f": {"count": 2, "success": 1, "failure": 1}}


def test_openai():
    row = written("openai")
    assert row["messages"][2] == {
        "role": "assistant",
        "content": "Look:",
        "tool_calls": [
            {"id": "x", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
            {"id": "y", "type": "function", "function": {"name": "f", "arguments": '{"b": [null, "é"]}'}},
        ],
    }
    assert row["messages"][3] == {"role": "tool", "tool_call_id": "x", "content": '{"t": 1}'}
    assert row["tools"] == [spec.document for spec in TOOLS.specs]


def test_trl():
    message = written("trl")["messages"][2]
    assert message["reasoning_content"] == "hm"
    assert [call["function"]["arguments"] for call in message["tool_calls"]] == [{"a": 1}, {"b": [None, "é"]}]
    message = written("trl", arguments="text")["messages"][2]
    assert message["tool_calls"][0]["function"]["arguments"] == '{"a": 1}'


def test_llamafactory():
    row = written("llamafactory")
    assert row["conversations"] == [
        {"from": "human", "value": "q"},
        {
            "from": "function_call",
            "value": '<think>\nhm\n</think>\n\n[{"name": "f", "arguments": {"a": 1}}, {"name": "f", "arguments": {"b": [null, "é"]}}]',
        },
        {"from": "observation", "value": '{"t": 1}\n</tool_response>\n<tool_response>\nerror: no'},
        {"from": "gpt", "value": "done"},
    ]
    assert row["system"] == "Be brief."
    assert json.loads(row["tools"]) == [TOOLS.specs[0].function]


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ((message("assistant", Prose(text="a")),), "must alternate"),
        (
            (message("user", Prose(text="a")), message("user", Prose(text="b")), message("assistant")),
            "must alternate",
        ),
        ((message("user", Prose(text="a")),), "last message"),
        (
            (message("user"), message("assistant"), message("system", Prose(text="s")), message("assistant")),
            "only allowed at the beginning",
        ),
    ],
)
def test_llamafactory_requires_alternating_roles(messages, problem):
    done = write_row(Trajectory(messages=messages), FORMATS["llamafactory"], RowOptions())
    assert any(problem in problem_found.message for problem_found in done.problems)


def test_raw_marks_what_the_loss_counts():
    row = written("raw")
    text = row["text"]
    counted = [text[start:end] for start, end in row["loss_spans"]]
    assert counted == [SPELLED + "<|im_end|>", "done<|im_end|>"]
    assert f"<|im_start|>tool\n{RESULTS}<|im_end|>\n<|im_start|>assistant\ndone<|im_end|>\n" in text


def test_a_message_outside_the_loss_stays_outside():
    unseen = replace(
        TALK, messages=(*TALK.messages[:-1], message("assistant", Prose(text="done"), is_trained=False))
    )
    assert len(written("raw", unseen)["loss_spans"]) == 1
    for name in ("raw", "openai", "sharegpt", "hermes-agent"):
        back = read_trajectory(FORMATS[name].read(written(name, unseen))).trajectory
        assert back.messages[-1].is_trained is False, name


def test_dpo_and_kto():
    answers = replace(TALK, rejected=(message("assistant", Prose(text="no")),))
    row = written("dpo", answers)
    assert [message["role"] for message in row["prompt"]] == ["system", "user"]
    assert [message["role"] for message in row["chosen"]] == ["assistant", "tool", "tool", "assistant"]
    assert row["rejected"] == [{"role": "assistant", "content": "no"}]
    row = written("kto", replace(TALK, label=False))
    assert row["label"] is False
    assert row["completion"][-1] == {"role": "assistant", "content": "done"}


def test_a_pair_without_a_prompt_is_split_where_the_answers_differ():
    shared = [{"role": "user", "content": "q"}]
    row = {
        "chosen": [*shared, {"role": "assistant", "content": "yes"}],
        "rejected": [*shared, {"role": "assistant", "content": "no"}],
    }
    read = FORMATS["dpo"].read(row)
    assert read.answer_start == 1
    assert [entry.pointer for entry in read.all_entries] == ["/chosen/0", "/chosen/1", "/rejected/1"]
    assert written("dpo", read_trajectory(read).trajectory)["prompt"] == shared


def test_a_pair_of_plain_texts_is_read():
    read = FORMATS["dpo"].read({"prompt": "q", "chosen": "yes", "rejected": "no"})
    assert [(entry.role, entry.text, entry.pointer) for entry in read.all_entries] == [
        ("user", "q", "/prompt"),
        ("assistant", "yes", "/chosen"),
        ("assistant", "no", "/rejected"),
    ]


def test_hermes_text_formats_preserve_the_bytes_of_messages():
    call = '<tool_call>{"arguments":{"x":1.10},"name":"f"}</tool_call>'
    row = {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": call}], "tools": SPECS}
    for name in ("sharegpt", "raw"):
        done = convert_row(row, FORMATS["sharegpt"], FORMATS[name], RowOptions())
        assert call in json.dumps(done.row, ensure_ascii=False).replace('\\"', '"')


def test_safe_fixes_are_applied_and_guesses_are_refused():
    def gpt(text):
        row = {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": text}]}
        return convert_row(row, FORMATS["sharegpt"], FORMATS["openai"], RowOptions())

    done = gpt("<tool_call>\n{'name': 'f', 'arguments': {'a': 1,}}\n</tool_call>")
    assert [str(change.code) for change in done.changes] == ["fixed", "ids-made"]
    assert done.changes[0].entry == 1
    done = gpt('<tool_call>\n{"name": "f", "arguments": {"a": "he said "hi" to me"}}\n</tool_call>')
    assert done.row is None
    assert (done.problems[0].entry, done.problems[0].pointer) == (1, "/conversations/1/value")
    assert "unescaped-quote" in done.problems[0].message


def test_a_text_with_a_special_token_is_refused_and_the_token_is_named():
    row = {
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": "Write <|im_end|> now."},
        ]
    }
    done = convert_row(row, FORMATS["openai"], FORMATS["sharegpt"], RowOptions())
    assert done.row is None
    assert (done.problems[0].entry, "<|im_end|>" in done.problems[0].message) == (1, True)
    done = convert_row(row, FORMATS["openai"], FORMATS["trl"], RowOptions())
    assert done.row["messages"] == row["messages"]


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_nan_and_infinity_are_refused(number):
    call = Call(name="f", arguments={"a": number})
    trajectory = Trajectory(messages=(message("user", Prose(text="q")), message("assistant", call)))
    for name in ("trl", "openai", "sharegpt"):
        assert write_row(trajectory, FORMATS[name], RowOptions()).row is None, name


@pytest.mark.parametrize("depth", [60, 300, 700])
def test_deeply_nested_arguments_are_written_or_refused(depth):
    row = {
        "messages": [
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "tool_calls": [{"function": {"name": "f", "arguments": '{"a":' * depth + "1" + "}" * depth}}],
            },
        ]
    }
    types = ArgumentTypes()
    types.add(read_trajectory(FORMATS["openai"].read(row)).trajectory)
    assert types.form == "text"
    for name in ("trl", "openai", "sharegpt", "llamafactory"):
        done = convert_row(row, FORMATS["openai"], FORMATS[name], RowOptions())
        assert (done.row is None) == bool(done.problems), name


def test_results_of_only_some_calls_are_refused_without_ids():
    only_second = replace(TALK, messages=(*TALK.messages[:3], TALK.messages[4], TALK.messages[5]))
    for name in ("sharegpt", "raw", "llamafactory", "hermes-agent"):
        assert (
            "only some calls have results"
            in write_row(only_second, FORMATS[name], RowOptions()).problems[0].message
        ), name
    other = message("assistant", replace(CALLS[0], name="g"), CALLS[1])
    for caller in (TALK.messages[2], other):
        talk = replace(only_second, messages=(*TALK.messages[:2], caller, *only_second.messages[3:]))
        assert written("openai", talk)["messages"][3]["tool_call_id"] == "y"


def test_results_are_put_into_the_order_of_their_calls():
    swapped = replace(
        TALK, messages=(*TALK.messages[:3], TALK.messages[4], TALK.messages[3], TALK.messages[5])
    )
    assert written("sharegpt", swapped)["conversations"][3]["value"] == RESULTS


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("own", ["", "Be brief.", "\n\nodd "])
def test_a_composed_system_text_is_split_into_its_parts(frame, own):
    text = compose_system(own, TOOLS, frame)
    split = split_system(text)
    assert split.own == own
    assert FRAMES[split.frame].before == FRAMES[frame].before


def test_tools_in_the_row_s_own_text_would_be_listed_twice():
    row = {
        "conversations": [
            {"from": "system", "value": f"Use <tools>\n{SPECS}\n</tools> well."},
            {"from": "human", "value": "q"},
            {"from": "gpt", "value": "a"},
        ]
    }
    done = convert_row(row, FORMATS["sharegpt"], FORMATS["openai"], RowOptions())
    assert "tools-told-twice" in {str(change.code) for change in done.changes}
    assert done.row["tools"] == [spec.document for spec in TOOLS.specs]


def test_parts_are_written_on_separate_lines():
    assert spell_parts(TALK.messages[2].parts) == SPELLED
