"""What a grammar allows is read as a valid call, and no valid schema leaves a model without a call."""

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.properties import examples
from tests.toolspec.gbnf_texts import Gbnf
from tests.toolspec.schema_strategies import DEFINITIONS, KEYS, SCALARS, schemas
from workbench.errors import ConstraintFailed
from workbench.hermes.parse import parse
from workbench.hermes.reading import CallStatus
from workbench.toolspec.check import check_arguments
from workbench.toolspec.grammar import CallMarks, Grammar, calls_grammar
from workbench.toolspec.spec import OfferedTools, ToolSpec

MARKS = CallMarks(open="<tool_call>\n", close="\n</tool_call>", between="\n")
SAMPLES = 6
relaxed = settings(
    max_examples=examples(1000) // 2, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def spec_of(argument: Any) -> ToolSpec:
    """Return the spec of a tool `f` with one argument `v`."""
    parameters = {"type": "object", "properties": {"v": argument}, "required": ["v"], "$defs": DEFINITIONS}
    return ToolSpec.of_function({"name": "f", "description": "d", "parameters": parameters})


def grammar_of(spec: ToolSpec, dialect: Any) -> Grammar:
    """Return the grammar of calls of one tool, including the opening tag."""
    return calls_grammar(OfferedTools(specs=(spec,)), MARKS, dialect=dialect, begins_open=False)


def faults(spec: ToolSpec, dialect: Any, seed: int) -> list[str]:
    """Return the texts of a tool's grammar that are not read as valid calls although no keyword is reported."""
    try:
        grammar = grammar_of(spec, dialect)
    except ConstraintFailed:
        return []
    texts, rng = Gbnf(grammar.text), random.Random(seed)
    assert texts.has_texts
    found: list[str] = []
    for text in (texts.sample(rng) for _ in range(SAMPLES)):
        reading = parse(text, tools=OfferedTools(specs=(spec,)))
        is_ready = all(call.status is CallStatus.READY for call in reading.calls)
        if not reading.calls or not (is_ready or grammar.findings):
            found.append(text)
    return found


@pytest.mark.parametrize("is_enforced", [True, False])
@pytest.mark.parametrize("dialect", ["json", "xml"])
@relaxed
@given(data=st.data(), seed=st.integers(0, 10**6))
@pytest.mark.slow
def test_what_a_grammar_allows_is_a_valid_call_unless_a_keyword_is_reported(dialect, is_enforced, data, seed):
    spec = spec_of(data.draw(schemas(is_enforced=is_enforced)))
    assert not faults(spec, dialect, seed)


@relaxed
@given(schemas(is_enforced=True), st.lists(SCALARS, max_size=2), st.dictionaries(KEYS, SCALARS, max_size=2))
def test_no_schema_with_a_valid_value_leaves_a_model_without_a_call(argument, items, members):
    spec = spec_of(argument)
    valid = [v for v in (*items, items, members, {}, []) if not check_arguments(spec, {"v": v})]
    try:
        grammar = Gbnf(grammar_of(spec, "json").text)
    except ConstraintFailed:
        assert not valid
    else:
        assert grammar.has_texts
