"""The form of a suite's file, before it is made into cases."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workbench.suite.expectation import Expectation


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CallForm(_Form):
    """A call that was made earlier in the conversation."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])


class MessageForm(_Form):
    """A message of a case."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: list[CallForm] = Field(default_factory=list[CallForm])
    name: str | None = None


class SettingsForm(_Form):
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


class SuiteForm(_Form):
    """A suite as it stands in a file; its cases are looked at one by one."""

    suite: str = Field(min_length=1)
    description: str = ""
    defaults: SettingsForm = SettingsForm()
    cases: list[dict[str, Any]] = Field(min_length=1)
