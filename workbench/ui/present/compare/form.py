"""The form above the columns: its values, the draft of them, and the question or turns to answer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, cast
from urllib.parse import parse_qs, urlsplit

from workbench.app.comparisons.planning import LETTERS, ColumnRequest, Turns
from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput
from workbench.records.comparisons import MAX_COLUMNS, MIN_COLUMNS, Column, Comparison
from workbench.records.sessions import StoredMessage, StoredSession
from workbench.rollout.models import ModelStatus
from workbench.rollout.sampling import Sampling
from workbench.settings import Settings
from workbench.ui.present.setup import first_choice, parse_sampling, show_sampling
from workbench.ui.present.words import count

OWN: Final = "own"
"""The contract's choice that takes the text as it stands."""
OWN_LABEL: Final = "as it stands in Play, or in the session"
"""What a person reads for it."""
THIS_TURN, ALL_TURNS, OWN_TURNS = "turn", "all", "own"
"""The choices of what of a session is answered."""
SCOPES: Final = (
    ("this turn", THIS_TURN),
    ("all turns, behind the session's answers", ALL_TURNS),
    ("all turns, behind each column's own answers", OWN_TURNS),
)


COMPARED: Final = ("temperature", "seed", "max_tokens", "top_p", "top_k")
"""Sampling fields that each column has; the others have their defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFields:
    """What a column's fields hold."""

    contract: str
    model: str
    tool_choice: str
    sampling: tuple[object, ...]
    """In the order of `COMPARED`, not yet parsed: a field may be empty."""
    is_constrained: bool

    @property
    def values(self) -> tuple[object, ...]:
        """In the order in which the parts are wired."""
        return (self.contract, self.model, self.tool_choice, *self.sampling, self.is_constrained)


