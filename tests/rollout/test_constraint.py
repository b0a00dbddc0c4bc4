"""What a completion is held to, by tool choice, family and answer's schema."""

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


def held(
    choice=ToolChoice(), *, tools=TOOLS, family="hermes-lines", in_thought=False, has_grammar=True, **more
):
    setup = TurnSetup(tools=tools, family=family, **more)
    return constrain(setup, choice, starts_in_thought=in_thought, has_grammar=has_grammar)


def test_a_forced_call_is_begun_and_bound_from_the_start():
    made = held(REQUIRED)
    assert made.prefill == "<tool_call>\n"
    assert made.constraint.trigger == ""
    assert all(f'\\"{name}\\"' in made.constraint.grammar for name in NAMES)


def test_a_named_call_leaves_the_other_tools_out():
    made = held(ToolChoice(kind=ChoiceKind.NAMED, tool="now"))
    assert '\\"read\\"' not in made.constraint.grammar


def test_a_forced_call_behind_an_open_thought_closes_it_first():
    assert held(REQUIRED, in_thought=True).prefill == "\n</think>\n\n<tool_call>\n"


def test_auto_waits_for_the_mark():
    made = held()
    assert (made.prefill, made.constraint.trigger) == ("", "<tool_call>")


def test_the_xml_families_are_held_to_their_own_form():
    grammar = held(REQUIRED, family="qwen3-coder").constraint.grammar
    assert '"<function=read>' in grammar
    assert "arguments" not in grammar


@pytest.mark.parametrize("made", [held(NONE), held(tools=OfferedTools())])
def test_without_tools_to_call_the_model_is_free(made):
    assert made == DecodingConstraint()


def test_an_engine_without_a_grammar_gets_the_beginning_alone():
    assert held(REQUIRED, has_grammar=False) == DecodingConstraint(prefill="<tool_call>\n")
    assert held(has_grammar=False) == DecodingConstraint()


def test_an_answer_s_schema_holds_with_tools_and_without():
    schema = {"type": "integer"}
    assert "tool_call" in held(answer_schema=schema).constraint.grammar
    assert "tool_call" not in held(NONE, answer_schema=schema).constraint.grammar
    assert held(REQUIRED, answer_schema=schema).prefill


def test_a_schema_that_leads_nowhere_is_told_where_the_model_may_answer_and_refused_where_it_must_call():
    made = held(tools=BROKEN)
    assert made.constraint is None
    assert [finding.code for finding in made.findings] == ["grammar-failed"]
    with pytest.raises(ConstraintFailed):
        held(REQUIRED, tools=BROKEN)


def test_behind_a_beginning_the_model_is_free_until_it_opens_a_call():
    setup = TurnSetup(tools=TOOLS, family="hermes-lines")
    made = constrain_after_prefix(setup, REQUIRED, "Let me look. ", has_grammar=True)
    assert (made.prefill, made.constraint.trigger) == ("Let me look. ", "<tool_call>")
    assert constrain_after_prefix(setup, NONE, "No. ", has_grammar=True) == DecodingConstraint(prefill="No. ")


@pytest.mark.parametrize("begun", ["<tool_call>\n", 'Hm.<tool_call>\n{"name": "re'])
def test_within_a_call_that_is_open_no_grammar_takes_over(begun):
    setup = TurnSetup(tools=TOOLS, family="hermes-lines")
    assert constrain_after_prefix(setup, REQUIRED, begun, has_grammar=True) == DecodingConstraint(
        prefill=begun
    )
    closed = begun + "}\n</tool_call>"
    assert (
        constrain_after_prefix(setup, REQUIRED, closed, has_grammar=True).constraint.trigger == "<tool_call>"
    )
