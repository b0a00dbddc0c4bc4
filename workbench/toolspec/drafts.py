"""The drafts of JSON Schema, and which one a schema is written in."""

from enum import StrEnum
from typing import Final

from workbench.chat.json_value import JsonValue


class Draft(StrEnum):
    """A draft whose rules a validator follows."""

    DRAFT_7 = "draft 7"
    """Also for drafts 4 and 6. Draft 7 only adds keywords to draft 6; schemas of draft 4 are translated."""
    DRAFT_2019_09 = "2019-09"
    DRAFT_2020_12 = "2020-12"


_HOST: Final = "json-schema.org/"
_DRAFTS: Final = {
    "draft-04/schema": Draft.DRAFT_7,
    "draft-06/schema": Draft.DRAFT_7,
    "draft-07/schema": Draft.DRAFT_7,
    "draft/2019-09/schema": Draft.DRAFT_2019_09,
    "draft/2020-12/schema": Draft.DRAFT_2020_12,
    # "The newest draft" when drafts 3 and 4 were current.
    "schema": Draft.DRAFT_2020_12,
}
"""*Source:* https://json-schema.org/specification-links"""


def draft_of(uri: JsonValue) -> Draft | None:
    """Return the draft that a `$schema` names, or None if it names none of them.

    >>> draft_of("http://json-schema.org/draft-07/schema#"), draft_of("https://example.com/schema")
    (<Draft.DRAFT_7: 'draft 7'>, None)
    """
    return _DRAFTS.get(_path(uri))


def is_draft_4(uri: JsonValue) -> bool:
    """Return whether a `$schema` names draft 4."""
    return _path(uri) == "draft-04/schema"


def _path(uri: JsonValue) -> str:
    text = uri.strip().lower().rstrip("#/") if isinstance(uri, str) else ""
    scheme, separator, rest = text.partition("://")
    is_known = bool(separator) and scheme in ("http", "https") and rest.startswith(_HOST)
    return rest.removeprefix(_HOST) if is_known else ""
