"""Preference rows in the shapes that TRL, OpenAI, LLaMA-Factory and ms-swift take are read and written."""

import json

import pytest

from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.row_pointer import value_in_row
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

USER = {"role": "user", "content": "What color is the sky?"}
BLUE = {"role": "assistant", "content": "It is blue."}
GREEN = {"role": "assistant", "content": "It is green."}
SYSTEM = {"role": "system", "content": "Be brief."}
EXPLICIT = {"prompt": [USER], "chosen": [BLUE], "rejected": [GREEN]}
WHOLE = {"chosen": [USER, BLUE], "rejected": [USER, GREEN]}
HISTORY = [SYSTEM, USER, BLUE, {"role": "user", "content": "And the grass?"}]


def converted(row, to, **options):
    done = convert_row(row, detect_format(row), FORMATS[to], RowOptions(**options))
    assert done.problems == ()
    return done


def findings(row):
    return [
        (finding.code, finding.pointer) for finding in check_completely(detect_format(row).read(row)).findings
    ]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (WHOLE, EXPLICIT),
        # HuggingFaceH4/ultrafeedback_binarized
        (
            {"prompt": USER["content"], "prompt_id": "8e15", **WHOLE, "score_chosen": 8.0},
            {**EXPLICIT, "prompt_id": "8e15", "score_chosen": 8.0},
        ),
        ({"prompt": None, **WHOLE}, EXPLICIT),
        ({"prompt": "", **WHOLE}, EXPLICIT),
        (
            {"chosen": [*HISTORY, GREEN], "rejected": [*HISTORY, BLUE]},
            {"prompt": HISTORY, "chosen": [GREEN], "rejected": [BLUE]},
        ),
        # An answer of several messages that begins like the other: TRL takes what is alike for the prompt.
        (
            {"chosen": [USER, BLUE, USER, BLUE], "rejected": [USER, BLUE, USER, GREEN]},
            {"prompt": [USER, BLUE, USER], "chosen": [BLUE], "rejected": [GREEN]},
        ),
        ({"prompt": "Sky?", "chosen": [BLUE], "rejected": [GREEN]}, None),
    ],
    ids=["implicit", "ultrafeedback", "null", "empty", "history", "turns", "text"],
)
def test_whole_conversations_as_answers_begin_with_the_prompt(row, expected):
    if expected is None:
        expected = {**EXPLICIT, "prompt": [{"role": "user", "content": "Sky?"}]}
    done = converted(row, "dpo")
    assert done.row == expected
    assert done.changes == ()
    assert findings(row) == []


@pytest.mark.slow
def test_the_prompt_is_what_trl_takes_for_it():
    trl = pytest.importorskip("trl")
    for row in (WHOLE, {"chosen": [*HISTORY, GREEN], "rejected": [*HISTORY, BLUE]}):
        for given in (row, {"prompt": "What?", **row}):
            assert converted(row, "dpo").row == trl.data_utils.maybe_extract_prompt(given)
    texts = {"chosen": "The sky is blue.", "rejected": "The sky is green."}
    written = converted(texts, "dpo").row
    assert {key: messages[0]["content"] for key, messages in written.items()} == trl.extract_prompt(texts)


def test_a_text_prompt_that_is_not_in_the_answers_stays_a_column():
    row = {"prompt": "Category: sky", **WHOLE}
    assert detect_format(row).read(row).columns == {"prompt": "Category: sky"}
    done = converted(row, "dpo")
    assert done.row == EXPLICIT
    assert [(change.code, change.detail) for change in done.changes] == [("column", "prompt")]


