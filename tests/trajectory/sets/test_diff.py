"""Rows of two sets are matched, and what changed is named down to the argument."""

import json
from collections import Counter
from random import Random

import pytest

from tests.bench.data_rows import lines
from tests.trajectory.validate.rows import AGENT, OPENAI, SHAREGPT, TRL, changed
from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.sets.diff import (
    ChangeKind,
    RowKey,
    RowKeys,
    changes_between,
    compared,
    key_of,
    key_of_unreadable,
    match_rows,
)
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions


def form_of(row):
    return compared(detect_format(row).read(row))


def changes(before, after):
    return [
        (str(change.kind), change.part, change.message, change.call, change.name, change.before, change.after)
        for change in changes_between(form_of(before), form_of(after))
    ]


def keys(*rows):
    found = RowKeys()
    for row in rows:
        found.append(row if isinstance(row, RowKey) else key_of(form_of(row), row.get("id", "")))
    return found


def matched(before, after):
    found = match_rows(before, after)
    pairs = zip(found.before.tolist(), found.after.tolist(), found.is_changed.tolist(), strict=True)
    return list(pairs), found.removed.tolist(), found.added.tolist()


@pytest.mark.parametrize("target", ["openai", "trl", "raw", "sharegpt", "hermes-agent"])
@pytest.mark.parametrize("row", [SHAREGPT, OPENAI, TRL], ids=["sharegpt", "openai", "trl"])
def test_a_row_and_its_conversion_are_equal(row, target):
    converted = convert_row(row, detect_format(row), FORMATS[target], RowOptions())
    assert converted.row is not None
    written = compared(FORMATS[target].read(converted.row))
    found = [change for change in changes_between(form_of(row), written) if change.part != "column"]
    assert found == []
    assert key_of(form_of(row), "").content == key_of(written, "").content


def test_what_a_format_loses_is_a_change():
    converted = convert_row(SHAREGPT, FORMATS["sharegpt"], FORMATS["llamafactory"], RowOptions())
    assert changes(SHAREGPT, converted.row) == [("removed", "text", 2, None, "", "Both at once.", "")]


def test_a_set_and_its_shuffled_conversion_are_equal():
    rows = [json.loads(line) for line in lines(60, own_tools=False)]
    others = [convert_row(row, FORMATS["sharegpt"], FORMATS["openai"], RowOptions()).row for row in rows]
    Random(1).shuffle(others)
    for row in others:
        del row["id"]
    pairs, removed, added = matched(keys(*rows), keys(*others))
    assert (len(pairs), removed, added) == (60, [], [])
    assert not any(is_changed for _, _, is_changed in pairs)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ((2, "tool_calls", 1, "function", "arguments"), '{"city": "Oslo"}',
         [("changed", "argument", 2, 1, "city", "Rome", "Oslo")]),
        ((2, "tool_calls", 0, "function", "arguments"), '{"days": 2, "city": "Paris"}', []),
        ((2, "tool_calls", 0, "function", "arguments"), '{"city": "Paris", "days": 2.0}',
         [("changed", "argument", 2, 0, "days", 2, 2.0)]),
        ((2, "tool_calls", 0, "function", "arguments"), '{"city": "Paris", "unit": "C"}',
         [("removed", "argument", 2, 0, "days", 2, None), ("added", "argument", 2, 0, "unit", None, "C")]),
        ((2, "tool_calls", 0, "function", "name"), "now",
         [("changed", "tool-name", 2, 0, "", "get_weather", "now")]),
        ((5, "content"), "Rain.", [("changed", "text", 5, None, "", "Sun in Paris, rain in Rome.", "Rain.")]),
        ((5, "content"), "Sun in Paris, rain in Rome.\n", []),
        ((3, "content"), "fog", [("changed", "result", 3, None, "", "sun", "fog")]),
        ((2, "content"), "Both.", [("added", "text", 2, None, "", "", "Both.")]),
        ((5, "reasoning_content"), "Easy.", [("added", "thought", 5, None, "", "", "Easy.")]),
        ((5, "weight"), 0, [("changed", "loss-mask", 5, None, "", True, False)]),
    ],
)  # fmt: skip
def test_a_change_is_named_down_to_the_argument(path, value, expected):
    assert changes(OPENAI, changed(OPENAI, "messages", *path, to=value)) == expected


