"""The constraint of a completion: tool choice and answer schema become a prefill, a grammar, and findings."""

from dataclasses import dataclass, field, replace
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject
from workbench.errors import ConstraintFailed
from workbench.hermes.marks import CALL_CLOSE, CALL_OPEN
from workbench.hermes.spelling.families import family_named
from workbench.hermes.spelling.thoughts import THINK_CLOSE
from workbench.rollout.ports import ChoiceKind, Constraint, ToolChoice
from workbench.rollout.sampling import Sampling
from workbench.toolspec.grammar import CallMarks, Grammar, answer_grammar, call_schema, calls_grammar
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSetup:
    """Everything that a turn depends on, beside the conversation."""

    tools: OfferedTools
    """The specs that the model was told of; calls are checked against them."""
    family: str
    """Name of the render family, such as `hermes-lines`."""
    sampling: Sampling = Sampling()
    """How tokens are chosen."""
    tool_choice: ToolChoice = ToolChoice()
    """When a call is asked for."""
    max_rounds: int = 8
    answer_schema: JsonObject | None = field(default=None, hash=False)
    """JSON Schema that an answer is held to (Hermes' JSON mode); None leaves answers free."""
    wants_logprobs: bool = False
    """True: each completion's tokens are kept with their log-probabilities, where the engine can tell them."""
    is_constrained: bool = True
    """False: no grammar holds a completion; what is forced is begun for the model and no more."""
    contract_fingerprint: str | None = None
    """Tells the contract that the system text was composed from; None where there is none."""


PREFILL: Final = f"{CALL_OPEN}\n"
"""What a forced call begins with; the model goes on from here under the grammar."""
CLOSING: Final = f"\n{CALL_CLOSE}"
"""What a forced call ends with."""
_FORCED: Final = CallMarks(open=PREFILL, close=CLOSING, between="\n")
_TRIGGERED: Final = CallMarks(open="\n", close=CLOSING, between=f"\n{CALL_OPEN}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingConstraint:
    """What goes into a request, beside the prompt."""

    prefill: str = ""
    """Written as the completion's beginning; empty where the model is free to begin."""
    constraint: Constraint | None = None
    """What it is held to from there; None leaves it free."""
    findings: tuple[Finding, ...] = ()


def constrain(
    setup: TurnSetup, choice: ToolChoice, *, starts_in_thought: bool, has_grammar: bool = True
) -> DecodingConstraint:
    """What the tool choice and the answer's schema come to.

    A forced choice is a call and perhaps further ones. With `auto` the model is free until it opens a call. An
    answer's schema leaves it a call or the answer. With `none` it is free, but for the answer's schema. An engine
    that knows no grammar is given the beginning of a forced call alone.

    Raises:
        ConstraintFailed: A call is forced, or an answer is held, and a schema leads nowhere or allows no value.
    """
    tools = OfferedTools() if choice.kind is ChoiceKind.NONE else setup.tools
    # A call inside a thought is never run: the thought is closed before it.
    prefill = (THINK_CLOSE if starts_in_thought else "") + PREFILL if choice.is_forced else ""
    if not has_grammar:
        return DecodingConstraint(prefill=prefill)
    if choice.is_forced:
        return _forced(setup, _chosen(tools, choice), prefill)
    if setup.answer_schema is not None and not starts_in_thought:
        return _answer(setup, tools, setup.answer_schema)
    return _auto(setup, tools) if tools.specs else DecodingConstraint()


def constrain_after_prefix(
    setup: TurnSetup, choice: ToolChoice, prefix: str, *, has_grammar: bool
) -> DecodingConstraint:
    """What holds a completion of which the beginning is written already.

    Within a call that the beginning leaves open no grammar can take over; behind it the model is free until it
    opens another one.
    """
    if prefix.rfind(CALL_OPEN) > prefix.rfind(CALL_CLOSE):
        return DecodingConstraint(prefill=prefix)
    free = choice if choice.kind is ChoiceKind.NONE else ToolChoice(kind=ChoiceKind.AUTO)
    unanswered = replace(setup, answer_schema=None)
    return replace(
        constrain(unanswered, free, starts_in_thought=False, has_grammar=has_grammar), prefill=prefix
    )


def _chosen(tools: OfferedTools, choice: ToolChoice) -> OfferedTools:
    return tools.only(frozenset({choice.tool})) if choice.tool else tools


def _forced(setup: TurnSetup, tools: OfferedTools, prefill: str) -> DecodingConstraint:
    dialect = family_named(setup.family).dialect
    made = calls_grammar(tools, _FORCED, dialect=dialect, begins_open=True)
    return DecodingConstraint(prefill=prefill, constraint=_constraint(tools, made), findings=made.findings)


def _auto(setup: TurnSetup, tools: OfferedTools) -> DecodingConstraint:
    dialect = family_named(setup.family).dialect
    try:
        made = calls_grammar(tools, _TRIGGERED, dialect=dialect, begins_open=False)
    except ConstraintFailed as error:
        # The model may answer without a call; it is checked all the same.
        message = f"the model is not held to the tools' schemas: {error.reason}"[:99]
        return DecodingConstraint(
            findings=(Finding(code="grammar-failed", message=message, severity=Severity.WARNING),)
        )
    return DecodingConstraint(constraint=_constraint(tools, made, trigger=CALL_OPEN), findings=made.findings)


def _answer(setup: TurnSetup, tools: OfferedTools, schema: JsonObject) -> DecodingConstraint:
    dialect = family_named(setup.family).dialect
    made = answer_grammar(schema, tools=tools, marks=_FORCED, dialect=dialect)
    constraint = Constraint(schema=schema, closing="", grammar=made.text)
    return DecodingConstraint(constraint=constraint, findings=made.findings)


def _constraint(tools: OfferedTools, made: Grammar, *, trigger: str = "") -> Constraint:
    return Constraint(
        schema=call_schema(tools),
        closing=CLOSING,
        grammar=made.text,
        trigger=trigger,
        between_blocks=f"\n{PREFILL}",
    )