def test_the_entries_of_an_implicit_prompt_have_pointers_into_the_answers():
    read = detect_format(WHOLE).read(WHOLE)
    assert [entry.pointer for entry in read.all_entries] == ["/chosen/0", "/chosen/1", "/rejected/1"]
    assert [entry.place for entry in read.all_entries] == [0, 1, 2]
    texts = {"chosen": "The sky is blue.", "rejected": "The sky is green."}
    prompt, answer = detect_format(texts).read(texts).entries
    assert (prompt.text, answer.text, answer.text_start) == ("The sky is", " blue.", 10)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"chosen": [BLUE], "rejected": [GREEN]}, ("missing-field", "/prompt")),
        ({"chosen": [], "rejected": []}, ("missing-field", "/prompt")),
        ({"prompt": 5, **WHOLE, "chosen": "x"}, ("missing-field", "/prompt")),
        ({"chosen": 5, "rejected": [USER, GREEN]}, ("missing-field", "/chosen")),
        ({**WHOLE, "rejected": [USER, BLUE]}, ("same-answers", "/rejected")),
        (
            {
                "chosen": [{"role": "robot", "content": "?"}, BLUE],
                "rejected": [{"role": "robot", "content": "?"}],
            },
            ("unknown-role", "/chosen/0/role"),
        ),
    ],
    ids=["no-prompt", "empty", "number", "no-list", "same", "role"],
)
def test_what_is_wrong_with_a_pair_is_found_once(row, expected):
    assert findings(row).count(expected) == 1


@pytest.mark.parametrize(
    "row",
    [
        {"completion": [USER, BLUE], "label": True},
        {"prompt": USER["content"], "completion": [USER, BLUE], "label": True},
        {"prompt": [USER], "completion": [BLUE], "label": True},
    ],
    ids=["implicit", "repeated", "explicit"],
)
def test_a_judged_conversation_ends_with_the_answer(row):
    done = converted(row, "kto")
    assert done.row == {"prompt": [USER], "completion": [BLUE], "label": True}
    assert done.changes == ()
    assert findings(row) == []


TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
CALLS = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
OPENAI = {
    "input": {"messages": [SYSTEM, USER], "tools": [TOOL], "parallel_tool_calls": True},
    "preferred_output": [
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "tool", "tool_call_id": "c1", "content": "blue"},
        BLUE,
    ],
    "non_preferred_output": [GREEN],
    "id": 7,
}


def test_openai_s_preference_rows_are_read_and_written():
    read = detect_format(OPENAI).read(OPENAI)
    assert read.format == "openai-preference"
    assert findings(OPENAI) == []
    assert [entry.pointer for entry in read.all_entries] == [
        "/input/messages/0",
        "/input/messages/1",
        "/preferred_output/0",
        "/preferred_output/1",
        "/preferred_output/2",
        "/non_preferred_output/0",
    ]
    assert value_in_row(OPENAI, read.entries[2].calls[0].arguments_pointer) == "{}"
    assert value_in_row(OPENAI, read.declarations[0].pointer) == [TOOL]
    assert read.columns == {"id": 7, "parallel_tool_calls": True}
    assert converted(OPENAI, "openai-preference").row == OPENAI
    dpo = converted(OPENAI, "dpo").row
    assert [message["role"] for message in dpo["chosen"]] == ["assistant", "tool", "assistant"]
    assert converted(dpo, "openai-preference").row == OPENAI


def test_an_answer_with_a_user_is_not_written_for_openai():
    row = {"prompt": [USER], "chosen": [BLUE, USER, BLUE], "rejected": [GREEN]}
    done = convert_row(row, FORMATS["dpo"], FORMATS["openai-preference"], RowOptions())
    assert [problem.code for problem in done.problems] == ["not-writable"]


def v1(*messages):
    weights = {"assistant": 1.0}
    return [
        {
            "role": message["role"],
            "content": [{"type": "text", "value": message["content"]}],
            "loss_weight": weights.get(message["role"], 0.0),
        }
        for message in messages
    ]


V1 = {"chosen_messages": v1(SYSTEM, USER, BLUE), "rejected_messages": v1(SYSTEM, USER, GREEN), "id": 7}


