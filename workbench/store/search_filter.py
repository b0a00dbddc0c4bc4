"""What a session must have besides the words, as conditions of a query."""

from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa
from sqlalchemy import ColumnElement, SQLColumnExpression
from sqlmodel import col

from workbench.records.facts import FactKind
from workbench.records.session_tree import SearchFilter
from workbench.records.sessions import Origin
from workbench.store.tables import (
    FactRow,
    GenerationRow,
    LabelRow,
    LabelTagRow,
    MessageRow,
    SessionRow,
    SessionTagRow,
)

HASH_PREFIX_CHARS: Final = 6
"""A shorter beginning of a hash could be a name."""


def conditions_of(wanted: SearchFilter) -> Iterator[ColumnElement[bool]]:
    """Conditions on `SessionRow`; all must hold. Where a message comes from is not among them."""
    if wanted.has_fix is not None:
        yield _has_fact(FactKind.FIX, is_wanted=wanted.has_fix)
    if wanted.has_drop is not None:
        yield _has_fact(FactKind.DROP, is_wanted=wanted.has_drop)
    if wanted.code is not None:
        yield _has(FactRow, col(FactRow.session_id), col(FactRow.code) == wanted.code)
    if wanted.verdict is not None:
        yield _has(LabelRow, col(LabelRow.session_id), col(LabelRow.verdict) == wanted.verdict)
    if wanted.contract is not None:
        yield _is_of_contract(wanted.contract)
    if wanted.model is not None:
        is_model = col(GenerationRow.engine_name) == wanted.model
        yield _has(GenerationRow, col(GenerationRow.session_id), is_model)
    if wanted.tag is not None:
        yield _is_tagged(wanted.tag)
    if wanted.since is not None:
        yield col(SessionRow.updated_at) >= wanted.since
    if wanted.until is not None:
        yield col(SessionRow.updated_at) < wanted.until


def is_of_origin(origin: Origin) -> ColumnElement[bool]:
    """True of sessions with a message that comes from there."""
    return _has(MessageRow, col(MessageRow.session_id), col(MessageRow.origin) == origin.value)


def _has_fact(kind: FactKind, *, is_wanted: bool) -> ColumnElement[bool]:
    has_one = _has(FactRow, col(FactRow.session_id), col(FactRow.kind) == kind.value)
    return has_one if is_wanted else sa.not_(has_one)


def _is_of_contract(contract: str) -> ColumnElement[bool]:
    setup = sa.type_coerce(col(SessionRow.setup), sa.JSON)
    is_named = setup["contract_name"].as_string() == contract
    if len(contract) < HASH_PREFIX_CHARS:
        return is_named
    return sa.or_(is_named, col(SessionRow.contract_version).startswith(contract, autoescape=True))


def _is_tagged(tag: str) -> ColumnElement[bool]:
    """By a tag of its own, or one of its labels'."""
    labelled = (
        sa.select(sa.literal(1))
        .select_from(LabelRow)
        .join(LabelTagRow, col(LabelTagRow.label_id) == col(LabelRow.id))
        .where(col(LabelRow.session_id) == col(SessionRow.id), col(LabelTagRow.tag) == tag)
        .correlate(SessionRow)
        .exists()
    )
    its_own = _has(SessionTagRow, col(SessionTagRow.session_id), col(SessionTagRow.tag) == tag)
    return sa.or_(its_own, labelled)


def _has(
    table: type[LabelRow] | type[FactRow] | type[GenerationRow] | type[SessionTagRow] | type[MessageRow],
    session_id: SQLColumnExpression[str],
    condition: ColumnElement[bool],
) -> ColumnElement[bool]:
    return (
        sa.select(sa.literal(1))
        .select_from(table)
        .where(session_id == col(SessionRow.id), condition)
        .correlate(SessionRow)
        .exists()
    )
