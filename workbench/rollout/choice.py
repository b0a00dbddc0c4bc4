"""When a call is asked for."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.errors import BadInput
from workbench.toolspec.spec import OfferedTools


class ChoiceKind(StrEnum):
    """The four ways to ask for a call."""

    NONE = "none"
    """Tools stay in the prompt; a call is told, not run."""
    AUTO = "auto"
    """The model decides."""
    REQUIRED = "required"
    """The turn's first completion is a call of any offered tool."""
    NAMED = "named"
    """The turn's first completion is a call of one tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChoice:
    """When a call is asked for."""

    kind: ChoiceKind = ChoiceKind.AUTO
    """The way."""
    tool: str | None = None
    """The tool's name where `kind` is `named`, else None."""

    def __str__(self) -> str:
        return self.tool or self.kind.value

    @property
    def is_forced(self) -> bool:
        """True where the first completion must be a call."""
        return self.kind in (ChoiceKind.REQUIRED, ChoiceKind.NAMED)


def parse_tool_choice(text: str, tools: OfferedTools) -> ToolChoice:
    """`none`, `auto`, `required` or an offered tool's name.

    Raises:
        BadInput: It is none of these, or a call is asked for and no tool is offered.
    """
    if text in (ChoiceKind.NONE, ChoiceKind.AUTO):
        return ToolChoice(kind=ChoiceKind(text))
    offered = ", ".join(tools.names) or "no tool is switched on"
    if text == ChoiceKind.REQUIRED:
        if not tools.specs:
            raise BadInput("tool choice", "'required' needs a tool to call", "switch a tool on")
        return ToolChoice(kind=ChoiceKind.REQUIRED)
    if text in tools.by_name:
        return ToolChoice(kind=ChoiceKind.NAMED, tool=text)
    raise BadInput("tool choice", f"no tool {text!r}", f"none, auto, required, or a tool: {offered}")