def test_llamafactory_s_preference_rows_of_version_1_are_read_and_written():
    read = detect_format(V1).read(V1)
    assert read.format == "llamafactory-v1-dpo"
    assert findings(V1) == []
    assert [value_in_row(V1, entry.text_pointer) for entry in read.all_entries] == [
        SYSTEM["content"],
        USER["content"],
        BLUE["content"],
        GREEN["content"],
    ]
    assert converted(V1, "dpo").row == {
        "prompt": [SYSTEM, USER],
        "chosen": [BLUE],
        "rejected": [GREEN],
        "id": 7,
    }
    assert converted(converted(V1, "dpo").row, "llamafactory-v1-dpo").row == V1


SWIFT = {
    "messages": [SYSTEM, USER, BLUE],
    "rejected_response": GREEN["content"],
    "tools": json.dumps([TOOL]),
    "id": 7,
}
SWIFT_CALL = {"role": "tool_call", "content": '{"name": "f", "arguments": {}}'}
SWIFT_RESULT = {"role": "tool_response", "content": "blue"}
SWIFT_CALLS = {
    "messages": [SYSTEM, USER, SWIFT_CALL, SWIFT_RESULT, BLUE],
    "rejected_messages": [SYSTEM, USER, GREEN],
    "rejected_tools": json.dumps([TOOL]),
    "tools": json.dumps([TOOL]),
}


@pytest.mark.parametrize("row", [SWIFT, SWIFT_CALLS], ids=["response", "messages"])
def test_ms_swift_s_preference_rows_are_read_and_written(row):
    read = detect_format(row).read(row)
    assert read.format == "ms-swift-dpo"
    assert findings(row) == []
    assert value_in_row(row, read.rejected[0].text_pointer) == GREEN["content"]
    assert [value_in_row(row, entry.pointer) for entry in read.entries[:2]] == [SYSTEM, USER]
    dpo = converted(row, "dpo").row
    assert (dpo["prompt"], dpo["rejected"]) == ([SYSTEM, USER], [GREEN])
    assert dpo["chosen"][-1] == BLUE
    assert {key: value for key, value in dpo.items() if key not in ("prompt", "chosen", "rejected")} == {
        "tools": [TOOL],
        **({"id": 7} if row is SWIFT else {}),
    }
    done = converted(row, "ms-swift-dpo")
    assert (done.row, done.changes) == (row, ())
    back = converted(dpo, "ms-swift-dpo")
    assert (back.row, back.changes) == (row, ())


def test_a_rejected_response_replaces_what_follows_the_last_question_or_result():
    """As in ms-swift's `_compat_rejected_response`."""
    row = {
        **SWIFT_CALLS,
        "messages": [
            SYSTEM,
            USER,
            SWIFT_CALL,
            SWIFT_RESULT,
            {**BLUE, "content": "<think>\nhm\n</think>\nBlue."},
        ],
        "rejected_response": "<think>\nSo?\n</think>\nGreen.",
        "rejected_messages": None,
        "rejected_tools": None,
    }
    read = detect_format(row).read(row)
    assert (read.format, read.answer_start) == ("ms-swift-dpo", 4)
    assert converted(row, "dpo").row["rejected"] == [
        {"role": "assistant", "content": "Green.", "reasoning_content": "So?"}
    ]
    assert converted(row, "ms-swift-dpo").row == {
        key: value for key, value in row.items() if value is not None
    }


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({**SWIFT, "rejected_response": BLUE["content"]}, ("same-answers", "/rejected_response")),
        ({**SWIFT, "messages": [BLUE]}, ("missing-field", "")),
        ({**SWIFT_CALLS, "rejected_tools": None}, ("tools-mismatch", "/rejected_tools")),
        ({**SWIFT_CALLS, "rejected_tools": "[]"}, ("tools-mismatch", "/rejected_tools")),
        (
            {**SWIFT_CALLS, "messages": [USER, {**SWIFT_CALL, "content": "f"}, SWIFT_RESULT, BLUE],
             "rejected_messages": [USER, {**SWIFT_CALL, "content": "f"}, SWIFT_RESULT, GREEN]},
            ("call-unreadable", "/messages/1/content"),
        ),
        (
            {**SWIFT_CALLS, "rejected_messages": [SYSTEM, USER, {**SWIFT_CALL, "content": "f"}]},
            ("call-unreadable", "/rejected_messages/2/content"),
        ),
    ],
    ids=["same", "no-question", "no-tools", "other-tools", "shared-call", "rejected-call"],
)  # fmt: skip
def test_what_is_wrong_with_a_preference_row_of_ms_swift_is_found_once(row, expected):
    found = findings(row)
    assert found.count(expected) == 1
    assert [code for code, _pointer in found].count(expected[0]) == 1


