"""Turn the tool choice and the answer schema into the constraint of a completion: prefill, grammar and findings.

The idea: a small model rarely starts a call on its own. So for a forced call we write its beginning ourselves
(the *prefill* `<tool_call>`), and a grammar made of the tools' schemas constrains what follows. A model of 135 million
parameters then calls an existing tool with arguments that match its schema.

What a completion is constrained by:

| tool choice | prefill | grammar |
|---|---|---|
| forced (`required`, a tool's name) | `<tool_call>` | one call, perhaps more, then the end |
| `auto` | none | applies only after the model wrote `<tool_call>` itself (`Constraint.trigger`) |
| `auto` with an answer schema | none | a call, or an answer that matches the schema |
| `none` | none | the answer schema, if there is one |

Invariant: a call written under the grammar needs no fix, and its arguments match all keywords of its schema that the
grammar supports. Unsupported keywords become findings; the call is checked against the whole schema afterwards.

Three inputs need exceptions:

- A prompt that ends inside a thought (`<think>`), where calls are never run. A forced call closes the thought first,
  and an answer schema is not enforced.
- A message that was cut off inside a call, such as `<tool_call>{"name": "re`, and is continued. Its grammar is that
  of the rest (`gbnf_rest.py`). A beginning that no grammar allows, such as other white space, is only a finding.
- A schema that no grammar can express, such as `{"$ref": "#/nowhere"}`. With `auto` it is only a finding, because the
  model may answer without a call. With a forced call it is an error.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject
from workbench.chat.short_text import shortened
from workbench.errors import ConstraintFailed
from workbench.hermes.marks import CALL_CLOSE, CALL_OPEN
from workbench.hermes.spelling.families import family_named
from workbench.hermes.spelling.thoughts import THINK_CLOSE, THINK_OPEN
from workbench.rollout.ports import ChoiceKind, Constraint, ToolChoice
from workbench.rollout.sampling import Sampling
from workbench.toolspec.gbnf_rest import grammar_after
from workbench.toolspec.grammar import CallMarks, Grammar, answer_grammar, call_schema, calls_grammar
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSetup:
    """Everything that a turn depends on, except the conversation."""

    tools: OfferedTools
    """The offered tools. Calls are checked against their specs."""
    family: str
    """Name of the render family, such as `hermes-lines`."""
    sampling: Sampling = Sampling()
    tool_choice: ToolChoice = ToolChoice()
    max_rounds: int = 8
    """Maximum number of completions."""
    answer_schema: JsonObject | None = field(default=None, hash=False)
    """JSON Schema that answers must match (Hermes' JSON mode). None if answers are free."""
    wants_logprobs: bool = False
    """True to store the tokens of each completion with their logprobs, if the engine reports them."""
    top_logprobs: int = 0
    """How many of the most likely tokens each token should come with. They are not stored."""
    is_constrained: bool = True
    """False to use no grammar. The beginning of a forced call is still written."""
    contract_fingerprint: str | None = None
    """Fingerprint of the contract that the system text was composed from. None without a contract."""
    has_contract: bool = True
    """False if the family's own template writes the tools and its default system text."""
    unset_sampling: frozenset[str] = frozenset()
    """Names of sampling fields that nobody chose. A server uses its own defaults for them."""
    response_format: JsonObject | None = field(default=None, hash=False)
    """The format of answers as OpenAI's protocol writes it, for servers. None if answers are free."""


PREFILL: Final = f"{CALL_OPEN}\n"
"""The beginning of a forced call. The model continues it, constrained by the grammar."""
CLOSING: Final = f"\n{CALL_CLOSE}"
"""The end of a forced call."""
_FORCED: Final = CallMarks(open=PREFILL, close=CLOSING, between="\n")
_TRIGGERED: Final = CallMarks(open="\n", close=CLOSING, between=f"\n{CALL_OPEN}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingConstraint:
    """The parts of a request that constrain its completion."""

    prefill: str = ""
    """The beginning of the completion, which we write. Empty if the model writes all of it."""
    constraint: Constraint | None = None
    """What the model writes after the prefill must match this. None if it may write anything."""
    findings: tuple[Finding, ...] = ()
    """Parts of the schemas that the grammar cannot enforce."""


def constrain(
    setup: TurnSetup, choice: ToolChoice, *, starts_in_thought: bool, has_grammar: bool = True
) -> DecodingConstraint:
    """Return the constraint for a tool choice and the setup's answer schema; the table above lists the cases.

    Args:
        starts_in_thought: True if the prompt ends inside a thought.
        has_grammar: False if the engine supports no grammars. Only the prefill of a forced call is returned then.

    Raises:
        ConstraintFailed: A call is forced, or there is an answer schema, and a schema has a reference to nowhere or
            allows no value.
    """
    tools = OfferedTools() if choice.kind is ChoiceKind.NONE else setup.tools
    # A call inside a thought is never run, so close the thought first.
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
    """Return the constraint of a completion that continues `prefix`.

    If `prefix` ends inside a call, the rest of the call is constrained by what the grammar of calls allows after the
    written part. Otherwise the model is free until it opens a call.
    """
    if prefix.rfind(CALL_OPEN) > prefix.rfind(CALL_CLOSE):
        # A call inside a thought is never run.
        is_thought = prefix.rfind(THINK_OPEN.strip()) > prefix.rfind(THINK_CLOSE.strip())
        if not has_grammar or is_thought or choice.kind is ChoiceKind.NONE or not setup.tools.specs:
            return DecodingConstraint(prefill=prefix)
        return replace(_inside_call(setup, prefix.rpartition(CALL_OPEN)[2]), prefill=prefix)
    free = choice if choice.kind is ChoiceKind.NONE else ToolChoice(kind=ChoiceKind.AUTO)
    without_schema = replace(setup, answer_schema=None)
    return replace(
        constrain(without_schema, free, starts_in_thought=False, has_grammar=has_grammar), prefill=prefix
    )


def _chosen(tools: OfferedTools, choice: ToolChoice) -> OfferedTools:
    return tools.only(frozenset({choice.tool})) if choice.tool else tools


def _forced(setup: TurnSetup, tools: OfferedTools, prefill: str) -> DecodingConstraint:
    dialect = family_named(setup.family).dialect
    grammar = calls_grammar(tools, _FORCED, dialect=dialect, begins_open=True)
    return DecodingConstraint(
        prefill=prefill, constraint=_constraint(tools, grammar), findings=grammar.findings
    )


def _auto(setup: TurnSetup, tools: OfferedTools) -> DecodingConstraint:
    dialect = family_named(setup.family).dialect
    try:
        grammar = calls_grammar(tools, _TRIGGERED, dialect=dialect, begins_open=False)
    except ConstraintFailed as error:
        # The model may answer without a call. A call is checked after it is written in any case.
        message = shortened(f"no grammar constrains calls to the tools' schemas: {error.reason}")
        return DecodingConstraint(
            findings=(Finding(code="grammar-failed", message=message, severity=Severity.WARNING),)
        )
    return DecodingConstraint(
        constraint=_constraint(tools, grammar, trigger=CALL_OPEN), findings=grammar.findings
    )


def _inside_call(setup: TurnSetup, written: str) -> DecodingConstraint:
    """Return the constraint of the rest of a call, and of the calls after it.

    Args:
        written: The text after the opening tag.
    """
    whole = _auto(setup, setup.tools)
    if whole.constraint is None:
        return whole
    rest = grammar_after(whole.constraint.grammar, written)
    if rest is None:
        message = "no grammar constrains the rest of the call: its beginning does not fit the tools' schemas"
        finding = Finding(code="grammar-failed", message=shortened(message), severity=Severity.WARNING)
        return DecodingConstraint(findings=(finding,))
    return replace(whole, constraint=replace(whole.constraint, grammar=rest, trigger=""))


def _answer(setup: TurnSetup, tools: OfferedTools, schema: JsonObject) -> DecodingConstraint:
    dialect = family_named(setup.family).dialect
    grammar = answer_grammar(schema, tools=tools, marks=_FORCED, dialect=dialect)
    constraint = Constraint(schema=schema, closing="", grammar=grammar.text)
    return DecodingConstraint(constraint=constraint, findings=grammar.findings)


def _constraint(tools: OfferedTools, grammar: Grammar, *, trigger: str = "") -> Constraint:
    return Constraint(
        schema=call_schema(tools),
        closing=CLOSING,
        grammar=grammar.text,
        trigger=trigger,
        between_blocks=f"\n{PREFILL}",
    )
