"""Constraints of a completion, by tool choice, family and answer schema."""

import pytest

from workbench.errors import ConstraintFailed
from workbench.rollout.constraint import DecodingConstraint, TurnSetup, constrain, constrain_after_prefix
from workbench.rollout.ports import ChoiceKind, ToolChoice
from workbench.toolspec.spec import OfferedTools, ToolSpec

NAMES = ("read", "now")
TOOLS = OfferedTools(specs=tuple(ToolSpec.of_function({"name": name}) for name in NAMES))
BROKEN = OfferedTools(
    specs=(
        ToolSpec.of_function(
            {"name": "f", "parameters": {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}}}
        ),
    )
)
REQUIRED = ToolChoice(kind=ChoiceKind.REQUIRED)
NONE = ToolChoice(kind=ChoiceKind.NONE)


def constraint_for(
    choice=ToolChoice(), *, tools=TOOLS, family="hermes-lines", in_thought=False, has_grammar=True, **more
):
    setup = TurnSetup(tools=tools, family=family, **more)
    return constrain(setup, choice, starts_in_thought=in_thought, has_grammar=has_grammar)


def test_a_forced_call_is_prefilled_and_constrained_from_the_start():
    result = constraint_for(REQUIRED)
    assert result.prefill == "<tool_call>\n"
    assert result.constraint.trigger == ""
    assert all(f'\\"{name}\\"' in result.constraint.grammar for name in NAMES)


def test_a_call_of_a_named_tool_excludes_the_other_tools():
    result = constraint_for(ToolChoice(kind=ChoiceKind.NAMED, tool="now"))
    assert '\\"read\\"' not in result.constraint.grammar


def test_a_forced_call_after_an_open_thought_closes_the_thought_first():
    assert constraint_for(REQUIRED, in_thought=True).prefill == "\n</think>\n\n<tool_call>\n"


def test_with_auto_the_grammar_starts_at_the_tag():
    result = constraint_for()
    assert (result.prefill, result.constraint.trigger) == ("", "<tool_call>")


def test_the_grammar_of_an_xml_family_has_xml_calls():
    grammar = constraint_for(REQUIRED, family="qwen3-coder").constraint.grammar
    assert '"<function=read>' in grammar
    assert "arguments" not in grammar


@pytest.mark.parametrize("constraint", [constraint_for(NONE), constraint_for(tools=OfferedTools())])
def test_without_callable_tools_there_is_no_constraint(constraint):
    assert constraint == DecodingConstraint()


def test_an_engine_without_grammars_gets_the_prefill_only():
    assert constraint_for(REQUIRED, has_grammar=False) == DecodingConstraint(prefill="<tool_call>\n")
    assert constraint_for(has_grammar=False) == DecodingConstraint()


def test_an_answer_schema_applies_with_and_without_tools():
    schema = {"type": "integer"}
    assert "tool_call" in constraint_for(answer_schema=schema).constraint.grammar
    assert "tool_call" not in constraint_for(NONE, answer_schema=schema).constraint.grammar
    assert constraint_for(REQUIRED, answer_schema=schema).prefill


def test_a_broken_schema_is_a_finding_with_auto_and_an_error_with_a_forced_call():
    result = constraint_for(tools=BROKEN)
    assert result.constraint is None
    assert [finding.code for finding in result.findings] == ["grammar-failed"]
    with pytest.raises(ConstraintFailed):
        constraint_for(REQUIRED, tools=BROKEN)


@pytest.mark.parametrize(
    ("choice", "prefix", "has_grammar"),
    [
        (NONE, '<tool_call>\n{"name": "re', True),
        (REQUIRED, '<tool_call>\n{"name": "re', False),
        (REQUIRED, '<think>\n<tool_call>\n{"name": "re', True),
    ],
)
def test_a_call_that_is_not_run_is_continued_without_a_grammar(choice, prefix, has_grammar):
    setup = TurnSetup(tools=TOOLS, family="hermes-lines")
    result = constrain_after_prefix(setup, choice, prefix, has_grammar=has_grammar)
    assert result == DecodingConstraint(prefill=prefix)


@pytest.mark.parametrize("written", ["\n{'name': 're", '\n{"name": "nothing', '\n\n\n{"name"'])
def test_a_beginning_that_fits_no_tool_is_a_finding(written):
    setup = TurnSetup(tools=TOOLS, family="hermes-lines")
    result = constrain_after_prefix(setup, REQUIRED, "<tool_call>" + written, has_grammar=True)
    assert (result.constraint, [finding.code for finding in result.findings]) == (None, ["grammar-failed"])


def test_after_a_prefix_the_model_is_free_until_it_opens_a_call():
    setup = TurnSetup(tools=TOOLS, family="hermes-lines")
    result = constrain_after_prefix(setup, REQUIRED, "Let me look. ", has_grammar=True)
    assert (result.prefill, result.constraint.trigger) == ("Let me look. ", "<tool_call>")
    assert constrain_after_prefix(setup, NONE, "No. ", has_grammar=True) == DecodingConstraint(prefill="No. ")


@pytest.mark.parametrize("prefix", ["<tool_call>\n", 'Hm.<tool_call>\n{"name": "re'])
def test_inside_an_open_call_the_rest_of_the_call_is_constrained(prefix):
    setup = TurnSetup(tools=TOOLS, family="hermes-lines")
    result = constrain_after_prefix(setup, REQUIRED, prefix, has_grammar=True)
    assert (result.prefill, result.constraint.trigger, result.findings) == (prefix, "", ())
    root = result.constraint.grammar.splitlines()[0]
    assert root.startswith("root ::= ")
    assert (r'"ad\", \"arguments\": "' in root) == prefix.endswith("re")
    closed = prefix + "}\n</tool_call>"
    assert (
        constrain_after_prefix(setup, REQUIRED, closed, has_grammar=True).constraint.trigger == "<tool_call>"
    )
