"""The pane below the transcript: edit a message, show it as code, or restore deleted ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from workbench.app.as_code import RoundCode
from workbench.chat.message import Role
from workbench.hermes.reading import Reading
from workbench.hermes.written_out import written_out
from workbench.records.sessions import StoredMessage
from workbench.toolspec.spec import OfferedTools
from workbench.ui.present.label.form import FormField, show_form, show_values


@dataclass(frozen=True, slots=True, kw_only=True)
class EditView:
    """A message, or a call of one, that is edited."""

    message_id: str
    title: str
    call: int | None = None
    """Place of the call in the message's reading; None where the text itself is edited."""
    text: str = ""
    """The message's text, byte for byte; empty where a call is edited."""
    tools: Mapping[str, tuple[FormField, ...]] = field(
        default_factory=dict[str, tuple[FormField, ...]], hash=False
    )
    name: str = ""
    """The call's tool."""
    values: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    save: str = "Save as a branch"
    """What the first button says."""
    go_on: str = ""
    """What the second button says: saves, and lets the model go on; empty for none."""
    can_continue: bool = False
    """True where the text can be handed to the model as the beginning of its answer."""
    kind: str = "edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTab:
    """One way to say it."""

    name: str
    """The language, or the program."""
    text: str
    """To be copied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeView:
    """A round as code that asks for it again."""

    title: str
    tabs: tuple[CodeTab, ...]
    """In order."""
    note: str
    kind: str = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedView:
    """A message that was deleted just now."""

    message_id: str
    title: str
    kind: str = "deleted"


MessagePaneView = EditView | CodeView | DeletedView


def show_edit(kept: StoredMessage) -> EditView:
    """A message's own text, to be edited."""
    role = kept.message.role
    go_on = {Role.USER: "Save and answer", Role.TOOL: "Save and go on"}.get(role, "Save and run its calls")
    who = {Role.USER: "what the user says", Role.TOOL: "the result"}.get(role, "what the model wrote")
    return EditView(
        message_id=kept.id,
        title=f"Edit {who}",
        text=written_out(kept.message),
        go_on=go_on,
        can_continue=role is Role.ASSISTANT,
    )


def show_edit_call(kept: StoredMessage, reading: Reading, call: int, tools: OfferedTools) -> EditView:
    """A call of a message, as a form made from its tool's schema."""
    read = reading.calls[call]
    return EditView(
        message_id=kept.id,
        title=f"Edit call {call + 1} of {len(reading.calls)}",
        call=call,
        tools={spec.name: show_form(spec) for spec in tools.specs},
        name=read.name,
        values=show_values(read.arguments, tools.by_name.get(read.name)),
        go_on="Save and run its calls",
    )


NOTE: Final = (
    "OPENAI_BASE_URL and OPENAI_API_KEY say which server is asked. A grammar that held the model to the tools' "
    "schemas is no part of it."
)
GOES_ON: Final = (
    " The command continues this session, because it cannot be given an edited contract or the "
    "conversation so far."
)


def show_code(code: RoundCode) -> CodeView:
    """The pane for a round."""
    return CodeView(
        title="This round as code",
        tabs=(
            CodeTab(name="curl", text=code.curl),
            CodeTab(name="Python", text=code.python),
            CodeTab(name="workbench", text=code.command),
        ),
        note=NOTE + ("" if code.is_whole else GOES_ON),
    )
