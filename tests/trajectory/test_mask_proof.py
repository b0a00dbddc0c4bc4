"""Messages are found in a trainer's text by marks, and each difference between two masks is reported."""

import json
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from workbench.chat.finding import Severity, Span
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.mask import Token, TrainedToken
from workbench.trajectory.mask_proof import TrainerText, compare_mask, located_entries, marked_row

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
OPENAI_CALL = {"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}]
MARK = re.compile("[\U000f0000-\U000ffffd]")
END = 1


def read(row):
    return detect_format(row).read(row)


def chat(*messages, **more):
    return {
        "messages": [dict(zip(("role", "content"), message, strict=True)) for message in messages],
        **more,
    }


def render(row, speaker="role", text="content"):
    """Write a row as ChatML; calls by name only."""
    turns = []
    for entry in row.get("messages") or row["conversations"]:
        calls = "".join(call["function"]["name"] for call in entry.get("tool_calls", ()))
        turns.append(f"<s>{entry[speaker]}\n{(entry[text] or '').strip()}{calls}<e>\n")
    return "".join(turns)


def tokens(text, trained):
    """Split a text into words and marks; those within a trained span are trained. `<e>` is the token 1."""
    return tuple(
        TrainedToken(
            Token(END if match.group() == "<e>" else 0, Span(*match.span())),
            any(span.start <= match.start() and match.end() <= span.end for span in trained),
        )
        for match in re.finditer(r"<s>|<e>|\w+|\s+|[^\w\s]", text)
    )


def rendered(row, *trained):
    """The row with these parts of its text trained."""
    text = render(row)
    spans = [Span(text.index(part), text.index(part) + len(part)) for part in trained]
    return TrainerText(text=text, tokens=tokens(text, spans))


def compared(row, *trained):
    training_row = read(row)
    findings = compare_mask(
        training_row, rendered(row, *trained), render(marked_row(training_row)), ends=frozenset({END})
    )
    return [(finding.code, finding.entry, finding.severity) for finding in findings]


QUESTION = chat(("user", "Weather in Paris?"), ("assistant", "It is 18 degrees."))
ANSWER = "It is 18 degrees.<e>"
WARNING, ERROR = Severity.WARNING, Severity.ERROR


def masked(**weight):
    row = chat(("user", "Weather in Paris?"), ("assistant", "It is 18 degrees."))
    row["messages"][1] |= weight
    return row


@pytest.mark.parametrize(
    ("row", "trained", "expected"),
    [
        (QUESTION, [ANSWER], []),
        (QUESTION, ["It is 18 degrees."], [("mask-end-untrained", 1, WARNING)]),
        (QUESTION, [], [("mask-ignored", 1, WARNING)]),
        (QUESTION, ["Weather in Paris?", ANSWER], [("mask-ignored", 0, WARNING)]),
        (QUESTION, ["degrees.<e>"], [("mask-partial", 1, WARNING)]),
        (masked(weight=0), [ANSWER], [("mask-ignored", 1, ERROR)]),
        (masked(weight=0), [], []),
        (masked(weight=1), [], [("mask-ignored", 1, ERROR)]),
        (masked(weight=1), [ANSWER], []),
    ],
)
def test_each_difference_is_reported(row, trained, expected):
    assert compared(row, *trained) == expected


def test_a_message_that_the_template_leaves_out_is_reported():
    row = chat(("user", "Weather in Paris?"), ("assistant", None), ("assistant", "18"))
    row["messages"][1]["tool_calls"] = [OPENAI_CALL]
    training_row = read(row)

    def text_without_calls(fields):
        return render({"messages": [{**entry, "tool_calls": ()} for entry in fields["messages"]]})

    text = text_without_calls(row)
    findings = compare_mask(
        training_row,
        TrainerText(text=text, tokens=tokens(text, [Span(text.index("18"), len(text))])),
        text_without_calls(marked_row(training_row)),
    )
    assert [(finding.code, finding.entry) for finding in findings] == [("mask-left-out", 1)]


def test_nothing_is_claimed_if_messages_cannot_be_found():
    row = read(QUESTION)
    [finding] = compare_mask(row, rendered(QUESTION, ANSWER), "another text")
    assert (finding.code, finding.severity) == ("mask-not-compared", WARNING)
    [finding] = compare_mask(row, rendered(QUESTION, ANSWER), None)
    assert finding.code == "mask-not-compared"
    marked = read(chat(("user", "\U000f0000"), ("assistant", "x")))
    assert marked_row(marked) is None
    [finding] = compare_mask(row, None, None)
    assert (finding.code, finding.severity) == ("mask-dropped", ERROR)
    unmarked = chat(("user", "?!"), ("assistant", "It is 18 degrees."))
    assert compared(unmarked, ANSWER) == [("mask-not-compared", 0, WARNING)]


@pytest.mark.parametrize(
    "row",
    [
        chat(("system", "Be brief."), ("user", "  Hi \n"), ("assistant", "4")),
        {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]}], "tools": TOOLS},
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": f"<think>\nLook.\n</think>\n{CALL}"}], "tools": "[]"},
        {"text": f"<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n{CALL}<|im_end|>\n", "loss_spans": []},
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "function_call", "value": '{"name": "get_weather", "arguments": {}}'}], "system": "", "tools": "[]"},
        {"prompt": [{"role": "user", "content": "Hi"}], "completion": [{"role": "assistant", "content": "Hello"}]},
    ],
)  # fmt: skip
def test_marks_are_within_words_and_change_nothing_else(row):
    training_row = read(row)
    plain, text = (json.dumps(fields, ensure_ascii=False) for fields in (row, marked_row(training_row)))
    assert MARK.sub("", text) == plain
    assert set(located_entries(plain, text)) == set(range(len(training_row.entries)))
    for tag in ("<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_start|>", '"name": ', '"from": '):
        assert text.count(tag) == plain.count(tag)


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant", "system"]), st.text(max_size=30)),
        min_size=1,
        max_size=5,
    )
)
def test_every_message_with_a_word_is_found_where_it_is(messages):
    row = {"messages": [{"role": role, "content": text} for role, text in messages]}
    training_row = read(row)
    marked = marked_row(training_row)
    assume(marked is not None)
    text = "|".join(content for _, content in messages)
    found = located_entries(text, "|".join(entry["content"] for entry in marked["messages"]))
    start = 0
    for index, (_, content) in enumerate(messages):
        if index in found:
            assert start <= found[index].start <= found[index].end <= start + len(content)
        start += len(content) + 1