def test_messages_and_calls_that_were_added_or_removed_are_named():
    shorter = {**OPENAI, "messages": OPENAI["messages"][:-1]}
    (change,) = changes_between(form_of(OPENAI), form_of(shorter))
    assert (change.kind, change.part, change.message, change.name) == (
        ChangeKind.REMOVED,
        "message",
        5,
        "assistant",
    )
    one_call = changed(OPENAI, "messages", 2, "tool_calls", to=OPENAI["messages"][2]["tool_calls"][:1])
    one_call["messages"] = [message for message in one_call["messages"] if message.get("tool_call_id") != "b"]
    assert [(kind, part, place) for kind, part, place, *_ in changes(OPENAI, one_call)] == [
        ("removed", "call", 2),
        ("removed", "message", 4),
    ]
    greeted = {**OPENAI, "messages": [*OPENAI["messages"][:1], {"role": "user", "content": "Hi"},
                                      {"role": "assistant", "content": "Hello."}, *OPENAI["messages"][1:]]}  # fmt: skip
    assert [(kind, part, place) for kind, part, place, *_ in changes(OPENAI, greeted)] == [
        ("added", "message", 1),
        ("added", "message", 2),
    ]


def test_tools_columns_and_both_answers_are_compared():
    spec = {**OPENAI["tools"][1], "function": {**OPENAI["tools"][1]["function"], "description": "Time."}}
    other = {**OPENAI, "tools": [OPENAI["tools"][0], spec], "note": 1}
    assert [change[:5] for change in changes(OPENAI, other)] == [
        ("changed", "tool", None, None, "now"),
        ("added", "column", None, None, "note"),
    ]
    assert changes({**AGENT, "prompt_index": 1}, {**AGENT, "prompt_index": 2})[0][:5] == (
        "changed", "column", None, None, "prompt_index",
    )  # fmt: skip
    asked = {"role": "user", "content": "Hi"}
    pair = {
        "prompt": [asked],
        "chosen": [{"role": "assistant", "content": "Hello."}],
        "rejected": [{"role": "assistant", "content": "No."}],
        "tools": [],
    }
    (change,) = changes_between(form_of(pair), form_of(changed(pair, "rejected", 0, "content", to="Never.")))
    assert (change.part, change.answer, change.message, change.after) == ("text", "rejected", 0, "Never.")


def test_rows_are_matched_by_id_then_content_then_a_unique_beginning():
    before = keys(
        RowKey(1, 10, 0, 100, 1),  # same id, other content
        RowKey(0, 20, 0, 200, 1),  # no id, same content at another place
        RowKey(0, 30, 0, 300, 1),  # the question stays, the answer changes
        RowKey(0, 40, 0, 400, 1),  # this question is there twice
        RowKey(5, 50, 7, 500, 1),  # only a column changes
        RowKey(6, 60, 7, 600, 1),  # other columns, but in another format
        RowKey(9, 90, 0, 900, 1),  # gone
    )
    after = keys(
        RowKey(0, 20, 0, 200, 1),
        RowKey(1, 11, 0, 100, 1),
        RowKey(0, 31, 0, 300, 1),
        RowKey(0, 41, 0, 400, 1),
        RowKey(0, 42, 0, 400, 1),
        RowKey(5, 50, 8, 500, 1),
        RowKey(6, 60, 8, 600, 2),
    )
    assert matched(before, after) == (
        [(1, 0, False), (0, 1, True), (2, 2, True), (4, 5, True), (5, 6, False)],
        [3, 6],
        [3, 4],
    )
    assert matched(RowKeys(), after)[2] == list(range(7))
    assert matched(RowKeys(), RowKeys()) == ([], [], [])


def test_repeated_rows_are_matched_one_by_one():
    one, two = RowKey(0, 10, 0, 1, 1), RowKey(3, 20, 0, 2, 1)
    pairs, removed, added = matched(keys(one, one, two, two), keys(two, one, one, one))
    assert pairs == [(2, 0, False), (0, 1, False), (1, 2, False)]
    assert (removed, added) == ([3], [3])
    unreadable = key_of_unreadable(b"{oops\n")
    assert matched(keys(unreadable), keys(key_of_unreadable(b"{oops"))) == ([(0, 0, False)], [], [])


def test_matching_equals_a_count_by_hand():
    random = Random(5)
    before = [RowKey(0, random.randrange(1, 40), 0, 0, 1) for _ in range(300)]
    after = [RowKey(0, random.randrange(1, 40), 0, 0, 1) for _ in range(280)]
    pairs, removed, added = matched(keys(*before), keys(*after))
    counts = [Counter(key.content for key in rows) for rows in (before, after)]
    assert len(pairs) == sum((counts[0] & counts[1]).values())
    assert Counter(before[place].content for place in removed) == counts[0] - counts[1]
    assert Counter(after[place].content for place in added) == counts[1] - counts[0]
    assert all(before[one].content == after[other].content for one, other, _ in pairs)
