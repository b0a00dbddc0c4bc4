"""The expectation language: what a case of a suite can require."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from workbench.chat.json_value import JsonObject
from workbench.toolspec.conditions import condition_problem, schema_problem
from workbench.toolspec.patterns import pattern_problem

CALL_KEYS: Final = {
    "name": "name of the tool, or a condition",
    "arguments": "all arguments: values or conditions by name; other arguments are not allowed",
    "has_arguments": "some arguments: values or conditions by name; other arguments are allowed",
    "optional": "arguments that may be missing: values or conditions by name, checked if the argument is there",
    "arguments_schema": "a JSON Schema for the arguments as a whole",
    "count": "number of such calls, 1 by default",
}
"""The keys that describe one call, and their meaning."""
KINDS: Final = {
    "calls": "these calls, in any order, and no others",
    "no_call": "`true`: no tool is called",
    "asks": "`true`: no tool is called and the answer asks a question; a pattern: the question must also match it",
    "call_count": "number of calls: a number, or `{at_least, at_most}`",
    "tool_sequence": "names of the tools called in the whole rollout, in order",
    "valid_calls": "`true`: every call can be read, names an offered tool, and its arguments match the schema",
    "answered": "`true`: the turn ends with an answer that is not empty, not at a limit",
    "text_contains": "a text, or a list of texts, that the answer contains; upper and lower case are the same",
    "text_matches": "a regular expression that matches a part of the answer",
    "answer_schema": "a JSON Schema; the answer is JSON that matches it",
    "fixes_at_most": "maximum number of fixes by the reader",
    "rounds_at_most": "maximum number of completions",
    "seconds_at_most": "maximum generation time over all rounds, in seconds",
    "tokens_at_most": "maximum number of generated tokens over all rounds",
    "prompt_tokens_at_most": "maximum length of the first prompt, in tokens",
    "cost_at_most": "maximum cost in US dollars; does not hold if the price of the model is not known",
    "judge": "a rubric; another model decides whether the rollout meets it, and its verdict and reason are stored",
    "forbidden_calls": "calls of which none is made, in the whole conversation",
    "told": "a text, or a list of texts, that the model says in any of its answers; upper and lower case are the same",
    "policy": "a rule for the conversation: `rule` says it, `call` names the calls that it is about, and `needs` what "
    "must come before them; without `call`, a judge decides",
    "world": "values or conditions by JSON Pointer in the final world; nothing else may have changed",
    "world_unchanged": "`true`: the conversation changed nothing in the world",
    "turns_at_most": "maximum number of turns, each a message of the person and the model's answer",
    "person_turns_at_most": "maximum number of the person's messages, with one that ends the conversation",
    "bfcl": "BFCL's `function` and `ground_truth`, scored by BFCL's rules",
    "bfcl_conversation": "a multi-turn question of BFCL, run and scored with the classes of `bfcl-eval`",
    "not": "an expectation that must not hold",
    "any_of": "expectations of which at least one must hold",
    "all_of": "expectations that must all hold",
}
"""The kinds of expectations, and their meaning. An expectation has exactly one of these keys."""
OPTIONS: Final = {
    "weight": "weight of this expectation among the others, 1 by default",
    "in_order": "for `calls`: `true` requires the given order",
    "allow_extra": "for `calls` and `tool_sequence`: `true` allows other calls in between",
    "within": "for `calls` and `call_count`: `first` (the first completion, the default) or `turn` (the whole rollout, "
    "the default in a case with `user`)",
    "allow_changes": "for `world`: `true` allows other changes",
}
"""The keys that an expectation can have in addition, and their meaning."""


BFCL_VERDICT: Final = "bfcl_conversation"
"""Stands for a rubric: BFCL's own rules decide, with its classes."""


class _ExpectationModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CallPattern(_ExpectationModel):
    """A description of one call, with the keys of `CALL_KEYS`."""

    name: Any = None
    arguments: dict[str, Any] | None = None
    has_arguments: dict[str, Any] | None = None
    optional: dict[str, Any] = Field(default_factory=dict[str, Any])
    arguments_schema: dict[str, Any] | None = None
    count: int = Field(default=1, ge=1, le=1000)

    @model_validator(mode="after")
    def _usable(self) -> "CallPattern":
        groups = (self.arguments or {}, self.has_arguments or {}, self.optional)
        conditions = [self.name, *(condition for group in groups for condition in group.values())]
        if self.arguments is not None and self.has_arguments is not None:
            raise ValueError("give arguments or has_arguments, not both")
        _refuse(map(condition_problem, conditions))
        if self.arguments_schema is not None:
            _refuse([schema_problem(self.arguments_schema)])
        return self


