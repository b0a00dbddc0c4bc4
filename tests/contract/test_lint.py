"""Findings about contracts: first texts that must pass, then texts with a problem."""

import pytest

from tests.services import CHECKOUT
from workbench.chat.finding import Severity
from workbench.contract.contract import Contract, parse_contract
from workbench.contract.lint import lint_contract
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools

TOOLS = parse_tools(
    '[{"name": "f", "description": "d", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}, '
    '"required": ["a"], "additionalProperties": false}}]'
)
HEAD = "<tools>\n{{ tools }}\n</tools>\n"


def lint(text, *, family="hermes-lines", tools=TOOLS, head=HEAD, **variables):
    contract = Contract(name="c", title="t", family=family, text=head + text, variables=variables)
    return lint_contract(contract, tools)


def call(body):
    return f"<tool_call>\n{body}\n</tool_call>"


@pytest.mark.parametrize(
    "path", sorted((CHECKOUT / "prompts" / "contracts").glob("*.md")), ids=lambda p: p.stem
)
def test_shipped_contracts_have_no_findings_except_for_the_tools_in_their_examples(path):
    contract = parse_contract(path.read_text(encoding="utf-8"), name=path.stem)
    codes = {finding.code for finding in lint_contract(contract, TOOLS)}
    expected = {"tools-not-json"} if contract.family == "hermes-3" else {"example-unknown-tool"}
    assert codes <= expected


def test_a_family_that_writes_tools_that_are_not_json_is_reported_where_the_tools_go():
    (finding,) = lint("", family="hermes-3")
    assert (finding.code, finding.severity) == ("tools-not-json", Severity.NOTE)
    assert finding.span is not None and finding.span.of(HEAD) == "{{ tools }}"
    assert "a missing brace" in finding.message and len(finding.message) < 100
    assert lint("", family="hermes-3-sane") == ()
    assert lint("", family="hermes-3", tools=OfferedTools()) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Plain words.",
        "Answer within <tool_call></tool_call>, after a <tool_response>.",
        "Write `<toolcall>` never.",
        call('{"name": "f", "arguments": {"a": 1}}'),
        call('{"name": <function-name>, "arguments": <args-dict>}'),
        call('{"name": "tool_name", "arguments": {"parameter": "value"}}'),
        "<tool_response>\n{}\n</tool_response>",
        "{{ '{{' }} stands for itself",
    ],
)
def test_a_correct_text_has_no_findings(text):
    assert lint(text) == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('<tool_call>\n{"name": "f", "arguments": {"a": 1}}\nUser: go on', "mark-unclosed"),
        ("<tool_response>\n{}\n<tool_response>\n{}\n</tool_response>", "mark-unclosed"),
        ('{"name": "f"}\n</tool_call>', "mark-unopened"),
        ("End with <|im_end|>.", "chatml-mark"),
        (call('{"name": '), "example-unreadable"),
        (call("{'name': 'f', 'arguments': {'a': 1}}"), "example-fixed"),
        (call('{"name": "g", "arguments": {}}'), "example-unknown-tool"),
        (call('{"name": "f", "arguments": {"a": "x"}}'), "example-invalid-arguments"),
        (call('{"name": "f", "arguments": {}}'), "example-invalid-arguments"),
        ("Write <toolcall> first.", "near-miss-tag"),
        ("<tools>{{ tools }}</tools>", "tools-twice"),
    ],
)
def test_a_problem_is_found_with_its_line(text, code):
    [finding] = lint(text)
    assert finding.code == code
    assert finding.line is not None
    assert finding.line >= 4
    assert len(finding.message) < 100


def test_an_example_in_the_format_of_another_family_is_found():
    xml = call("<function=f>\n<parameter=a>\n1\n</parameter>\n</function>")
    assert [finding.code for finding in lint(xml)] == ["family-dialect"]
    assert lint(xml, family="qwen3-coder") == ()


def test_a_missing_or_misplaced_tools_placeholder_is_found():
    assert [finding.code for finding in lint("No tools.", head="")] == ["no-tools"]
    assert lint("No tools.", head="", tools=OfferedTools()) == ()
    assert [finding.code for finding in lint("", head="Use {{ tools }} well.")] == ["tools-without-marks"]


def test_an_unused_variable_is_found():
    assert [finding.code for finding in lint("Hi {{ used }}", used="a", unused="b")] == ["variable-unused"]


def test_lines_are_counted_from_the_start_of_the_file():
    contract = parse_contract("---\ntitle: t\nfamily: hermes-lines\n---\n\n<|im_end|>\n", name="c")
    assert [finding.line for finding in lint_contract(contract, OfferedTools())] == [6]
