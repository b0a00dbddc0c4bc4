"""Read a page of the list of sessions."""

import json
from collections.abc import Sequence
from typing import Any
from typing import cast as typed

from sqlalchemy import ColumnElement, ScalarSelect, Text, cast
from sqlalchemy.orm import QueryableAttribute, defer
from sqlmodel import Session, col, func, select

from workbench.records.owner import Owner
from workbench.records.sessions import ListedSession
from workbench.store import rows
from workbench.store.deleting import is_shown
from workbench.store.owner_scope import is_rollout
from workbench.store.tables import MessageRow, RecordedSessionRow, SessionRow, SessionTagRow


def list_rows(
    db: Session,
    owner: Owner,
    *conditions: ColumnElement[bool],
    is_deleted: bool,
    limit: int,
    offset: int,
) -> tuple[ListedSession, ...]:
    """Return a page of the sessions that have messages and meet the conditions, as `owner` sees them.

    Rollouts of suites are left out. The order is most recently used first, or most recently deleted first.
    """
    last = col(SessionRow.deleted_at) if is_deleted else col(SessionRow.updated_at)
    page = (
        # The setup is read as text, so that one damaged row does not break the list.
        select(SessionRow, cast(col(SessionRow.setup), Text), _message_count(), _client())
        .options(defer(typed(QueryableAttribute[Any], SessionRow.setup)))
        .where(col(SessionRow.leaf_id).is_not(None), ~is_rollout(), *conditions)
        .order_by(last.desc(), col(SessionRow.id))
        .limit(limit)
        .offset(offset)
    )
    found = db.exec(page).all()
    tags = _tags(db, [row.id for row, *_ in found])
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
            client=client,
            damage=_damage(setup),
        )
        for row, setup, message_count, client in found
    )


def _message_count() -> ScalarSelect[int]:
    """Return an expression for the number of messages in the session of the outer query."""
    of_session = col(MessageRow.session_id) == col(SessionRow.id)
    return (
        select(func.count())
        .select_from(MessageRow)
        .where(of_session, is_shown())
        .correlate(SessionRow)
        .scalar_subquery()
    )


def _client() -> ScalarSelect[str]:
    """Return an expression for the client of the session of the outer query. NULL if the gateway did not record it."""
    of_session = col(RecordedSessionRow.session_id) == col(SessionRow.id)
    return select(RecordedSessionRow.client).where(of_session).correlate(SessionRow).scalar_subquery()


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
    """Return why a setup's text cannot be read, or None if it can."""
    try:
        rows.setup_value(json.loads(setup))
    except (ValueError, TypeError) as error:
        return str(error)
    return None
