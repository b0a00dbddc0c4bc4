"""The expectation language: what a case of a suite can require."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workbench.chat.json_value import JsonObject
from workbench.toolspec.conditions import condition_problem, schema_problem
from workbench.toolspec.patterns import pattern_problem

CALL_KEYS: Final = {
    "name": "the tool, a text or a condition",
    "arguments": "all arguments: each name with its value or a condition, and no others",
    "has_arguments": "some arguments: each name with its value or a condition; others may be there",
    "optional": "arguments that may be left out; where they are given, the value or condition holds",
    "arguments_schema": "a JSON Schema that all arguments together hold",
    "count": "how many calls are like this, 1 if left out",
}
"""What describes one call, and what it means."""
KINDS: Final = {
    "calls": "these calls and no others, in any order",
    "no_call": "`true`: nothing is called",
    "asks": "`true`: nothing is called and the answer asks a question; a text: it asks about what this pattern finds",
    "call_count": "so many calls: a number, or `{at_least, at_most}`",
    "tool_sequence": "the tools called over the whole rollout, in this order",
    "valid_calls": "`true`: every call is of an offered tool, its arguments hold its schema, and none was lost",
    "text_contains": "the answer has this text, or each of these texts, whatever the case of letters",
    "text_matches": "this pattern is found in the answer",
    "answer_schema": "the answer is JSON of this schema",
    "fixes_at_most": "repairs that the reader made",
    "rounds_at_most": "completions",
    "seconds_at_most": "seconds that the model wrote, over all rounds",
    "tokens_at_most": "tokens that the model wrote, over all rounds",
    "prompt_tokens_at_most": "tokens of the first prompt",
    "cost_at_most": "US dollars, where the model's price is known",
    "judge": "a rubric: another model says whether the rollout holds it; its verdict and reason are kept",
    "bfcl": "BFCL's `function` and `ground_truth`, by BFCL's own matching rules",
    "not": "an expectation that must not hold",
    "any_of": "expectations of which at least one holds",
    "all_of": "expectations that all hold",
}
"""Every kind of expectation, and what it means; an expectation has one of them."""
OPTIONS: Final = {
    "weight": "how much it counts beside the others, 1 if left out",
    "in_order": "of `calls`: `true` wants them in the order given",
    "allow_extra": "of `calls` and `tool_sequence`: `true` lets other calls stand between",
    "within": "of `calls` and `call_count`: `first` (the first completion, if left out) or `turn` (the whole rollout)",
}
"""What may stand beside a kind, and what it means."""


class _ExpectationModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CallPattern(_ExpectationModel):
    """What one call must be; keys as in `CALL_KEYS`."""

    name: Any = None
    arguments: dict[str, Any] | None = None
    has_arguments: dict[str, Any] | None = None
    optional: dict[str, Any] = Field(default_factory=dict[str, Any])
    arguments_schema: dict[str, Any] | None = None
    count: int = Field(default=1, ge=1, le=1000)

    @model_validator(mode="after")
    def _usable(self) -> "CallPattern":
        given = (self.arguments or {}, self.has_arguments or {}, self.optional)
        conditions = [self.name, *(want for group in given for want in group.values())]
        if self.arguments is not None and self.has_arguments is not None:
            raise ValueError("give arguments or has_arguments, not both")
        _refuse(map(condition_problem, conditions))
        if self.arguments_schema is not None:
            _refuse([schema_problem(self.arguments_schema)])
        return self


class CountRange(_ExpectationModel):
    """How many; None for no bound."""

    at_least: int = Field(default=0, ge=0)
    at_most: int | None = Field(default=None, ge=0)


class BfclAnswer(_ExpectationModel):
    """What a BFCL question knows of its right answers."""

    function: list[dict[str, Any]]
    """The functions as the question has them."""
    ground_truth: list[dict[str, dict[str, list[Any]]]]
    """One object a call: function to argument to right values, an empty text where it may be left out."""
    category: Literal["simple", "multiple", "parallel"]
    """How calls are matched."""


class Expectation(_ExpectationModel):
    """One expectation; keys as in `KINDS` and `OPTIONS`."""

    calls: list[CallPattern] | None = Field(default=None, min_length=1)
    no_call: Literal[True] | None = None
    asks: Literal[True] | str | None = None
    call_count: int | CountRange | None = None
    tool_sequence: list[str] | None = None
    valid_calls: Literal[True] | None = None
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
    bfcl: BfclAnswer | None = None
    not_: "Expectation | None" = Field(default=None, alias="not")
    any_of: "list[Expectation] | None" = Field(default=None, min_length=1)
    all_of: "list[Expectation] | None" = Field(default=None, min_length=1)
    weight: float = Field(default=1.0, gt=0, le=1000)
    in_order: bool = False
    allow_extra: bool = False
    within: Literal["first", "turn"] = "first"

    @property
    def kind(self) -> str:
        """The one of `KINDS` that it has."""
        return self._kinds()[0]

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            keys = cast(Mapping[object, object], value)
            for key in keys:
                if key not in KINDS and key not in OPTIONS:
                    raise ValueError(f"no expectation {key!r}; there are {', '.join(KINDS)}")
        return cast(Any, value)

    @model_validator(mode="after")
    def _usable(self) -> "Expectation":
        kinds = self._kinds()
        if len(kinds) != 1:
            told = " and ".join(kinds) or "none"
            raise ValueError(f"an expectation is of one kind; this one has {told}")
        given = self.model_fields_set
        for option, owners in _OWNERS.items():
            if option in given and kinds[0] not in owners:
                raise ValueError(f"{option} belongs to {' and '.join(owners)}, not to {kinds[0]}")
        for pattern in (self.text_matches, self.asks if isinstance(self.asks, str) else None):
            if pattern is not None and (problem := pattern_problem(pattern)):
                raise ValueError(f"the pattern {pattern[:40]!r}: {problem}")
        if self.answer_schema is not None:
            _refuse([schema_problem(self.answer_schema)])
        return self

    def inner(self) -> Sequence["Expectation"]:
        """The expectations inside of it; none but for `not`, `any_of` and `all_of`."""
        return [*([self.not_] if self.not_ else ()), *(self.any_of or ()), *(self.all_of or ())]

    def rubrics(self) -> Iterator[str]:
        """What a judge is to be asked, of it and of those inside."""
        if self.judge is not None:
            yield self.judge
        for one in self.inner():
            yield from one.rubrics()

    def document(self) -> JsonObject:
        """As it stands in a suite."""
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
}


def expects_call(expectations: Sequence[Expectation]) -> bool | None:
    """True where some call is wanted, False where none may be; None where neither is said."""
    for one in expectations:
        if one.calls or one.tool_sequence or (one.bfcl and one.bfcl.ground_truth):
            return True
        if one.no_call or one.asks is not None or one.call_count == 0 or one.tool_sequence == []:
            return False
    return None


def expected_tools(expectations: Sequence[Expectation]) -> frozenset[str] | None:
    """Tools that may be called; None where it is not said by their names."""
    names: set[str] = set()
    for one in expectations:
        for pattern in one.calls or ():
            if not isinstance(pattern.name, str):
                return None
            names.add(pattern.name)
        names.update(one.tool_sequence or ())
        if one.bfcl:
            names.update(name for answer in one.bfcl.ground_truth for name in answer)
    return frozenset(names) or None


def _refuse(problems: "Iterator[str] | list[str]") -> None:
    for problem in problems:
        if problem:
            raise ValueError(problem)
