"""Read and show the form of the Compare tab, its draft, and the question or turns to answer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, cast
from urllib.parse import urlsplit

from workbench.app.comparisons.planning import LETTERS, ColumnRequest, Turns
from workbench.app.runs.drafts import Drafts
from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput
from workbench.records.comparisons import MAX_COLUMNS, MIN_COLUMNS, Column, Comparison
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage, StoredSession
from workbench.rollout.models import ModelStatus
from workbench.rollout.sampling import Sampling
from workbench.settings import Settings
from workbench.ui.present.place import parse_place
from workbench.ui.present.setup import first_choice, parse_sampling, show_sampling
from workbench.ui.present.words import count

OWN: Final = "own"
"""The contract choice that uses the current text."""
OWN_LABEL: Final = "as in Play or in the session"
"""The label of `OWN`."""
THIS_TURN, ALL_TURNS, OWN_TURNS = "turn", "all", "own"
"""Which turns of a session are answered."""
SCOPES: Final = (
    ("this turn", THIS_TURN),
    ("all turns, after the session's answers", ALL_TURNS),
    ("all turns, after each column's own answers", OWN_TURNS),
)


COMPARED: Final = ("temperature", "seed", "max_tokens", "top_p", "top_k")
"""Sampling fields that each column has. Other fields have their defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFields:
    """The values of a column's fields."""

    contract: str
    model: str
    tool_choice: str
    sampling: tuple[object, ...]
    """In the order of `COMPARED`, not parsed yet. A field may be empty."""
    is_constrained: bool

    @property
    def values(self) -> tuple[object, ...]:
        """The values in the order in which the fields are wired."""
        return (self.contract, self.model, self.tool_choice, *self.sampling, self.is_constrained)


