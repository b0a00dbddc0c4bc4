"""What the list of sessions is filtered by, read from what was chosen above it."""

import json
from datetime import UTC, datetime
from typing import cast

from workbench.chat.json_value import JsonValue, as_object
from workbench.errors import BadInput
from workbench.records.session_tree import SearchFilter


def read_filter(text: str) -> SearchFilter:
    """The filter from its JSON; what is blank asks nothing.

    Raises:
        BadInput: A date is none.
    """
    chosen = as_object(cast(JsonValue, json.loads(text or "{}")))

    def word(name: str) -> str | None:
        return str(chosen.get(name) or "").strip() or None

    answers = {"yes": True, "no": False}
    return SearchFilter(
        has_fix=answers.get(str(chosen.get("has_fix"))),
        has_drop=answers.get(str(chosen.get("has_drop"))),
        verdict=word("verdict"),
        tag=word("tag"),
        contract=word("contract"),
        model=word("model"),
        since=_day(word("since")),
        until=_day(word("until")),
    )


def _day(text: str | None) -> datetime | None:
    """The beginning of a day, UTC."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError as error:
        raise BadInput("filter", f"{text!r} is no date", "write it as 2026-11-21") from error
