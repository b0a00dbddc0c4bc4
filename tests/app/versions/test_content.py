"""What of a version reaches a model, and how two of them differ."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.services import CHECKOUT
from workbench.app.version_content import diff_contents, diff_texts, fingerprint_of, load_value
from workbench.contract.contract import parse_contract
from workbench.errors import BadInput
from workbench.records.versions import VersionKind
from workbench.toolbox.catalog import Catalog
from workbench.toolspec.tools_text import render_tools

CONTRACT = "---\ntitle: T\nfamily: hermes-lines\n---\nCall tools.\n"
LABELS = ("before", "after")


def test_of_a_contract_it_is_what_reaches_a_model():
    same = CONTRACT.replace("title: T", "title: Other")
    other = CONTRACT.replace("Call", "Do call")
    prints = [fingerprint_of(VersionKind.CONTRACT, text, name="x") for text in (CONTRACT, same, other)]
    assert prints[0] == prints[1] == parse_contract(CONTRACT, name="x").fingerprint
    assert prints[2] != prints[0]


def test_of_tools_it_is_the_same_as_yaml_with_mocks_as_json_and_as_the_offered_tools():
    file = CHECKOUT / "tools_catalog" / "nonsense.yaml"
    tools = Catalog(file.parent).select(["nonsense"])
    of_yaml = fingerprint_of(VersionKind.TOOLS, file.read_text(), name="nonsense")
    of_json = fingerprint_of(VersionKind.TOOLS, render_tools(tools), name="nonsense")
    assert of_yaml == of_json == tools.fingerprint


def test_of_a_preset_neither_spelling_nor_order_of_keys_counts():
    texts = ['{"a": 1, "b": 2}', '{"b":2,\n"a":1}', "b: 2\na: 1"]
    assert len({fingerprint_of(VersionKind.PRESET, text, name="x") for text in texts}) == 1


@given(text=st.text(), kind=st.sampled_from(VersionKind))
def test_any_text_has_one_and_a_difference_to_any_other(text, kind):
    if "\ud800" <= max(text, default="") <= "\udfff" or any("\ud800" <= one <= "\udfff" for one in text):
        return
    assert len(fingerprint_of(kind, text, name="x")) == 64
    assert diff_contents(kind, text, text, LABELS) == ""


@pytest.mark.parametrize("text", ["{", "a: [", "a: &x 1\nb: *x", "a: .nan", "1: 2\n? [a]\n: 1"])
def test_what_has_no_json_value_is_refused(text):
    with pytest.raises(BadInput):
        load_value(text)


def test_a_date_in_yaml_stays_a_text():
    assert load_value("day: 2026-01-01") == {"day": "2026-01-01"}


def test_contracts_differ_line_by_line_as_they_are_written():
    after = CONTRACT.replace("title: T", "title: Other")
    assert diff_contents(VersionKind.CONTRACT, CONTRACT, after, LABELS).splitlines() == [
        "--- before", "+++ after", "@@ -1,5 +1,5 @@", " ---", "-title: T", "+title: Other",
        " family: hermes-lines", " ---", " Call tools.",
    ]  # fmt: skip


def test_tools_differ_as_json_whatever_their_spelling():
    before = json.dumps([{"name": "f", "description": "old"}])
    after = "- description: new\n  name: f\n"
    changed = diff_contents(VersionKind.TOOLS, before, after, LABELS).splitlines()
    assert [line for line in changed if line[:1] in "+-"][2:] == [
        '-    "description": "old",',
        '+    "description": "new",',
    ]
    same = diff_contents(VersionKind.TOOLS, before, "- {description: old, name: f}", LABELS)
    assert same == ""


def test_tools_that_cannot_be_read_differ_as_they_are_written():
    assert "+[" in diff_contents(VersionKind.TOOLS, "[]", "[", LABELS)


def test_a_missing_line_break_at_the_end_is_told():
    assert diff_texts("a\n", "a", LABELS).endswith("-a\n+a\n\\ No newline at end of file\n")
    assert diff_texts("a\r\n", "a\n", LABELS) != ""
