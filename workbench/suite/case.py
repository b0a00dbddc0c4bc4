"""Suites and cases as values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message
from workbench.suite.expectation import Expectation
from workbench.suite.people.person import Person


class _CaseModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CallForm(_CaseModel):
    """A call in an earlier message of the conversation."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])


class MessageForm(_CaseModel):
    """A message of a case."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: list[CallForm] = Field(default_factory=list[CallForm])
    name: str | None = None


class SolutionStep(_CaseModel):
    """A completion of a solution: calls, or an answer, or both."""

    text: str = ""
    calls: list[CallForm] = Field(default_factory=list[CallForm])


class SettingsForm(_CaseModel):
    """The settings of a case. The `defaults` of a suite apply to all of its cases."""

    tools: list[str] | None = None
    tool_specs: list[dict[str, Any]] | None = None
    system: str | None = None
    variables: dict[str, str] | None = None
    tags: list[str] | None = None
    mocks: dict[str, list[dict[str, Any]]] | None = None
    world: dict[str, Any] | None = None
    threshold: float | None = Field(default=None, gt=0, le=1)
    repeat: int | None = Field(default=None, ge=1, le=1000)
    tool_choice: str | None = None
    max_rounds: int | None = Field(default=None, ge=1, le=100)


class CaseForm(SettingsForm):
    """A case in a suite file."""

    id: str = Field(min_length=1, max_length=200)
    prompt: str | None = None
    messages: list[MessageForm] | None = Field(default=None, min_length=1)
    user: Person | None = None
    solution: list[SolutionStep | str] = Field(default_factory=list[SolutionStep | str])
    expect: list[Expectation] = Field(min_length=1)
    filled_from: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _has_valid_messages(self) -> "CaseForm":
        if sum(given is not None for given in (self.prompt, self.messages, self.user)) != 1:
            raise ValueError("give one of prompt, messages and user")
        if self.messages and self.messages[-1].role != "user":
            raise ValueError("the last message must have the role user")
        if self.messages and any(message.role == "system" for message in self.messages[1:]):
            raise ValueError("only the first message can have the role system")
        return self


class SuiteForm(_CaseModel):
    """A suite file. Its cases are validated one by one."""

    suite: str = Field(min_length=1)
    description: str = ""
    defaults: SettingsForm = SettingsForm()
    cases: list[dict[str, Any]] = Field(min_length=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A conversation and what is expected of the model's turn."""

    suite: str
    id: str
    messages: tuple[Message, ...]
    """The conversation, without a system message. The last message is the user's, or the first message of `user`."""
    expectations: tuple[Expectation, ...] = field(hash=False)
    """At least one expectation, except in a run without checks."""
    tools: tuple[str, ...] = ()
    """Names of the offered toolsets and tools. If empty, only `tool_specs` are offered."""
    tool_specs: tuple[JsonObject, ...] = field(default=(), hash=False)
    """Tool specs of this case, offered after those of `tools`."""
    system: str = ""
    """Text added to the system prompt after the text of the contract, or empty."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Values of the contract's variables by name. Names that a contract does not declare are ignored."""
    tags: tuple[str, ...] = ()
    """Words for filtering and grouping, such as BFCL's `parallel`."""
    mocks: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Name of a tool to the mock rules that replace those of the catalog in this case."""
    world: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """JSON Merge Patch of the world that the case starts with, by toolset. Tools of the case alone have `case`."""
    threshold: float = 1.0
    """Share of the expectations' weight that must hold."""
    repeat: int = 1
    """Number of repetitions, each with its own seed."""
    tool_choice: str | None = None
    """Replaces the tool choice of the arm. None uses that of the arm."""
    max_rounds: int | None = None
    """Maximum number of completions. None uses that of the run."""
    user: Person | None = field(default=None, hash=False)
    """The person who talks to the model. None if the case is a single turn."""
    solution: tuple[SolutionStep, ...] = field(default=(), hash=False)
    """The completions of a model that passes the case, in order. Empty if none is known."""
    row: JsonObject = field(default_factory=dict[str, JsonValue], hash=False, compare=False)
    """The row of the template that the case was made from. Empty if there is none."""
    document: JsonObject = field(default_factory=dict[str, JsonValue], hash=False, compare=False, repr=False)
    """The case as JSON, with its template filled in and the defaults of the suite applied."""

    @property
    def key(self) -> str:
        """Identifies the case among all suites of a run."""
        return f"{self.suite}/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A list of cases."""

    name: str
    """Name of the file, without its ending."""
    description: str = ""
    """What the suite measures, for a person."""
    cases: tuple[Case, ...] = field(hash=False)


def tagged(cases: Sequence[Case], tags: Sequence[str]) -> tuple[Case, ...]:
    """Return the cases that have at least one of the tags, or all cases if `tags` is empty."""
    requested = frozenset(tags)
    return tuple(case for case in cases if not requested or requested & frozenset(case.tags))
