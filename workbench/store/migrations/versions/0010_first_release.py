"""The tables of the first release.

Its id is that of the last of ten development revisions, so that databases which those made open unchanged.
A later revision that rebuilds `search_document` on SQLite must create its trigger again.
"""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op

from workbench.store.sessions.search_terms import create_search_words

revision = "0010"
down_revision = None

TEXT: Final = sa.Text()
INTEGER: Final = sa.Integer()
FLOAT: Final = sa.Float()
BOOLEAN: Final = sa.Boolean()
MOMENT: Final = sa.DateTime(timezone=True)
JSON: Final = sa.JSON()
TABLES: Final = sa.MetaData(
    naming_convention={
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_APPEND_ONLY: Final = {
    "sqlite": (
        "CREATE TRIGGER audit_no_{lower} BEFORE {upper} ON audit "
        "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$",
        "CREATE TRIGGER audit_no_{lower} BEFORE {upper} ON audit "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()",
    ),
}
"""Makes the database itself refuse a change of the audit log."""


def _table(name: str, *parts: Any) -> None:
    sa.Table(name, TABLES, *parts)


def _columns(kind: Any, *names: str) -> "list[sa.Column[Any]]":
    return [sa.Column(name, kind, nullable=False) for name in names]


def _optional(kind: Any, *names: str) -> "list[sa.Column[Any]]":
    return [sa.Column(name, kind, nullable=True) for name in names]


# Sessions: trees of messages, with what produced each of them.
_table(
    "prompt",
    *_columns(TEXT, "hash", "text"),
    sa.PrimaryKeyConstraint("hash"),
)
_table(
    "session",
    *_columns(TEXT, "id"),
    *_optional(TEXT, "owner"),
    *_columns(TEXT, "title"),
    *_columns(MOMENT, "created_at", "updated_at"),
    *_columns(JSON, "setup"),
    *_optional(TEXT, "leaf_id"),
    *_optional(MOMENT, "deleted_at"),
    *_optional(TEXT, "share_key", "copied_from", "contract_version", "tools_version"),
    sa.PrimaryKeyConstraint("id"),
    sa.Index("ix_session_contract_version", "contract_version"),
    sa.Index("ix_session_deleted_at", "deleted_at"),
    sa.Index("ix_session_owner_created_at", "owner", "created_at"),
    sa.Index("ix_session_owner_updated_at", "owner", "updated_at"),
    sa.Index("ix_session_share_key", "share_key", unique=True),
    sa.Index("ix_session_updated_at", "updated_at"),
)
_table(
    "session_tag",
    *_columns(TEXT, "session_id", "tag"),
    *_columns(INTEGER, "position"),
    sa.ForeignKeyConstraint(["session_id"], ["session.id"]),
    sa.PrimaryKeyConstraint("session_id", "tag"),
    sa.Index("ix_session_tag_tag", "tag"),
)
_table(
    "generation",
    *_columns(INTEGER, "id"),
    *_columns(TEXT, "session_id", "prompt_hash"),
    *_columns(BOOLEAN, "is_exact"),
    *_columns(TEXT, "prefill"),
    *_columns(JSON, "sampling"),
    *_columns(TEXT, "tool_choice", "finish_reason"),
    *_columns(INTEGER, "prompt_tokens", "cached_tokens", "completion_tokens"),
    *_columns(FLOAT, "time_to_first_token_s", "seconds"),
    *_columns(TEXT, "engine_name", "engine_fingerprint", "tools_fingerprint"),
    *_optional(TEXT, "contract_fingerprint"),
    *_optional(INTEGER, "evaluated_tokens"),
    *_optional(TEXT, "ephemeral"),
    *_optional(JSON, "tokens", "findings"),
    *_optional(TEXT, "contract_version", "tools_version"),
    sa.ForeignKeyConstraint(["prompt_hash"], ["prompt.hash"]),
    sa.ForeignKeyConstraint(["session_id"], ["session.id"]),
    sa.PrimaryKeyConstraint("id"),
    sa.Index("ix_generation_contract_fingerprint", "contract_fingerprint"),
    sa.Index("ix_generation_contract_version", "contract_version"),
    sa.Index("ix_generation_prompt_hash", "prompt_hash"),
    sa.Index("ix_generation_session_id", "session_id"),
)
_table(
    "message",
    *_columns(TEXT, "id", "session_id"),
    *_optional(TEXT, "parent_id"),
    *_columns(INTEGER, "position"),
    *_columns(TEXT, "role", "origin", "text"),
    *_columns(JSON, "calls"),
    *_optional(TEXT, "thought", "name"),
    *_columns(MOMENT, "created_at"),
    *_optional(INTEGER, "generation_id"),
    *_optional(TEXT, "copy_of"),
    sa.ForeignKeyConstraint(["generation_id"], ["generation.id"]),
    sa.ForeignKeyConstraint(["session_id", "copy_of"], ["message.session_id", "message.id"]),
    sa.ForeignKeyConstraint(["session_id", "parent_id"], ["message.session_id", "message.id"]),
    sa.ForeignKeyConstraint(["session_id"], ["session.id"]),
    sa.PrimaryKeyConstraint("id"),
    sa.UniqueConstraint("session_id", "id"),
    sa.Index("ix_message_generation_id", "generation_id"),
)
_table(
    "tool_run",
    *_columns(TEXT, "message_id"),
    *_columns(INTEGER, "call_index"),
    *_columns(BOOLEAN, "is_error"),
    *_columns(FLOAT, "milliseconds"),
    *_optional(TEXT, "rule", "arguments_text"),
    *_optional(JSON, "arguments", "findings"),
    sa.ForeignKeyConstraint(["message_id"], ["message.id"]),
    sa.PrimaryKeyConstraint("message_id"),
)
_table(
    "unfinished",
    *_columns(TEXT, "id", "session_id"),
    *_optional(TEXT, "parent_id"),
    *_columns(TEXT, "text"),
    *_columns(JSON, "generation"),
    *_columns(TEXT, "writer"),
    *_columns(MOMENT, "updated_at"),
    sa.ForeignKeyConstraint(["session_id", "parent_id"], ["message.session_id", "message.id"]),
    sa.ForeignKeyConstraint(["session_id"], ["session.id"]),
    sa.PrimaryKeyConstraint("id"),
)
_table(
    "deleted_message",
    *_columns(TEXT, "message_id", "session_id", "root_id"),
    *_columns(MOMENT, "deleted_at"),
    sa.ForeignKeyConstraint(["message_id"], ["message.id"], ondelete="CASCADE"),
    sa.ForeignKeyConstraint(["session_id"], ["session.id"], ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("message_id"),
    sa.Index("ix_deleted_message_session_id", "session_id"),
)
_table(
    "note",
    *_columns(TEXT, "scope"),
    *_columns(INTEGER, "position"),
    *_columns(TEXT, "text"),
    sa.PrimaryKeyConstraint("scope", "position"),
)


# What was saved of contracts, tools, presets and suites; the audit log.
_table(
    "version_text",
    *_columns(TEXT, "owner", "kind", "hash", "text"),
    sa.PrimaryKeyConstraint("owner", "kind", "hash"),
)
_table(
    "version_line",
    *_columns(TEXT, "owner", "kind", "name"),
    *_optional(TEXT, "file_hash"),
    sa.PrimaryKeyConstraint("owner", "kind", "name"),
)
_table(
    "version",
    *_columns(TEXT, "id", "owner", "kind", "name"),
    *_columns(INTEGER, "number"),
    *_columns(TEXT, "text_hash"),
    *_optional(TEXT, "parent_id"),
    *_columns(TEXT, "message", "author"),
    *_columns(MOMENT, "created_at"),
    sa.ForeignKeyConstraint(
        ["owner", "kind", "name"], ["version_line.owner", "version_line.kind", "version_line.name"]
    ),
    sa.ForeignKeyConstraint(
        ["owner", "kind", "text_hash"], ["version_text.owner", "version_text.kind", "version_text.hash"]
    ),
    sa.ForeignKeyConstraint(["parent_id"], ["version.id"]),
    sa.PrimaryKeyConstraint("id"),
    sa.UniqueConstraint("owner", "kind", "name", "number"),
)
_table(
    "version_tag",
    *_columns(TEXT, "owner", "kind", "name", "tag", "version_id"),
    sa.ForeignKeyConstraint(["version_id"], ["version.id"]),
    sa.PrimaryKeyConstraint("owner", "kind", "name", "tag"),
    sa.Index("ix_version_tag_version_id", "version_id"),
)
_table(
    "audit",
    *_columns(INTEGER, "number"),
    *_columns(TEXT, "owner"),
    *_columns(MOMENT, "at"),
    *_columns(TEXT, "who", "action", "subject"),
    *_columns(JSON, "detail"),
    sa.PrimaryKeyConstraint("number"),
    sa.Index("ix_audit_owner_subject", "owner", "subject"),
)


# Labels, and the projects in which people give them.
_table(
    "label_project",
    *_columns(TEXT, "id", "owner", "name", "guidelines"),
    *_columns(JSON, "questions"),
    *_columns(INTEGER, "overlap"),
    *_columns(MOMENT, "created_at"),
    sa.PrimaryKeyConstraint("id"),
    sa.UniqueConstraint("owner", "name"),
)
_table(
    "label_task",
    *_columns(TEXT, "project_id", "session_id", "assignee", "state"),
    *_columns(INTEGER, "revision"),
    *_columns(MOMENT, "updated_at"),
    sa.ForeignKeyConstraint(["project_id"], ["label_project.id"]),
    sa.ForeignKeyConstraint(["session_id"], ["session.id"], ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("project_id", "session_id", "assignee"),
    sa.Index("ix_label_task_session_id", "session_id"),
)
_table(
    "label",
    *_columns(TEXT, "id", "project_id", "session_id", "message_id"),
    *_columns(INTEGER, "call_index"),
    *_columns(TEXT, "slot", "labeller"),
    *_optional(TEXT, "verdict"),
    *_optional(INTEGER, "rating"),
    *_columns(JSON, "tags"),
    *_columns(TEXT, "comment"),
    *_columns(JSON, "answers"),
    *_optional(TEXT, "correction_text"),
    *_optional(JSON, "correction_call"),
    *_optional(MOMENT, "corrected_at"),
    *_columns(INTEGER, "revision"),
    *_columns(MOMENT, "created_at", "updated_at"),
    sa.ForeignKeyConstraint(["project_id"], ["label_project.id"]),
    sa.ForeignKeyConstraint(
        ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
    ),
    sa.PrimaryKeyConstraint("id"),
    sa.UniqueConstraint(
        "project_id",
        "message_id",
        "call_index",
        "slot",
    ),
    sa.Index("ix_label_created_at", "created_at"),
    sa.Index("ix_label_message_id", "message_id"),
    sa.Index("ix_label_session_id", "session_id"),
)
_table(
    "label_tag",
    *_columns(TEXT, "label_id", "tag"),
    sa.ForeignKeyConstraint(["label_id"], ["label.id"], ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("label_id", "tag"),
    sa.Index("ix_label_tag_tag", "tag"),
)
_table(
    "accepted_message",
    *_columns(TEXT, "message_id", "session_id", "who"),
    *_columns(MOMENT, "accepted_at"),
    sa.ForeignKeyConstraint(
        ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
    ),
    sa.PrimaryKeyConstraint("message_id"),
)


# What the reader noted of messages, the search, and imported rows.
_table(
    "fact",
    *_columns(INTEGER, "id"),
    *_columns(TEXT, "session_id", "message_id", "kind", "code"),
    *_optional(TEXT, "severity"),
    *_columns(BOOLEAN, "is_guess"),
    *_optional(INTEGER, "span_start", "span_end"),
    *_columns(TEXT, "note"),
    *_columns(JSON, "edits"),
    sa.ForeignKeyConstraint(
        ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
    ),
    sa.PrimaryKeyConstraint("id"),
    sa.Index("ix_fact_code", "code"),
    sa.Index("ix_fact_message_id", "message_id"),
    sa.Index("ix_fact_session_id_kind_code", "session_id", "kind", "code"),
)
_table(
    "search_document",
    *_columns(INTEGER, "id"),
    *_columns(TEXT, "session_id"),
    *_optional(TEXT, "message_id"),
    *_columns(INTEGER, "span_start"),
    sa.ForeignKeyConstraint(
        ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
    ),
    sa.ForeignKeyConstraint(["session_id"], ["session.id"], ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("id"),
    sa.Index("ix_search_document_session_id_message_id", "session_id", "message_id"),
    sa.Index("ix_search_document_message_id", "message_id"),
)
_table(
    "imported_row",
    *_columns(TEXT, "session_id", "scope", "digest", "format", "file"),
    *_columns(INTEGER, "number"),
    *_columns(TEXT, "row_text"),
    *_columns(JSON, "message_ids", "rejected_ids"),
    sa.ForeignKeyConstraint(["session_id"], ["session.id"], ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("session_id"),
    sa.Index("ix_imported_row_scope_digest", "scope", "digest"),
)


_table(
    "run",
    *_columns(TEXT, "id", "owner", "title", "state"),
    *_columns(INTEGER, "total"),
    *_columns(JSON, "plan"),
    *_columns(MOMENT, "created_at", "updated_at"),
    sa.PrimaryKeyConstraint("id"),
    sa.Index("ix_run_created_at", "created_at"),
    sa.Index("ix_run_owner", "owner"),
)
_table(
    "run_session",
    *_columns(TEXT, "session_id", "run_id"),
    sa.ForeignKeyConstraint(["session_id"], ["session.id"], ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("session_id"),
    sa.Index("ix_run_session_run_id", "run_id"),
)
_table(
    "case_result",
    *_columns(TEXT, "run_id", "key", "status"),
    *_columns(JSON, "result"),
    *_columns(MOMENT, "created_at"),
    sa.ForeignKeyConstraint(["run_id"], ["run.id"], ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("run_id", "key"),
)
_table(
    "comparison",
    *_columns(TEXT, "id", "session_id", "title"),
    *_columns(JSON, "turns", "columns"),
    *_columns(BOOLEAN, "goes_on"),
    *_columns(MOMENT, "created_at"),
    sa.ForeignKeyConstraint(["session_id"], ["session.id"], ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("id"),
    sa.Index("ix_comparison_created_at", "created_at"),
    sa.Index("ix_comparison_session_id", "session_id"),
)
_table(
    "comparison_answer",
    *_columns(TEXT, "comparison_id"),
    *_columns(INTEGER, "turn", "place"),
    *_optional(TEXT, "asked_id", "leaf_id"),
    *_columns(TEXT, "problem"),
    *_columns(MOMENT, "created_at"),
    sa.ForeignKeyConstraint(["comparison_id"], ["comparison.id"], ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("comparison_id", "turn", "place"),
)
_table(
    "comparison_vote",
    *_columns(TEXT, "comparison_id"),
    *_columns(INTEGER, "turn"),
    *_columns(TEXT, "kind"),
    *_optional(INTEGER, "place"),
    *_columns(MOMENT, "updated_at"),
    sa.ForeignKeyConstraint(["comparison_id"], ["comparison.id"], ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("comparison_id", "turn"),
)


def upgrade() -> None:
    """Create all tables."""
    connection = op.get_bind()
    TABLES.create_all(connection)
    create_search_words(connection)
    for change in ("UPDATE", "DELETE"):
        for statement in _APPEND_ONLY[connection.dialect.name]:
            op.execute(statement.format(lower=change.lower(), upper=change))
