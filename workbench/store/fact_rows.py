"""Facts of a message to rows and back."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from workbench.chat.finding import Edit, Severity, Span
from workbench.errors import BadInput
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading
from workbench.records.facts import FactKind, MessageFact
from workbench.store.damage import damage_of
from workbench.store.tables import FactRow
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools


def read_completion(text: str, setup: Mapping[str, Any], finish_reason: str) -> Reading:
    """What the reader makes of a completion.

    Args:
        text: Byte for byte.
        setup: The session's, as its row has it; where its tools cannot be read, no name is checked.
        finish_reason: Why the completion ended.
    """
    tools_text: object = setup.get("tools_text")
    disabled: object = setup.get("disabled_tools")
    names = tuple(map(str, cast(list[object], disabled))) if isinstance(disabled, list) else ()
    tools = _tools(tools_text, names) if isinstance(tools_text, str) else None
    return parse(text, tools=tools, finish_reason=finish_reason)


@lru_cache(maxsize=64)
def _tools(text: str, disabled: tuple[str, ...]) -> OfferedTools | None:
    try:
        tools = parse_tools(text)
    except BadInput:
        return None
    return tools.only(frozenset(tools.names) - frozenset(disabled))


def fact_row(fact: MessageFact, *, session_id: str, message_id: str) -> FactRow:
    """The row of a fact."""
    return FactRow(
        session_id=session_id,
        message_id=message_id,
        kind=fact.kind.value,
        code=fact.code,
        severity=fact.severity.value if fact.severity else None,
        is_guess=fact.is_guess,
        span_start=fact.span.start if fact.span else None,
        span_end=fact.span.end if fact.span else None,
        note=fact.note,
        edits=[{"span": list(edit.span), "before": edit.before, "after": edit.after} for edit in fact.edits],
    )


def fact_value(row: FactRow) -> MessageFact:
    """The fact as the other floors know it.

    Raises:
        StoreError: Its row is damaged.
    """
    has_place = row.span_start is not None and row.span_end is not None
    with damage_of(f"fact {row.id} of message {row.message_id!r}"):
        return MessageFact(
            kind=FactKind(row.kind),
            code=row.code,
            severity=Severity(row.severity) if row.severity else None,
            is_guess=row.is_guess,
            span=Span(row.span_start or 0, row.span_end or 0) if has_place else None,
            note=row.note,
            edits=_edits(row.edits),
        )


def _edits(documents: Sequence[Mapping[str, Any]]) -> tuple[Edit, ...]:
    return tuple(
        Edit(span=Span(*document["span"]), before=document["before"], after=document["after"])
        for document in documents
    )