class CountRange(_ExpectationModel):
    """A range of counts. `at_most` is None if there is no maximum."""

    at_least: int = Field(default=0, ge=0)
    at_most: int | None = Field(default=None, ge=0)


class BfclAnswer(_ExpectationModel):
    """The possible answers of a BFCL question."""

    function: list[dict[str, Any]]
    """The functions of the question, unchanged."""
    ground_truth: list[dict[str, dict[str, list[Any]]]]
    """An object for each call: function to argument to possible values, with an empty text if it is optional."""
    category: Literal["simple", "multiple", "parallel"]
    """How calls are matched."""


class BfclConversation(_ExpectationModel):
    """A multi-turn question of BFCL, without what the person says."""

    classes: list[str] = Field(min_length=1)
    """Names of BFCL's classes whose methods the model can call."""
    config: dict[str, Any] = Field(default_factory=dict[str, Any])
    """How the instances of the classes begin, by name."""
    ground_truth: list[list[str]]
    """The calls of each turn, as Python."""
    missed: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
    """Functions that are withheld until a turn, by the index of the turn."""
    is_long: bool = False
    """Whether the instances begin with much more data."""


class PolicyNeeds(_ExpectationModel):
    """What a rule requires before a call."""

    call: CallPattern | None = None
    """An earlier call without an error."""
    person_said: str = ""
    """Pattern that the person's last message matches."""
    told: str = ""
    """Pattern that an earlier answer of the model matches."""

    @model_validator(mode="after")
    def _usable(self) -> "PolicyNeeds":
        _refuse(pattern_problem(pattern) for pattern in (self.person_said, self.told) if pattern)
        return self


class PolicyRule(_ExpectationModel):
    """A rule for a conversation."""

    rule: str = Field(min_length=1)
    """The rule, for a person or a judge."""
    call: CallPattern | None = None
    """The calls that the rule is about. None lets a judge decide."""
    needs: PolicyNeeds | None = None
    """What must come before each of these calls. None forbids them."""

    @model_validator(mode="after")
    def _usable(self) -> "PolicyRule":
        if self.needs and not self.call:
            raise ValueError("needs is about calls: also give call")
        return self


