"""Sessions as a list: a page of them, without what a list does not show."""

import json
from collections.abc import Sequence
from typing import Any
from typing import cast as typed

from sqlalchemy import ColumnElement, ScalarSelect, Text, cast, exists
from sqlalchemy.orm import QueryableAttribute, defer
from sqlmodel import Session, col, func, select

from workbench.records.owner import Owner
from workbench.records.sessions import ListedSession
from workbench.store import rows
from workbench.store.deleting import is_shown
from workbench.store.tables import MessageRow, RunSessionRow, SessionRow, SessionTagRow


def list_rows(
    db: Session,
    owner: Owner,
    *conditions: ColumnElement[bool],
    is_deleted: bool,
    limit: int,
    offset: int,
) -> tuple[ListedSession, ...]:
    """A page of the sessions that hold a message and meet the conditions, as `owner` sees them."""
    last = col(SessionRow.deleted_at) if is_deleted else col(SessionRow.updated_at)
    page = (
        # The setup as text: a row whose JSON is damaged must not fail the others.
        select(SessionRow, cast(col(SessionRow.setup), Text), _message_count())
        .options(defer(typed(QueryableAttribute[Any], SessionRow.setup)))
        .where(col(SessionRow.leaf_id).is_not(None), ~is_rollout(), *conditions)
        .order_by(last.desc(), col(SessionRow.id))
        .limit(limit)
        .offset(offset)
    )
    found = db.exec(page).all()
    tags = _tags(db, [row.id for row, _, _ in found])
    return tuple(
        ListedSession(
            id=row.id,
            title=row.title,
            tags=tuple(tags.get(row.id, ())),
            created_at=row.created_at,
            updated_at=row.updated_at,
            deleted_at=row.deleted_at,
            message_count=message_count,
            is_own=row.owner == owner.key,
            is_shared=row.share_key is not None,
            damage=_damage(setup),
        )
        for row, setup, message_count in found
    )


def _message_count() -> ScalarSelect[int]:
    """How many messages the session of the outer query has."""
    of_session = col(MessageRow.session_id) == col(SessionRow.id)
    return (
        select(func.count())
        .select_from(MessageRow)
        .where(of_session, is_shown())
        .correlate(SessionRow)
        .scalar_subquery()
    )


def is_rollout() -> ColumnElement[bool]:
    """Whether the session of the outer query is a rollout of a run."""
    return exists().where(col(RunSessionRow.session_id) == col(SessionRow.id)).correlate(SessionRow)


def _tags(db: Session, session_ids: Sequence[str]) -> dict[str, list[str]]:
    found = db.exec(
        select(SessionTagRow.session_id, SessionTagRow.tag)
        .where(col(SessionTagRow.session_id).in_(session_ids))
        .order_by(col(SessionTagRow.position))
    )
    tags: dict[str, list[str]] = {}
    for session_id, tag in found:
        tags.setdefault(session_id, []).append(tag)
    return tags


def _damage(setup: str) -> str | None:
    """What of a setup's text cannot be read."""
    try:
        rows.setup_value(json.loads(setup))
    except (ValueError, TypeError) as error:
        return str(error)
    return None
