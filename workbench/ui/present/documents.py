"""Change the documents that the editors of the page show; `scripts/drafts/documents.js` has their drafts."""

from dataclasses import dataclass, replace
from typing import Final, Literal, Self

from workbench.records.run_config import RunConfig
from workbench.ui.present.setup import show_field
from workbench.ui.tab_state import TabState


def edited_in(field: str, kind: str) -> str:
    """Return JavaScript for `listen`, for inputs that begin with the state of the tab, a name and its text.

    It reads name and text from the document that the field shows, so that they always belong together. If the field
    shows a document of another kind, they stay as they are.
    """
    named = f"hermesWorkbench.documents.named('{field}', '{kind}')"
    return f"(state, name, text, ...rest) => [state, ...({named} || [name, text]), ...rest]"


NEW_SESSION: Final = "new"
"""Stands for the id of a session that the first message will create."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChange:
    """One change of a document. It has no effect on other documents, even if its field shows another one by now."""

    how: Literal[
        "open", "create", "saved", "moved", "restored", "choose", "edit", "replace", "keep", "sent", "unsent"
    ]
    """`documents.js` explains each way."""
    field: str = ""
    """Element id of the field that shows the document."""
    document: str
    """Kind and name, such as `contract:minimal`."""
    text: str = ""
    saved: str | None = None
    """With `open`: the newest saved text, if it is not `text`."""
    is_unsaved: bool = False
    """With `open`: whether nothing is saved, so that a draft that equals `text` stays a draft."""
    before: str = ""
    """With `edit`: the text that was edited."""
    number: int = 0
    """With `edit`: the number of the edit, of several that each have all changes so far. 0 for one of its own."""
    was: str = ""
    """With `saved` and `moved`: the document's previous id, if it got another one."""
    note: str = ""
    """A sentence to show, with an Undo button, if the change replaces a draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorsView:
    """The editors of one tab: their names, the tooltips of its fields, and changes of its documents."""

    names: tuple[tuple[str, str], ...]
    """Element id and name of each code editor, for screen readers."""
    tooltips: tuple[tuple[str, str], ...] = ()
    """Element id of each field whose label has a tooltip, and the glossary term that it explains."""
    watched: tuple[str, ...] = ()
    """Element ids of the fields whose texts the browser reports as one event, `change_texts`."""
    changes: tuple[DocumentChange, ...] = ()
    """The changes to make now, in order."""
    serial: float = 0.0
    """A new number for every answer of the server, so that equal answers can be distinguished."""

    def changed(self, serial: float, *changes: DocumentChange) -> Self:
        """Return the editors with changes to make.

        Args:
            serial: `calendar.seconds()`.
            changes: The changes, in order.
        """
        return replace(self, changes=changes, serial=serial)


COMPOSER: Final = "play-composer"
CONTRACT_TEXT: Final = "play-contract-text"
TOOLS_TEXT: Final = "play-tools-text"
PLAY_EDITORS: Final = EditorsView(
    names=((CONTRACT_TEXT, "Contract text"), (TOOLS_TEXT, "Tools as JSON")),
    tooltips=(("play-ephemeral", "ephemeral system text"),),
    watched=(CONTRACT_TEXT, TOOLS_TEXT, "play-variables"),
)
_OF_SESSION: Final = (("tools", TOOLS_TEXT), ("ephemeral", "play-ephemeral"), ("variables", "play-variables"))
"""Kinds and fields of the texts that a session stores with its setup."""
_NAMES: Final = {"tools": "tools_text", "ephemeral": "ephemeral", "variables": "variables"}
TEXT_FIELDS: Final = {"contract_text": CONTRACT_TEXT} | {_NAMES[kind]: field for kind, field in _OF_SESSION}
"""The fields of the setup that are documents: names and the ids of their elements."""


def session_key(state: TabState) -> str:
    """Return the name of the documents of the session that a tab shows."""
    return state.share_key or state.session_id or NEW_SESSION


def composer_of(state: TabState) -> str:
    """Return the id of the message that is being written in the session of the tab."""
    return f"composer:{session_key(state)}"


STEP_RESULT: Final = "play-step-result"
"""The field for the result of a call that a person writes in step mode."""


def result_document(session_id: str) -> str:
    """Return the id of the result that a person writes for a call of the session's turn."""
    return f"result:{session_id}"


def message_change(state: TabState, how: Literal["replace", "sent", "unsent"], text: str) -> DocumentChange:
    """Return a change of the message that is being written in the session of the tab."""
    return DocumentChange(
        how=how,
        field=COMPOSER,
        document=composer_of(state),
        text=text,
        note="It replaced the message that you were writing.",
    )


