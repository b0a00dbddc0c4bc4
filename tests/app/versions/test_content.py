"""Fingerprints and differences of versions."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.services import CHECKOUT
from workbench.app.version_content import diff_contents, diff_texts, fingerprint_of, load_value, with_name
from workbench.contract.contract import parse_contract
from workbench.errors import BadInput
from workbench.records.versions import VersionKind
from workbench.toolbox.catalog import Catalog
from workbench.toolspec.tools_text import render_tools

CONTRACT = "---\ntitle: T\nfamily: hermes-lines\n---\nCall tools.\n"
LABELS = ("before", "after")


def test_a_contract_s_fingerprint_covers_what_reaches_a_model():
    same = CONTRACT.replace("title: T", "title: Other")
    other = CONTRACT.replace("Call", "Do call")
    prints = [fingerprint_of(VersionKind.CONTRACT, text, name="x") for text in (CONTRACT, same, other)]
    assert prints[0] == prints[1] == parse_contract(CONTRACT, name="x").fingerprint
    assert prints[2] != prints[0]


def test_the_fingerprint_of_tools_is_the_same_for_yaml_and_json():
    file = CHECKOUT / "tools_catalog" / "nonsense.yaml"
    tools = Catalog(file.parent).select(["nonsense"])
    of_yaml = fingerprint_of(VersionKind.TOOLS, file.read_text(), name="nonsense")
    of_json = fingerprint_of(VersionKind.TOOLS, render_tools(tools), name="nonsense")
    assert of_yaml == of_json == tools.fingerprint


def test_a_preset_s_fingerprint_ignores_formatting_and_the_order_of_keys():
    texts = ['{"a": 1, "b": 2}', '{"b":2,\n"a":1}', "b: 2\na: 1"]
    assert len({fingerprint_of(VersionKind.PRESET, text, name="x") for text in texts}) == 1


@given(text=st.text(), kind=st.sampled_from(VersionKind))
def test_any_text_has_a_fingerprint_and_does_not_differ_from_itself(text, kind):
    assert len(fingerprint_of(kind, text, name="x")) == 64
    assert diff_contents(kind, text, text, LABELS) == ""


@pytest.mark.parametrize("text", ["{", "a: [", "a: &x 1\nb: *x", "a: .nan", "1: 2\n? [a]\n: 1"])
def test_texts_without_a_json_value_are_rejected(text):
    with pytest.raises(BadInput):
        load_value(text)


def test_a_date_in_yaml_is_read_as_text():
    assert load_value("day: 2026-01-01") == {"day": "2026-01-01"}


def test_contracts_are_compared_line_by_line():
    after = CONTRACT.replace("title: T", "title: Other")
    assert diff_contents(VersionKind.CONTRACT, CONTRACT, after, LABELS).splitlines() == [
        "--- before", "+++ after", "@@ -1,5 +1,5 @@", " ---", "-title: T", "+title: Other",
        " family: hermes-lines", " ---", " Call tools.",
    ]  # fmt: skip


def test_tools_are_compared_as_json():
    before = json.dumps([{"name": "f", "description": "old"}])
    after = "- description: new\n  name: f\n"
    changed = diff_contents(VersionKind.TOOLS, before, after, LABELS).splitlines()
    assert [line for line in changed if line[:1] in "+-"][2:] == [
        '-    "description": "old",',
        '+    "description": "new",',
    ]
    same = diff_contents(VersionKind.TOOLS, before, "- {description: old, name: f}", LABELS)
    assert same == ""


def test_unreadable_tools_are_compared_as_text():
    assert "+[" in diff_contents(VersionKind.TOOLS, "[]", "[", LABELS)


def test_a_missing_final_line_break_is_shown():
    assert diff_texts("a\n", "a", LABELS).endswith("-a\n+a\n\\ No newline at end of file\n")
    assert diff_texts("a\r\n", "a\n", LABELS) != ""


@pytest.mark.parametrize(
    "name", ["new", "on", "no", "Ann's no. 1", "7", "it's", "a b", "Größe", "1e3", "-a", "x" * 100]
)
def test_a_suite_has_its_new_name_as_text(name):
    text = with_name(VersionKind.SUITE, "suite: old\ncases: []\n", name)
    assert load_value(text) == {"suite": name, "cases": []}


@pytest.mark.parametrize(
    ("version_kind", "text", "expected"),
    [
        (
            VersionKind.CONTRACT,
            "---\nname: old\ntitle: T\n---\nname: old\n",
            "---\nname: new\ntitle: T\n---\nname: old\n",
        ),
        (VersionKind.CONTRACT, "---\ntitle: T\n---\nname: old\n", "---\ntitle: T\n---\nname: old\n"),
        (VersionKind.CONTRACT, "name: old\n", "name: old\n"),
        (VersionKind.TOOLS, "# my tools\r\ntoolset: old\r\n", "# my tools\r\ntoolset: new\r\n"),
        (VersionKind.PRESET, "name: old", "name: old"),
    ],
)
def test_a_text_that_names_itself_gets_the_new_name(version_kind, text, expected):
    assert with_name(version_kind, text, "new") == expected
