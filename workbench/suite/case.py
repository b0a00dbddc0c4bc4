"""Suites and cases as values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message
from workbench.suite.expectation import Expectation


class _CaseModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CallForm(_CaseModel):
    """A call that was made earlier in the conversation."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])


class MessageForm(_CaseModel):
    """A message of a case."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: list[CallForm] = Field(default_factory=list[CallForm])
    name: str | None = None


class SettingsForm(_CaseModel):
    """What a case may say of how it is played; a suite's `defaults` say it for all of them."""

    tools: list[str] | None = None
    tool_specs: list[dict[str, Any]] | None = None
    system: str | None = None
    tags: list[str] | None = None
    mocks: dict[str, list[dict[str, Any]]] | None = None
    threshold: float | None = Field(default=None, gt=0, le=1)
    repeat: int | None = Field(default=None, ge=1, le=1000)
    tool_choice: str | None = None
    max_rounds: int | None = Field(default=None, ge=1, le=100)


class CaseForm(SettingsForm):
    """A case as it stands in a file."""

    id: str = Field(min_length=1, max_length=200)
    prompt: str | None = None
    messages: list[MessageForm] | None = Field(default=None, min_length=1)
    expect: list[Expectation] = Field(min_length=1)

    @model_validator(mode="after")
    def _said(self) -> "CaseForm":
        if (self.prompt is None) == (self.messages is None):
            raise ValueError("give prompt or messages, one of the two")
        if self.messages and self.messages[-1].role != "user":
            raise ValueError("the last message must be the user's")
        if self.messages and any(one.role == "system" for one in self.messages[1:]):
            raise ValueError("only the first message may be a system text")
        return self


class SuiteForm(_CaseModel):
    """A suite as it stands in a file; its cases are looked at one by one."""

    suite: str = Field(min_length=1)
    description: str = ""
    defaults: SettingsForm = SettingsForm()
    cases: list[dict[str, Any]] = Field(min_length=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Something that a user says, and what is to come of it."""

    suite: str
    id: str
    messages: tuple[Message, ...]
    """What was said, the user's message last; no system text but the case's own."""
    expectations: tuple[Expectation, ...] = field(hash=False)
    """What is to hold; at least one."""
    tools: tuple[str, ...] = ()
    """Toolsets and tools that are offered; empty offers `tool_specs`."""
    tool_specs: tuple[JsonObject, ...] = field(default=(), hash=False)
    """Specs of the case's own, which stand behind those of `tools`."""
    system: str = ""
    """Said to the model behind the contract's text; empty for nothing."""
    tags: tuple[str, ...] = ()
    """Words to choose and to group by, such as BFCL's `parallel`."""
    mocks: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Tool to the mock rules that answer in this case in place of the catalog's."""
    threshold: float = 1.0
    """Share of the expectations' weight that must hold."""
    repeat: int = 1
    """How often it is played, each time with another seed."""
    tool_choice: str | None = None
    """Wins over the run's; None takes that."""
    max_rounds: int | None = None
    """Completions; None takes the run's."""
    document: JsonObject = field(default_factory=dict[str, JsonValue], hash=False, compare=False, repr=False)
    """The case as it stands in a suite, whole: template filled, the suite's defaults in it."""

    @property
    def key(self) -> str:
        """Tells it among the cases of all suites of a run."""
        return f"{self.suite}/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Cases that belong together."""

    name: str
    """As its file is named, without the ending."""
    description: str = ""
    """What it measures, for a person."""
    cases: tuple[Case, ...] = field(hash=False)
    """In the order of the file."""


def tagged(cases: Sequence[Case], tags: Sequence[str]) -> tuple[Case, ...]:
    """The cases that have any of the tags; all where none is named."""
    wanted = frozenset(tags)
    return tuple(case for case in cases if not wanted or wanted & frozenset(case.tags))