def changes_back(session_id: str) -> tuple[DocumentChange, ...]:
    """Return the changes after a turn could not create its session: the texts are those of a new session again."""
    return tuple(
        DocumentChange(how="moved", document=f"{kind}:{NEW_SESSION}", was=f"{kind}:{session_id}")
        for kind in (*(kind for kind, _ in _OF_SESSION), "composer")
    )


def contract_change(name: str, text: str, *, saved: str | None) -> DocumentChange:
    """Return the change that shows a contract in Play.

    Args:
        name: The contract.
        text: The text to show if there is no draft.
        saved: The newest saved text, or None if there is none.
    """
    return DocumentChange(
        how="open",
        field=CONTRACT_TEXT,
        document=f"contract:{name}",
        text=text,
        saved=saved,
        is_unsaved=saved is None,
    )


def tools_change(state: TabState, text: str) -> DocumentChange:
    """Return the change that shows the tools of a toolset in the session of the tab in Play."""
    return DocumentChange(
        how="choose",
        field=TOOLS_TEXT,
        document=f"tools:{session_key(state)}",
        text=text,
        note="The toolset replaced your edited tools.",
    )


def session_changes(
    state: TabState, setup: RunConfig, message: str, *, saved_contract: str | None
) -> tuple[DocumentChange, ...]:
    """Return the changes that show a session in Play.

    Args:
        state: Sees the session.
        setup: The session's setup.
        message: The text that the composer begins with.
        saved_contract: The newest saved text of the session's contract, or None if there is none.
    """
    key = session_key(state)
    if state.is_read_only:
        # A session of somebody else: its contract may have the name of a contract of yours.
        contract = DocumentChange(
            how="open", field=CONTRACT_TEXT, document=f"shared:{key}", text=setup.contract_text
        )
    else:
        contract = contract_change(setup.contract_name, setup.contract_text, saved=saved_contract)
    return (
        contract,
        *(
            DocumentChange(
                how="open",
                field=field,
                document=f"{kind}:{key}",
                text=show_field(setup, _NAMES[kind]),
                is_unsaved=key == NEW_SESSION,
            )
            for kind, field in _OF_SESSION
        ),
        DocumentChange(how="open", field=COMPOSER, document=f"composer:{key}", text=message),
    )


def preset_changes(
    state: TabState, setup: RunConfig, *, saved_contract: str | None
) -> tuple[DocumentChange, ...]:
    """Return the changes that put the texts of a preset into Play. Drafts that they replace can be brought back."""
    key = session_key(state)
    contract = contract_change(setup.contract_name, setup.contract_text, saved=saved_contract)
    note = "The preset replaced your draft."
    return (
        contract,
        replace(contract, how="replace", note=note),
        *(
            DocumentChange(
                how="choose",
                field=field,
                document=f"{kind}:{key}",
                text=show_field(setup, _NAMES[kind]),
                note=note,
            )
            for kind, field in _OF_SESSION
        ),
    )


def kept_changes(state: TabState, message: str) -> tuple[DocumentChange, ...]:
    """Return the changes that show an empty page with the texts of the setup in use.

    Args:
        state: Sees the empty page.
        message: The text that the composer begins with.
    """
    key = session_key(state)
    return (
        *(DocumentChange(how="keep", field=field, document=f"{kind}:{key}") for kind, field in _OF_SESSION),
        DocumentChange(how="open", field=COMPOSER, document=f"composer:{key}", text=message),
    )


def variables_change(state: TabState, text: str) -> DocumentChange:
    """Return the change that sets the variables of the session of the tab in Play."""
    return DocumentChange(
        how="replace",
        field="play-variables",
        document=f"variables:{session_key(state)}",
        text=text,
        note="The variables replaced yours.",
    )


def turn_changes(
    before: TabState, state: TabState, setup: RunConfig, *, is_message: bool
) -> tuple[DocumentChange, ...]:
    """Return the changes after a turn's session stored its setup.

    Args:
        before: The state of the tab when the message was sent. It has no session yet if the turn creates one.
        state: The state with the session.
        setup: The stored setup.
        is_message: Whether a message was written in the composer.
    """
    was, key = session_key(before), session_key(state)
    changes = tuple(
        DocumentChange(
            how="saved",
            field=field,
            document=f"{kind}:{key}",
            was=f"{kind}:{was}",
            text=show_field(setup, _NAMES[kind]),
        )
        for kind, field in _OF_SESSION
    )
    if not is_message:
        return changes
    return (
        *changes,
        DocumentChange(
            how="saved", field=COMPOSER, document=f"composer:{key}", was=f"composer:{was}", text=""
        ),
    )
