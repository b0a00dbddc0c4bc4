"""A glance accepts no row in which a rule finds anything, and the row counts the same."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.data_rows import lines
from tests.properties import examples
from tests.trajectory.validate.rows import (
    AGENT,
    OTHER,
    PARIS,
    RAIN,
    ROME,
    SHAREGPT,
    SPEC,
    SUN,
    SYSTEM,
    changed,
)
from tests.trajectory.validate.test_bfcl import MUTATIONS, Row, valid_rows
from tests.trajectory.validate.test_rules import DEFECTS
from workbench.trajectory.compress import estimate_tokens
from workbench.trajectory.formats import sharegpt
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.mask import MaskedText
from workbench.trajectory.sets.row_facts import RowFacts, facts_of
from workbench.trajectory.validate.check import CheckOptions, RowsCheck, check_completely, check_fields
from workbench.trajectory.validate.codes import ROW_CODES, CodeScope
from workbench.trajectory.validate.glance import Glance, glance_at
from workbench.trajectory.validate.parsed_row import ParsedRow
from workbench.trajectory.validate.rules import RULES, Rule
from workbench.trajectory.validate.text_rules import secret_findings

BEFORE_THERE_IS_A_ROW = {"unreadable-row", "unknown-format"}

GENERATED = [json.loads(line) for own in (False, True) for line in lines(40, own_tools=own)]
SNIPPETS = (
    *("<", ">", "</tool_call>", "<tool_call>", "<tool_response>", "</tool_response>", "<think>hm</think>"),
    *("`", "{{ name }}", "{tool_call}", "<YOUR NAME>", "<|im_end|>", "\ud800", "\n", " ", "{", "}", ",", '"'),
    *(
        "sk-a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5",
        "jane.roe@acme-corp.com",
        PARIS,
        ROME,
        SUN,
        SYSTEM,
        "null",
        "7",
        "é",
    ),
)
SPEAKERS = ("system", "human", "user", "gpt", "assistant", "tool", "person", "", None, 3)
texts = st.sampled_from(SNIPPETS) | st.text(max_size=3)


def is_glanced(row: Row, *, finds_secrets: bool = True) -> bool:
    """Whether a glance is enough for a row."""
    return isinstance(check_fields(row, sharegpt.SHAREGPT, finds_secrets=finds_secrets).content, Glance)


def agrees(row: Row, *, finds_secrets: bool = True) -> bool:
    """Compare a glance with the complete rules; return whether the glance was enough."""
    if not is_glanced(row, finds_secrets=finds_secrets):
        return False
    options = CheckOptions(finds_secrets=finds_secrets)
    quick, careful = RowsCheck(options=options), RowsCheck(options=options)
    found = careful.check(sharegpt.SHAREGPT.read(row))
    assert found == quick.check_as(row, sharegpt.SHAREGPT) == (), row
    assert counted(quick) == counted(careful), row
    glance = check_fields(row, sharegpt.SHAREGPT, finds_secrets=finds_secrets).content
    parsed = check_completely(sharegpt.SHAREGPT.read(row)).content
    assert measured(glance) == measured(parsed), row
    return True


def measured(content: Glance | ParsedRow) -> tuple[RowFacts, MaskedText | None]:
    facts = facts_of(content, estimate_tokens)
    return facts, facts.text


def counted(check: RowsCheck) -> tuple[object, ...]:
    return check.rows, check.formats, check.facts, check.fingerprints.exact, check.fingerprints.sketches


def test_a_glance_is_enough_for_most_valid_rows() -> None:
    assert all(map(agrees, GENERATED))
    rows = valid_rows("sharegpt")
    assert sum(map(agrees, rows)) > len(rows) * 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "mutate"), MUTATIONS, ids=[f"{place}-{one[0]}" for place, one in enumerate(MUTATIONS)]
)
def test_a_glance_is_never_enough_for_a_row_with_a_defect(code: str, mutate: Any) -> None:
    for row in valid_rows("sharegpt", with_call=True):
        broken = copy.deepcopy(row)
        mutate(broken)
        assert not agrees(broken), code


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"conversations": []},
        {"conversations": "gpt"},
        {"conversations": [None, 3]},
        {"conversations": [{"from": ["gpt"], "value": "a"}]},
        changed(SHAREGPT, "conversations", 1, "value", to=None),
        changed(SHAREGPT, "conversations", 1, "from", to={"a": 1}),
        changed(SHAREGPT, "conversations", 0, "value", to=" "),
        changed(SHAREGPT, "tools", to=[SPEC, OTHER]),
        changed(SHAREGPT, "tools", to=3),
        changed(SHAREGPT, "tools", to="[{"),
        changed(SHAREGPT, "tools", to=json.dumps([SPEC, SPEC])),
        changed(SHAREGPT, "tools", to=json.dumps([SPEC])),
        changed(SHAREGPT, "conversations", 0, "value", to=SYSTEM * 500),
        AGENT,
    ],
)
def test_unusual_rows_are_checked_with_the_complete_rules(row: Row) -> None:
    assert not is_glanced(row)


@pytest.mark.parametrize(
    ("place", "old", "new", "code"),
    [
        (0, "Call a function", "Call {{ name }}", "placeholder"),
        (0, "Call a function", "<|im_end|>", "control-mark"),
        (2, '"Paris"', "7", "schema-type"),
        (2, '"days": 2', '"days": 0', "schema-minimum"),
        (2, '"days": 2', '"day": 2', "schema-unknown-argument"),
        (2, '"city": "Rome"', '"unit": "C"', "schema-missing-required"),
        (2, f"\n{ROME}", "", "result-without-call"),
        (3, f"\n{RAIN}", "", "call-without-result"),
        (3, SUN, f"{SUN}{SUN}", "result-without-call"),
    ],
)
def test_a_glance_is_never_enough_for_hidden_defects(place: int, old: str, new: str, code: str) -> None:
    value = SHAREGPT["conversations"][place]["value"]
    assert old in value
    row = changed(SHAREGPT, "conversations", place, "value", to=value.replace(old, new))
    assert code in {finding.code for finding in check_completely(sharegpt.SHAREGPT.read(row)).findings}
    assert not is_glanced(row)


def test_secrets_count_only_if_they_are_searched_for() -> None:
    for place in (0, 1, 4):
        value = SHAREGPT["conversations"][place]["value"] + "\nAsk jane.roe@acme-corp.com."
        row = changed(SHAREGPT, "conversations", place, "value", to=value)
        assert not agrees(row)
        assert agrees(row, finds_secrets=False)


def test_a_beginning_that_repeats_is_judged_the_same_each_time() -> None:
    conflicting = changed(SHAREGPT, "tools", to=json.dumps([SPEC]))
    assert [agrees(SHAREGPT) for _ in range(3)] == [True] * 3
    assert [is_glanced(conflicting) for _ in range(3)] == [False] * 3


def test_a_glance_is_enough_for_rows_without_tools() -> None:
    entries = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello."}]
    for columns in ({}, {"tools": None}, {"tools": "[]"}, {"tools": ""}):
        assert agrees({"conversations": entries, **columns})


def test_a_glance_measures_rows_whose_system_text_lists_no_tools() -> None:
    described = changed(SHAREGPT, "conversations", 0, "value", to="Call a function where it helps.")
    bare = {**SHAREGPT, "conversations": SHAREGPT["conversations"][1:]}
    assert agrees(described)
    assert agrees(bare)


@st.composite
def edited_rows(draw: st.DrawFn) -> Row:
    """Draw a valid row with one to three arbitrary edits."""
    row = copy.deepcopy(draw(st.sampled_from([SHAREGPT, *GENERATED])))
    for _ in range(draw(st.integers(1, 3))):
        entries = row["conversations"]
        place = draw(st.integers(0, len(entries) - 1))
        kind = draw(st.sampled_from(("text", "cut", "speaker", "drop", "double", "swap", "tools")))
        entry = entries[place]
        if kind in ("text", "cut", "tools"):
            holder, key = (row, "tools") if kind == "tools" else (entry, "value")
            start = draw(st.integers(0, len(holder[key])))
            end = start + (draw(st.integers(1, 12)) if kind == "cut" else 0)
            holder[key] = holder[key][:start] + draw(texts) * (kind != "cut") + holder[key][end:]
        elif kind == "speaker":
            entry["from"] = draw(st.sampled_from(SPEAKERS))
        elif kind == "drop" and len(entries) > 1:
            del entries[place]
        elif kind == "double":
            entries.insert(place, copy.deepcopy(entry))
        elif kind == "swap":
            entries[place], entries[-1] = entries[-1], entries[place]
    return row


@given(row=edited_rows(), finds_secrets=st.booleans())
@settings(max_examples=examples(600), deadline=None)
def test_both_ways_agree_on_edited_rows(*, row: Row, finds_secrets: bool) -> None:
    agrees(row, finds_secrets=finds_secrets)


@pytest.mark.parametrize(
    ("code", "row"),
    [(code, row) for code, row, _, _ in DEFECTS],
    ids=[f"{i}-{d[0]}" for i, d in enumerate(DEFECTS)],
)
def test_both_ways_find_each_defect(code: str, row: Row) -> None:
    row_format = detect_format(row) or sharegpt.SHAREGPT
    found = check_fields(row, row_format).findings
    assert code in {finding.code for finding in found}
    assert found == check_completely(row_format.read(row)).findings


def test_a_rule_without_a_question_is_asked_for_every_row() -> None:
    glance = glance_at(SHAREGPT)
    assert glance and Rule(codes=(), find=secret_findings).may_find(glance)


def test_every_code_of_a_row_belongs_to_a_rule() -> None:
    known = {code.word for code in ROW_CODES if code.scope is CodeScope.ROW}
    assert {code.word for rule in RULES for code in rule.codes} == known - BEFORE_THERE_IS_A_ROW