class Expectation(_ExpectationModel):
    """One expectation, with the keys of `KINDS` and `OPTIONS`."""

    calls: list[CallPattern] | None = Field(default=None, min_length=1)
    no_call: Literal[True] | None = None
    asks: Literal[True] | str | None = None
    call_count: int | CountRange | None = None
    tool_sequence: list[str] | None = None
    valid_calls: Literal[True] | None = None
    answered: Literal[True] | None = None
    text_contains: str | list[str] | None = None
    text_matches: str | None = None
    answer_schema: dict[str, Any] | None = None
    fixes_at_most: int | None = Field(default=None, ge=0)
    rounds_at_most: int | None = Field(default=None, ge=1)
    seconds_at_most: float | None = Field(default=None, gt=0)
    tokens_at_most: int | None = Field(default=None, ge=0)
    prompt_tokens_at_most: int | None = Field(default=None, ge=0)
    cost_at_most: float | None = Field(default=None, ge=0)
    judge: str | None = Field(default=None, min_length=1)
    forbidden_calls: list[CallPattern] | None = Field(default=None, min_length=1)
    told: str | list[str] | None = Field(default=None, min_length=1)
    policy: PolicyRule | None = None
    world: dict[str, Any] | None = None
    world_unchanged: Literal[True] | None = None
    turns_at_most: int | None = Field(default=None, ge=1)
    person_turns_at_most: int | None = Field(default=None, ge=1)
    bfcl: BfclAnswer | None = None
    bfcl_conversation: BfclConversation | None = None
    not_: "Expectation | None" = Field(default=None, alias="not")
    any_of: "list[Expectation] | None" = Field(default=None, min_length=1)
    all_of: "list[Expectation] | None" = Field(default=None, min_length=1)
    weight: float = Field(default=1.0, gt=0, le=1000)
    in_order: bool = False
    allow_extra: bool = False
    within: Literal["first", "turn"] = "first"
    allow_changes: bool = False

    @property
    def kind(self) -> str:
        """Its kind, a key of `KINDS`."""
        return self._kinds()[0]

    @model_validator(mode="after")
    def _usable(self) -> "Expectation":
        kinds = self._kinds()
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none"
            raise ValueError(f"an expectation must have exactly one kind; this one has {found}")
        for option, owners in _OWNERS.items():
            if option in self.model_fields_set and kinds[0] not in owners:
                raise ValueError(
                    f"{option} can be used only with {' and '.join(owners)}, not with {kinds[0]}"
                )
        for pattern in (self.text_matches, self.asks if isinstance(self.asks, str) else None):
            if pattern is not None and (problem := pattern_problem(pattern)):
                raise ValueError(f"the pattern {pattern[:40]!r}: {problem}")
        if self.answer_schema is not None:
            _refuse([schema_problem(self.answer_schema)])
        for place, condition in (self.world or {}).items():
            if place and not place.startswith("/"):
                raise ValueError(f"{place!r} is not a JSON Pointer, such as /orders/W1001/status")
            _refuse([condition_problem(condition)])
        return self

    @field_validator("policy", mode="before")
    @classmethod
    def _from_text(cls, policy: object) -> object:
        """Accept a text for a rule that a judge decides."""
        return {"rule": policy} if isinstance(policy, str) else policy

    def inner(self) -> Sequence["Expectation"]:
        """Return the expectations inside `not`, `any_of` and `all_of`; empty for the other kinds."""
        return [*([self.not_] if self.not_ else ()), *(self.any_of or ()), *(self.all_of or ())]

    def rubrics(self) -> Iterator[str]:
        """Yield the rubrics for a judge, of this expectation and of those inside it."""
        if self.judge is not None:
            yield self.judge
        if self.policy is not None and self.policy.call is None:
            yield self.policy.rule
        if self.bfcl_conversation is not None:
            yield BFCL_VERDICT
        for expectation in self.inner():
            yield from expectation.rubrics()

    def document(self) -> JsonObject:
        """Return the expectation as JSON, as in a suite file."""
        return cast(JsonObject, self.model_dump(mode="json", by_alias=True, exclude_unset=True))

    def _kinds(self) -> list[str]:
        fields = {"not": self.not_}
        return [
            name for name in KINDS if (fields[name] if name in fields else getattr(self, name)) is not None
        ]


_OWNERS: Final[Mapping[str, Sequence[str]]] = {
    "in_order": ("calls",),
    "allow_extra": ("calls", "tool_sequence"),
    "within": ("calls", "call_count"),
    "allow_changes": ("world",),
}


def over_conversation(expectation: Expectation) -> Expectation:
    """Return the expectation of a case with a person: without `within`, calls count over the whole conversation."""
    if expectation.kind in _OWNERS["within"] and "within" not in expectation.model_fields_set:
        return expectation.model_copy(update={"within": "turn"})
    return expectation


def expects_call(expectations: Sequence[Expectation]) -> bool | None:
    """Return True if a call is expected, False if no call is allowed, None if the expectations leave it open."""
    for expectation in expectations:
        bfcl = expectation.bfcl
        if expectation.calls or expectation.tool_sequence or (bfcl and bfcl.ground_truth):
            return True
        if expectation.no_call or expectation.asks is not None:
            return False
        if expectation.call_count == 0 or expectation.tool_sequence == []:
            return False
    return None


def expected_tools(expectations: Sequence[Expectation]) -> frozenset[str] | None:
    """Return the names of the tools that may be called, or None if the expectations do not name them."""
    names: set[str] = set()
    for expectation in expectations:
        for pattern in expectation.calls or ():
            if not isinstance(pattern.name, str):
                return None
            names.add(pattern.name)
        names.update(expectation.tool_sequence or ())
        if expectation.bfcl:
            names.update(name for answer in expectation.bfcl.ground_truth for name in answer)
    return frozenset(names) or None


def _refuse(problems: "Iterator[str] | list[str]") -> None:
    for problem in problems:
        if problem:
            raise ValueError(problem)