def test_members_masks_and_calls_of_a_rejected_answer_need_messages():
    for answer in (
        {**GREEN, "rating": 2},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
    ):
        row = {"prompt": [USER], "chosen": [BLUE], "rejected": [answer], "tools": [TOOL]}
        done = converted(row, "ms-swift-dpo").row
        assert "rejected_response" not in done
        assert done["rejected_messages"][0] == USER
        assert done["rejected_tools"] == done["tools"]
        again = converted(done, "dpo").row
        assert (again["chosen"], again["prompt"], again["tools"]) == ([BLUE], [USER], [TOOL])
        assert again["rejected"][0]["role"] == "assistant"


def test_columns_of_ms_swift_s_rows_that_dpo_uses_stay_columns():
    row = {**SWIFT, "prompt": "p", "label": True, "rejected_response": "Green."}
    assert detect_format(row).read(row).columns == {"id": 7, "prompt": "p", "label": True}
    assert [change.code for change in converted(row, "dpo").changes] == ["column"]


def test_a_list_of_rejected_texts_is_no_preference_row():
    """ms-swift's rerankers and other trainers use the column for lists."""
    row = {"messages": [USER, SWIFT_CALL], "rejected_response": ["a", "b"]}
    assert detect_format(row).name == "ms-swift"
    assert detect_format({**row, "rejected_response": None, "rejected_messages": None}).name == "ms-swift"


def test_answers_that_differ_only_in_a_call_are_two_answers():
    def row(city):
        call = {"type": "tool_call", "value": f'{{"name": "f", "arguments": {{"city": "{city}"}}}}'}
        return [*v1(USER), {"role": "assistant", "content": [call], "loss_weight": 1.0}]

    read = read_trajectory(
        FORMATS["llamafactory-v1-dpo"].read(
            {"chosen_messages": row("Oslo"), "rejected_messages": row("Rome")}
        )
    ).trajectory
    assert read.answer_start == 1
    assert [read.messages[1].calls[0].arguments, read.rejected[0].calls[0].arguments] == [
        {"city": "Oslo"},
        {"city": "Rome"},
    ]


def test_where_answers_begin_alike_the_prompt_of_version_1_is_longer():
    row = {"prompt": [USER], "chosen": [BLUE, USER, BLUE], "rejected": [BLUE, USER, GREEN]}
    done = converted(row, "llamafactory-v1-dpo")
    assert [change.code for change in done.changes] == ["answer-start"]
    assert detect_format(done.row).read(done.row).answer_start == 3
    same = {**EXPLICIT, "rejected": [BLUE, USER, GREEN]}
    done = convert_row(same, FORMATS["dpo"], FORMATS["llamafactory-v1-dpo"], RowOptions())
    assert [problem.code for problem in done.problems] == ["not-writable"]


def test_two_answers_inside_of_another_row_are_compared():
    same = {**WHOLE, "rejected": WHOLE["chosen"]}
    inside = {"row_idx": 0, "row": same}
    assert [code for code, _pointer in findings(inside)] == ["same-answers"]
    assert findings({"row_idx": 0, "row": WHOLE}) == []


@pytest.mark.parametrize("form", ["dpo", "openai-preference", "llamafactory-dpo", "ms-swift-dpo"])
def test_a_key_in_a_rejected_answer_is_found_because_it_is_published_with_the_row(form):
    leaking = {"role": "assistant", "content": "It is AKIAIOSFODNN7EXAMPLF."}
    row = converted({**EXPLICIT, "rejected": [leaking]}, form).row
    assert [code for code, _ in findings(row)] == ["secret"]
    assert findings(converted(EXPLICIT, form).row) == []
