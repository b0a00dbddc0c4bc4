"""Rules about what the texts of a row contain: special tokens, placeholders, secrets."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from workbench.chat.message import Role
from workbench.hermes.marks import CONTROL_MARK
from workbench.trajectory.row import RowEntry, RowFinding
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.generated import is_generated
from workbench.trajectory.validate.parsed_row import RESULT_TAG, TOOL_TAG, ParsedEntry, ParsedRow
from workbench.trajectory.validate.secrets import may_have_secrets, secrets_in

_MAX_CACHED_CHARS: Final = 50_000
"""Longer system texts are searched each time."""
_ANSWERED: Final = "model-wrote-tool-response"
_NOUNS: Final = (
    r"(?:(?:FIRST |LAST |FULL |USER |COMPANY |JOB )?NAME|COMPANY|E-?MAIL(?: ADDRESS)?|(?:HOME |STREET )?ADDRESS|PHONE"
    r"(?: NUMBER)?|CITY|COUNTRY|(?:API |SECRET |ACCESS )?KEY|(?:API |ACCESS )?TOKEN|PASSWORD|DATE|TIME|TEXT|MESSAGE"
    r"|QUERY|QUESTION|PROMPT|INPUT|ANSWER|TITLE|POSITION|URL|LINK|ID|NUMBER|(?:[A-Z]{2,20} ){1,4}HERE|HERE)"
)
_TEMPLATE: Final = re.compile(
    r"\{(?:\{ ?[A-Za-z_][A-Za-z0-9_]* ?\}\}"
    r"|(?:tools?|tool_calls?|tool_response|functions?|function_call|schema|system_(?:prompt|message)"
    r"|user_(?:input|query|prompt|message)|chat_history)\})"
)
_ORDERS: Final = (
    re.compile(rf"<(?:YOUR|INSERT|ENTER)[ _](?:YOUR[ _])?{_NOUNS.replace(' ', '[ _]')}>"),
    re.compile(rf"\[(?:YOUR|INSERT|ENTER)[ _](?:YOUR[ _])?{_NOUNS.replace(' ', '[ _]')}\]"),
)
_PLACEHOLDERS: Final = (_TEMPLATE, *_ORDERS)
"""Each pattern begins with a fixed character, which makes the search fast.

*Source:* Jinja for `{{ name }}`; rows of NousResearch/hermes-function-calling-v1 for `{tool_call}`."""
_ABOUT_TEMPLATES: Final = re.compile(
    r"(?i:\b(?:jinja2?|templates?|templating|mustache|handlebars|placeholders?|liquid (?:tag|syntax|filter)s?|helm"
    r"|ansible|f-strings?|(?:curly )?braces|vue|angular)\b)"
)
"""Words of texts that are about templates, in which a placeholder is meant as it is written."""


def text_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `control-mark` and `placeholder`, at most one of each per text."""
    for parsed_entry in parsed.entries:
        for text, pointer in parsed_entry.texts:
            if message := _mark(parsed_entry, text) if "<" in text else "":
                yield row_finding("control-mark", message, entry=parsed_entry.entry, pointer=pointer)
            if message := _placeholder(parsed_entry.entry, text):
                yield row_finding("placeholder", message, entry=parsed_entry.entry, pointer=pointer)


def secret_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `secret` and `personal-data`. The messages say what kind it is, never the text itself.

    A rejected answer may be wrong, but it is published with the row.
    """
    texts = [
        (text, pointer, parsed_entry.entry)
        for parsed_entry in (*parsed.entries, *parsed.rejected)
        for text, pointer in parsed_entry.texts
    ]
    # Rows of one dataset share their system texts, so each of those is searched once.
    shared = [
        text for text, _, entry in texts if entry.role is Role.SYSTEM and len(text) <= _MAX_CACHED_CHARS
    ]
    own = [text for text, _, entry in texts if entry.role is not Role.SYSTEM or len(text) > _MAX_CACHED_CHARS]
    if not (any(map(_shared_text_may_have_secrets, shared)) or may_have_secrets("\n".join(own))):
        return
    for text, pointer, entry in texts:
        for found in secrets_in(text):
            place = f"in the text, at character {found.span.start}"
            if found.code == "secret" and is_generated(found.span.of(text), parsed):
                message = f"{found.what} that a tool generated, {place}; check that it was made up"
                yield row_finding("generated-secret", message, entry=entry, pointer=pointer)
            else:
                yield row_finding(
                    found.code, f"{found.what} {place}; remove it", entry=entry, pointer=pointer
                )


@lru_cache(maxsize=250)
def _shared_text_may_have_secrets(text: str) -> bool:
    return may_have_secrets(text)


def _mark(parsed_entry: ParsedEntry, text: str) -> str:
    """Return the message about a special token or tag that does not belong in the text; empty if there is none."""
    mark = (CONTROL_MARK.search(text) if "<|" in text else None) or _structural(parsed_entry, text)
    return (
        f"{mark.group()!r} at character {mark.start()} would be parsed as structure; escape it"
        if mark
        else ""
    )


def _structural(parsed_entry: ParsedEntry, text: str) -> "re.Match[str] | None":
    """Find a tag that does not belong there. Tags of calls in the model's text are judged by the reader instead."""
    role, reading = parsed_entry.entry.role, parsed_entry.reading
    if role is Role.TOOL:
        return next(
            filter(None, (TOOL_TAG.search(result.text) for result in parsed_entry.entry.results)), None
        )
    if role is Role.USER:
        return RESULT_TAG.search(text)
    if role is Role.ASSISTANT and reading and any(fix.code == _ANSWERED for fix in reading.fixes):
        return RESULT_TAG.search(text)
    return None


def has_placeholder(text: str) -> bool:
    """Whether a text contains a placeholder that was not replaced."""
    if _TEMPLATE.search(text):
        return True
    # YOUR, INSERT and ENTER have an R. Finding one character is a hundred times as fast as a search.
    return "R" in text and any(pattern.search(text) for pattern in _ORDERS)


def _placeholder(entry: RowEntry, text: str) -> str:
    """Return the message about the first placeholder; empty if there is none.

    Results may contain anything. A user or a model may talk about templates; a system text is a template.
    """
    if entry.role is Role.TOOL or not has_placeholder(text):
        return ""
    found = [match for pattern in _PLACEHOLDERS for match in pattern.finditer(text)]
    if entry.role is not Role.SYSTEM:
        if found and _ABOUT_TEMPLATES.search(text):
            return ""
        found = [match for match in found if not _is_code(text, match.start())]
    first = min(found, key=lambda match: match.start(), default=None)
    return f"{first.group()!r:.44} at character {first.start()} was not replaced by a value" if first else ""


def _is_code(text: str, position: int) -> bool:
    """Whether a position is between backticks."""
    return text.count("`", 0, position) % 2 == 1