COLUMN_SIZE: Final = 4 + len(COMPARED)
"""Number of values of a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareForm:
    """The values of the whole form."""

    question: str
    """The question. Ignored if a turn of a session is selected."""
    tools: tuple[str, ...]
    target: str
    """Session and message of the selected turn, separated by a space. Empty for a question."""
    scope: str
    count: int
    columns: tuple[ColumnFields, ...]
    """All `MAX_COLUMNS` of them."""

    @property
    def values(self) -> tuple[object, ...]:
        """The values in the order in which the fields are wired."""
        own = (self.question, list(self.tools), self.target, self.scope, self.count)
        return (*own, *(value for column in self.columns for value in column.values))

    @property
    def turns(self) -> Turns | None:
        """The selected turns, or None for a question."""
        return parse_turns(self.target, self.scope)

    def without_target(self) -> "CompareForm":
        """Return the form without a selected turn, so that it asks its question."""
        return replace(self, target="", scope=THIS_TURN)


SHARED: Final = 5
"""Number of values of the form before those of the columns."""


def parse_turns(target: str, scope: str) -> Turns | None:
    """Return the turns that target and scope select, or None for a question."""
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
    """Return the initial form: the default contract compared with the others, with the default model."""
    others = [name for name in contracts if name != settings.contract]
    selected = [settings.contract, *others, *[settings.contract] * MAX_COLUMNS][:MAX_COLUMNS]
    sampling, choice = Sampling(), first_choice(model)
    return CompareForm(
        question="",
        tools=tuple(settings.tools),
        target="",
        scope=THIS_TURN,
        count=MIN_COLUMNS,
        columns=tuple(_column(contract, model.name, choice, sampling) for contract in selected),
    )


def with_setup(form: CompareForm, setup: RunConfig, toolsets: Sequence[str]) -> CompareForm:
    """Return the form with the tools, model and settings of Play in all columns, and its contract in the first."""
    own, default = column_fields(Column(contract="", setup=setup)), form.columns[0].contract
    others = [column.contract for column in form.columns[1:]]
    contracts = [default if name == setup.contract_name else name for name in others]
    columns = tuple(replace(own, contract=name) for name in (OWN, *contracts))
    return replace(form, tools=tuple(toolsets), columns=columns)


def form_of(comparison: Comparison, first: CompareForm, question: str) -> CompareForm:
    """Return the form that repeats a comparison. Everything else is taken from `first`."""
    columns = [column_fields(column) for column in comparison.columns]
    is_whole = len(comparison.turns) > 1
    scope = THIS_TURN if not is_whole else OWN_TURNS if comparison.goes_on else ALL_TURNS
    return CompareForm(
        question=question,
        tools=first.tools,
        target=f"{comparison.session_id} {comparison.turns[-1]}",
        scope=scope,
        count=len(columns),
        columns=(*columns, *first.columns[len(columns) :]),
    )


def column_fields(column: Column) -> ColumnFields:
    """Return the field values of a column."""
    setup = column.setup
    fields = _column(column.contract or OWN, setup.model, setup.tool_choice, setup.sampling)
    return replace(fields, is_constrained=setup.is_constrained)


def read_form(values: Sequence[object]) -> CompareForm:
    """Read the form from the values that the page sends."""
    question, tools, target, scope, count = values[:SHARED]
    columns = tuple(
        _column_of(values[start : start + COLUMN_SIZE]) for start in range(SHARED, len(values), COLUMN_SIZE)
    )
    return CompareForm(
        question=str(question or ""),
        tools=tuple(str(name) for name in cast(Sequence[object], tools or ())),
        target=str(target or ""),
        scope=str(scope or THIS_TURN),
        count=int(cast(int, count) or MIN_COLUMNS),
        columns=columns,
    )


def requested_columns(form: CompareForm, drafts: Drafts) -> tuple[ColumnRequest, ...]:
    """Parse the columns in use.

    Raises:
        BadInput: A number is missing, or no model is selected.
    """
    used = form.columns[: form.count]
    return tuple(_request(fields, LETTERS[place], drafts) for place, fields in enumerate(used))


def draft_form(text: str, first: CompareForm) -> CompareForm:
    """Read the draft that the browser stored, or return `first` if there is no valid draft."""
    try:
        values = cast(JsonValue, json.loads(text or "null"))
        if not isinstance(values, list) or not _fits(values, first):
            return first
        form = read_form(values)
        requested_columns(form, {})
        return form
    except (ValueError, TypeError, RecursionError, BadInput):
        return first


def read_link(text: str) -> str:
    """Return the target that a link names: session and message, or a bare session id.

    >>> read_link("http://127.0.0.1:7860/?session=abc&message=def"), read_link("abc")
    ('abc def', 'abc')

    Raises:
        BadInput: The link does not name a session.
    """
    link = text.strip()
    if link and not set(link) & set("/?& "):
        return link
    place = parse_place(urlsplit(link).query)
    return target_of(place.get("session"), place.get("message"), text)


def target_of(session_id: str, message_id: str | None, where: str = "") -> str:
    """Join session and message to the target that the form stores.

    Raises:
        BadInput: The session id is empty.
    """
    if not session_id:
        raise BadInput(f"link {where[:60]!r}", "it does not name a session", "copy the address from Play")
    return " ".join(filter(None, (session_id, message_id)))


def _fits(values: Sequence[object], first: CompareForm) -> bool:
    """Return whether a draft has the shape of the current form."""
    expected = first.values
    return len(values) == len(expected) and all(
        isinstance(drafted, str) == isinstance(value, str)
        and isinstance(drafted, list) == isinstance(value, list)
        for drafted, value in zip(values, expected, strict=True)
        if drafted is not None
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


def _request(fields: ColumnFields, letter: str, drafts: Drafts) -> ColumnRequest:
    where = f"column {letter}, "
    if not fields.model:
        raise BadInput(f"column {letter}", "no model is selected", "select one")
    return ColumnRequest(
        contract="" if fields.contract in (OWN, None, "") else fields.contract,
        draft=drafts.get(fields.contract),
        model=fields.model,
        tool_choice=fields.tool_choice,
        sampling=parse_sampling(dict(zip(COMPARED, fields.sampling, strict=True)), where),
        is_constrained=fields.is_constrained,
    )


QUESTION_CHARS = 200
"""Longer questions are cut to this many characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareTargetView:
    """The line that says what the columns answer."""

    session: str = ""
    """The id of the session. Empty for a question."""
    message: str = ""
    """The user message of the turn, for a link."""
    title: str = ""
    note: str = ""
    question: str = ""


NO_TARGET = CompareTargetView()
"""Shown if the columns answer a question."""


def show_target(
    session: StoredSession, turns: Turns, questions: Sequence[StoredMessage]
) -> CompareTargetView:
    """Show the selected turns of a session.

    Args:
        questions: The user messages that are answered. Not empty.
    """
    last = questions[-1]
    text = " ".join(last.message.text[: QUESTION_CHARS + 1].split())
    return CompareTargetView(
        session=session.id,
        message=last.id,
        title=session.title or "untitled",
        note=count(len(questions), "turn") if turns.is_whole else "one turn",
        question=text if len(text) <= QUESTION_CHARS else text[: QUESTION_CHARS - 1] + "…",
    )
