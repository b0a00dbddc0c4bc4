"""A spec of the wild has the same verdict wherever tools are given, and never makes its neighbour unusable."""

import json

import pytest

from tests.toolspec.wild import GOOD, LEFT_OUT, WILD
from workbench.chat.finding import Severity
from workbench.chat.message import Conversation, Message, Role
from workbench.hermes.parse import parse
from workbench.hermes.reading import CallStatus
from workbench.hermes.render import render
from workbench.hermes.spelling.families import FAMILIES
from workbench.toolspec.check import check_arguments
from workbench.toolspec.importers.read import import_tools
from workbench.toolspec.tools_text import check_tools_text, parse_tools, render_tools
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.validate.check import check_completely

ROWS = pytest.mark.parametrize("name", WILD)
AROUND = ([True, False], [False, True])


def name_of(name):
    document = WILD[name].tool
    return document.get("function", document).get("name")


def codes_of(findings):
    """Return the codes of warnings and errors, each once."""
    return tuple(dict.fromkeys(f.code for f in findings if f.severity is not Severity.NOTE))


def is_left_out(name):
    return LEFT_OUT in WILD[name].codes


@ROWS
@pytest.mark.parametrize("is_first", [True, False])
def test_a_list_offers_what_can_be_used_and_reports_the_rest_by_name(name, is_first):
    specs = [WILD[name].tool, GOOD] if is_first else [GOOD, WILD[name].tool]
    tools = parse_tools(json.dumps(specs, indent=1))
    expected = [] if is_left_out(name) else [name_of(name)]
    assert tools.names == tuple([*expected, "good"] if is_first else ["good", *expected])
    assert codes_of(tools.findings) == WILD[name].codes
    assert all(finding.line and finding.message.startswith("tool ") for finding in tools.findings)
    assert all(len(finding.message) < 100 for finding in tools.findings)
    # The document is shown as it was written.
    for spec in tools.specs:
        assert spec.function in [document.get("function", document) for document in specs]


@pytest.mark.parametrize("name", [name for name in WILD if not is_left_out(name)])
def test_arguments_are_checked_against_what_the_spec_means(name):
    row = WILD[name]
    spec = parse_tools([row.tool, GOOD]).by_name[name_of(name)]
    for arguments, is_valid in ((row.valid, True), (row.invalid, False)):
        if arguments is not None:
            errors = [f for f in check_arguments(spec, arguments) if f.severity is Severity.ERROR]
            assert (not errors) == is_valid, (arguments, errors)


@ROWS
@pytest.mark.parametrize("family", ["qwen3", "qwen3-coder", "hermes-3"])
def test_the_reader_and_the_prompt_work_with_both_tools(name, family):
    row = WILD[name]
    tools = parse_tools([row.tool, GOOD])
    conversation = Conversation(messages=(Message(role=Role.USER, text="Go."),))
    prompt = render(conversation, family=family, has_contract=False, tools=tools, generation_prompt=True)
    assert "good" in prompt.text and (is_left_out(name) or str(name_of(name)) in prompt.text)
    calls = [{"name": "good", "arguments": {"n": 1}}, {"name": "good", "arguments": {"n": "x"}}]
    if row.valid is not None:
        calls.append({"name": name_of(name), "arguments": row.valid})
    text = "\n".join(f"<tool_call>\n{json.dumps(call)}\n</tool_call>" for call in calls)
    statuses = [call.status for call in parse(text, tools=tools).calls]
    assert statuses[:2] == [CallStatus.READY, CallStatus.INVALID_ARGUMENTS]
    assert all(status is CallStatus.READY for status in statuses[2:])


@ROWS
def test_a_stored_list_reads_the_same_again(name):
    tools = parse_tools([WILD[name].tool, GOOD])
    again = parse_tools(render_tools(tools))
    assert again.names == tools.names
    assert codes_of(again.findings) == tuple(code for code in WILD[name].codes if code != LEFT_OUT)


@ROWS
def test_an_import_reports_the_same(name):
    imported = import_tools(json.dumps([WILD[name].tool, GOOD]))
    assert "good" in imported.tools.names
    assert (name_of(name) in imported.tools.names) != is_left_out(name) or "type" in WILD[name].tool
    if "function" in WILD[name].tool and isinstance(WILD[name].tool["function"], dict):
        assert codes_of(imported.findings) == WILD[name].codes


@ROWS
def test_a_row_with_the_spec_gets_a_warning_and_an_error_only_if_the_tool_cannot_be_used(name):
    call = {"id": "a", "type": "function", "function": {"name": "good", "arguments": '{"n": 1}'}}
    row = {
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "assistant", "content": "Done."},
        ],
        "tools": [WILD[name].tool, GOOD],
    }
    found = {
        finding.code
        for finding in check_completely(FORMATS["openai"].read(row)).findings
        if "spec" in finding.code
    }
    if name == "a tool of a server":
        # A row has only functions, so this one is a function without parameters.
        assert found == set()
        return
    expected = {"spec-unsound"} if is_left_out(name) else {"spec-unusual"} if WILD[name].codes else set()
    assert found == expected


def test_messages_end_with_a_word():
    long = {
        "type": "object",
        "properties": {"a": {"pattern": "(?=" + "very long words in a pattern " * 9 + ")"}},
    }
    tools = [{"name": "a_tool_with_a_name_that_is_rather_long_but_valid", "parameters": long}]
    [finding] = check_tools_text(json.dumps(tools))
    whole = "is not checked: it needs backtracking (lookaround, backreference)"
    words = finding.message.removesuffix("…").partition("…' is not")[2].split()
    assert finding.message.endswith("…") and words
    assert words == whole.replace("is not ", "", 1).replace(",", "").split()[: len(words)]


def test_there_are_enough_of_them():
    assert len(WILD) >= 80 and set(FAMILIES) >= {"qwen3", "qwen3-coder", "hermes-3"}