COLUMN_SIZE: Final = 4 + len(COMPARED)
"""Values of a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareForm:
    """All that stands in the form."""

    question: str
    """What the user says; of no weight where a turn is chosen."""
    tools: tuple[str, ...]
    target: str
    """Session and message of a chosen turn, parted by a blank; empty for a question."""
    scope: str
    count: int
    columns: tuple[ColumnFields, ...]
    """All `MAX_COLUMNS` of them."""

    @property
    def values(self) -> tuple[object, ...]:
        """In the order in which the parts are wired."""
        own = (self.question, list(self.tools), self.target, self.scope, self.count)
        return (*own, *(value for column in self.columns for value in column.values))

    @property
    def turns(self) -> Turns | None:
        """The turns that are chosen; None for a question."""
        return turns_meant(self.target, self.scope)

    def without_target(self) -> "CompareForm":
        """The form as it asks a question."""
        return replace(self, target="", scope=THIS_TURN)


SHARED: Final = 5
"""Values of the form before those of the columns."""


def turns_meant(target: str, scope: str) -> Turns | None:
    """The turns that target and scope mean; None for a question."""
    if not target:
        return None
    session_id, _, message_id = target.partition(" ")
    return Turns(
        session_id=session_id,
        message_id=message_id or None,
        is_whole=scope != THIS_TURN,
        goes_on=scope == OWN_TURNS,
    )


def first_form(settings: Settings, contracts: Sequence[str], model: ModelStatus) -> CompareForm:
    """The form to begin with: the contract of the settings against the others, by the model of the settings."""
    others = [name for name in contracts if name != settings.contract]
    chosen = [settings.contract, *others, *[settings.contract] * MAX_COLUMNS][:MAX_COLUMNS]
    plain, choice = Sampling(), first_choice(model)
    return CompareForm(
        question="",
        tools=tuple(settings.tools),
        target="",
        scope=THIS_TURN,
        count=MIN_COLUMNS,
        columns=tuple(_column(contract, model.name, choice, plain) for contract in chosen),
    )


def form_of(comparison: Comparison, first: CompareForm, question: str) -> CompareForm:
    """The form that asks for a comparison again; what it does not say is as in `first`."""
    own = [column_fields(column) for column in comparison.columns]
    is_whole = len(comparison.turns) > 1
    scope = THIS_TURN if not is_whole else OWN_TURNS if comparison.goes_on else ALL_TURNS
    return CompareForm(
        question=question,
        tools=first.tools,
        target=f"{comparison.session_id} {comparison.turns[-1]}",
        scope=scope,
        count=len(own),
        columns=(*own, *first.columns[len(own) :]),
    )


def column_fields(column: Column) -> ColumnFields:
    """A column as its fields show it."""
    setup = column.setup
    made = _column(column.contract or OWN, setup.model, setup.tool_choice, setup.sampling)
    return replace(made, is_constrained=setup.is_constrained)


def read_form(values: Sequence[object]) -> CompareForm:
    """The form as the page sends it."""
    question, tools, target, scope, count = values[:SHARED]
    columns = tuple(
        _column_of(values[start : start + COLUMN_SIZE]) for start in range(SHARED, len(values), COLUMN_SIZE)
    )
    return CompareForm(
        question=str(question or ""),
        tools=tuple(str(one) for one in cast(Sequence[object], tools or ())),
        target=str(target or ""),
        scope=str(scope or THIS_TURN),
        count=int(cast(int, count) or MIN_COLUMNS),
        columns=columns,
    )


def wanted_columns(form: CompareForm) -> tuple[ColumnRequest, ...]:
    """The columns in use, as they are asked for.

    Raises:
        BadInput: A number is missing, or no model is chosen.
    """
    return tuple(_wanted(one, LETTERS[place]) for place, one in enumerate(form.columns[: form.count]))


def draft_form(text: str, first: CompareForm) -> CompareForm:
    """What the browser kept of the form; `first` where it kept nothing, or nothing that can be read."""
    try:
        values = cast(JsonValue, json.loads(text or "null"))
        if not isinstance(values, list) or not _fits(values, first):
            return first
        form = read_form(values)
        wanted_columns(form)
        return form
    except (ValueError, TypeError, RecursionError, BadInput):
        return first


def read_link(text: str) -> str:
    """The target that a link names: its session and message, or an id alone.

    >>> read_link("http://127.0.0.1:7860/?session=abc&message=def"), read_link("abc")
    ('abc def', 'abc')

    Raises:
        BadInput: It names no session.
    """
    asked = parse_qs(urlsplit(text.strip()).query)
    if not asked and text.strip() and not set(text.strip()) & set("/?& "):
        return text.strip()
    return target_of(asked.get("session", [""])[0], asked.get("message", [""])[0], text)


def target_of(session_id: str, message_id: str | None, where: str = "") -> str:
    """Session and message as the form keeps them.

    Raises:
        BadInput: There is no session.
    """
    if not session_id:
        raise BadInput(f"link {where[:60]!r}", "it names no session", "copy it from Play's address bar")
    return " ".join(filter(None, (session_id, message_id)))


def _fits(values: Sequence[object], first: CompareForm) -> bool:
    """Whether a draft is of the form as it is today."""
    now = first.values
    return len(values) == len(now) and all(
        isinstance(kept, str) == isinstance(value, str) and isinstance(kept, list) == isinstance(value, list)
        for kept, value in zip(values, now, strict=True)
        if kept is not None
    )


def _column(contract: str, model: str, tool_choice: str, sampling: Sampling) -> ColumnFields:
    shown = show_sampling(sampling)
    return ColumnFields(
        contract=contract,
        model=model,
        tool_choice=tool_choice,
        sampling=tuple(shown[name] for name in COMPARED),
        is_constrained=True,
    )


def _column_of(values: Sequence[object]) -> ColumnFields:
    contract, model, tool_choice, *sampling, is_constrained = values
    return ColumnFields(
        contract=cast(str, contract),
        model=cast(str, model),
        tool_choice=cast(str, tool_choice),
        sampling=tuple(sampling),
        is_constrained=cast(bool, is_constrained),
    )


def _wanted(fields: ColumnFields, letter: str) -> ColumnRequest:
    where = f"column {letter}, "
    if not fields.model:
        raise BadInput(f"column {letter}", "no model is chosen", "choose one")
    return ColumnRequest(
        contract="" if fields.contract in (OWN, None, "") else fields.contract,
        model=fields.model,
        tool_choice=fields.tool_choice,
        sampling=parse_sampling(dict(zip(COMPARED, fields.sampling, strict=True)), where),
        is_constrained=fields.is_constrained,
    )


QUESTION_CHARS = 200
"""So much of a question is shown in the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareTargetView:
    """The line."""

    session: str = ""
    """The session's id; empty for a question of one's own."""
    message: str = ""
    """The turn's message, for a link."""
    title: str = ""
    note: str = ""
    question: str = ""


NO_TARGET = CompareTargetView()
"""A question of one's own."""


def show_target(session: StoredSession, turns: Turns, asked: Sequence[StoredMessage]) -> CompareTargetView:
    """The line for turns of a session; `asked` are its user's messages that are answered."""
    last = asked[-1]
    text = " ".join(last.message.text[: QUESTION_CHARS + 1].split())
    return CompareTargetView(
        session=session.id,
        message=last.id,
        title=session.title or "untitled",
        note=count(len(asked), "turn") if turns.is_whole else "one turn",
        question=text if len(text) <= QUESTION_CHARS else text[: QUESTION_CHARS - 1] + "…",
    )
