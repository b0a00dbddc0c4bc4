"""Show the pane below the transcript: edit a message, show it as code, or restore deleted messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from workbench.app.as_code import RoundCode
from workbench.chat.message import Role
from workbench.hermes.reading import Reading
from workbench.hermes.written_out import written_out
from workbench.records.sessions import StoredMessage
from workbench.toolspec.spec import OfferedTools
from workbench.ui.present.call_form import FormField, show_form, show_values


@dataclass(frozen=True, slots=True, kw_only=True)
class EditView:
    """A message, or a call of a message, to be edited."""

    message_id: str
    title: str
    call: int | None = None
    """Index of the call in the message's reading, or None to edit the text."""
    text: str = ""
    """The text of the message, byte for byte. Empty if a call is edited."""
    tools: Mapping[str, tuple[FormField, ...]] = field(
        default_factory=dict[str, tuple[FormField, ...]], hash=False
    )
    name: str = ""
    """The tool of the call."""
    values: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    save: str = "Save as branch"
    """Label of the button that only saves."""
    go_on: str = ""
    """Label of the button that saves and continues the turn. Empty to leave the button out."""
    can_continue: bool = False
    """True if the model can continue from the edited text."""
    kind: str = "edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTab:
    """The code in one language."""

    name: str
    """Name of the language or program."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeView:
    """A round as code that repeats its request."""

    title: str
    tabs: tuple[CodeTab, ...]
    note: str
    kind: str = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedView:
    """A message that was just deleted."""

    message_id: str
    title: str
    kind: str = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """The form that saves the conversation as a case."""

    suites: tuple[str, ...]
    """Names of the user's suites."""
    suite: str
    """The suite to begin with."""
    kind: str = "case"


MessagePaneView = EditView | CodeView | DeletedView | CaseView


def show_edit(stored: StoredMessage) -> EditView:
    """Show the text of a message for editing."""
    role = stored.message.role
    go_on = {Role.USER: "Save and answer", Role.TOOL: "Save and continue"}.get(role, "Save and run its calls")
    what = {Role.USER: "user message", Role.TOOL: "tool result"}.get(role, "model message")
    return EditView(
        message_id=stored.id,
        title=f"Edit {what}",
        text=written_out(stored.message),
        go_on=go_on,
        can_continue=role is Role.ASSISTANT,
    )


def show_edit_call(stored: StoredMessage, reading: Reading, call: int, tools: OfferedTools) -> EditView:
    """Show a call of a message as a form built from the schema of its tool."""
    read_call = reading.calls[call]
    return EditView(
        message_id=stored.id,
        title=f"Edit call {call + 1} of {len(reading.calls)}",
        call=call,
        tools={spec.name: show_form(spec) for spec in tools.specs},
        name=read_call.name,
        values=show_values(read_call.arguments, tools.by_name.get(read_call.name)),
        go_on="Save and run its calls",
    )


NOTE: Final = (
    "Set OPENAI_BASE_URL and OPENAI_API_KEY to choose the server. The code does not include the grammar that "
    "constrained the calls."
)
CONTINUES_SESSION: Final = (
    " The command continues this session from its open branch, because it cannot take an edited contract or "
    "the conversation so far."
)


def show_code(code: RoundCode) -> CodeView:
    """Show a round as code."""
    return CodeView(
        title="This round as code",
        tabs=(
            CodeTab(name="curl", text=code.curl),
            CodeTab(name="Python", text=code.python),
            CodeTab(name="workbench", text=code.command),
        ),
        note=NOTE + ("" if code.is_whole else CONTINUES_SESSION),
    )
