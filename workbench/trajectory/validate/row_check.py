"""Check one row: all rules, including marks, placeholders and secrets in its content."""

import re
from collections.abc import Iterator
from typing import Final

from workbench.chat.message import Role
from workbench.hermes.marks import CONTROL_MARK
from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.row import RowEntry, RowFinding, TrainingRow
from workbench.trajectory.validate.arguments import call_findings
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.declared import declared_findings
from workbench.trajectory.validate.pairing import (
    empty_findings,
    end_findings,
    order_findings,
    pairing_findings,
)
from workbench.trajectory.validate.parsed_row import RESULT_TAG, TOOL_TAG, ParsedEntry, ParsedRow, parse_texts
from workbench.trajectory.validate.secrets import secrets_in

_ANSWERED: Final = "model-wrote-tool-response"
_PLACEHOLDERS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"\{(?:\{ ?[A-Za-z_][A-Za-z0-9_]* ?\}\}"
        r"|(?:tools?|tool_calls?|tool_response|functions?|function_call|schema|system_(?:prompt|message)"
        r"|user_(?:input|query|prompt|message)|chat_history)\})",
        r"<(?:YOUR|INSERT|ENTER)[ _][A-Z _]{2,40}>",
        r"\[(?:YOUR|INSERT|ENTER)[ _][A-Z _]{2,40}\]",
    )
)
"""Each begins with a character of its own: a search for one runs at the speed of memory.

*Source:* `{{ name }}` Jinja; `{tool_call}` stands unfilled in rows of glaive and hermes-function-calling."""


def text_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """`control-mark` and `placeholder`, one of each a text at most."""
    for one in parsed.entries:
        for text, pointer in _texts(one.entry):
            if message := _mark(one, text) if "<" in text else "":
                yield row_finding("control-mark", message, entry=one.entry, pointer=pointer)
            if message := _placeholder(one.entry, text):
                yield row_finding("placeholder", message, entry=one.entry, pointer=pointer)


def secret_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """`secret` and `personal-data`: what kind, never the text itself."""
    for one in parsed.entries:
        for text, pointer in _texts(one.entry):
            for found in secrets_in(text):
                message = f"{found.what} in the text, at character {found.span.start}; take it out"
                yield row_finding(found.code, message, entry=one.entry, pointer=pointer)


def _texts(entry: RowEntry) -> Iterator[tuple[str, str]]:
    """The texts of an entry, with their pointers."""
    if entry.text:
        yield entry.text, entry.text_pointer
    if entry.thought:
        yield entry.thought, entry.pointer
    for call in entry.calls:
        if call.arguments_text:
            yield call.arguments_text, call.arguments_pointer
        elif call.arguments:
            yield spelled_json(call.arguments), call.arguments_pointer


def _mark(one: ParsedEntry, text: str) -> str:
    """What is wrong with a mark in the text; empty where there is none, or none that is out of place."""
    mark = (CONTROL_MARK.search(text) if "<|" in text else None) or _structural(one, text)
    return f"{mark.group()!r} at character {mark.start()} would become structure; escape it" if mark else ""


def _structural(one: ParsedEntry, text: str) -> "re.Match[str] | None":
    """A tag of the format where none belongs; those of calls in an answer are for the reader to judge."""
    role, reading = one.entry.role, one.reading
    if role is Role.TOOL:
        return next(filter(None, (TOOL_TAG.search(result.text) for result in one.entry.results)), None)
    if role is Role.USER:
        return RESULT_TAG.search(text)
    if role is Role.ASSISTANT and reading and any(fix.code == _ANSWERED for fix in reading.fixes):
        return RESULT_TAG.search(text)
    return None


def has_placeholder(text: str) -> bool:
    """Whether something was left to fill in."""
    return any(pattern.search(text) for pattern in _PLACEHOLDERS)


def _placeholder(entry: RowEntry, text: str) -> str:
    """What was not filled; empty where nothing is left. Results may hold anything."""
    if entry.role is Role.TOOL:
        return ""
    found = [match for pattern in _PLACEHOLDERS if (match := pattern.search(text))]
    first = min(found, key=lambda match: match.start(), default=None)
    return f"{first.group()!r:.44} at character {first.start()} was never filled" if first else ""


_RULES: Final = (empty_findings, end_findings, call_findings, text_findings)


def check_row(row: TrainingRow) -> tuple[RowFinding, ...]:
    """All that is wrong with a row by itself, in the order of its entries; what is said of the row, first.

    Where the speakers are out of order, calls and results are not paired: that would tell one fault again.
    """
    return check_parsed_row(parse_texts(row))


def check_parsed_row(parsed: ParsedRow, *, finds_secrets: bool = True) -> tuple[RowFinding, ...]:
    """As `check_row`, of a row whose texts are read; without `finds_secrets` these are not looked for."""
    findings = [*_all(parsed), *(secret_findings(parsed) if finds_secrets else ())]
    findings.sort(key=lambda finding: -1 if finding.entry is None else finding.entry)
    return tuple(findings)


def _all(parsed: ParsedRow) -> Iterator[RowFinding]:
    yield from _of_format(parsed)
    yield from declared_findings(parsed.row)
    disorder = tuple(order_findings(parsed))
    yield from disorder or pairing_findings(parsed)
    for rule in _RULES:
        yield from rule(parsed)


def _of_format(parsed: ParsedRow) -> Iterator[RowFinding]:
    """What the format could not read, but for arguments that a tolerant reader can."""
    repairable = {
        call.given.arguments_pointer
        for one in parsed.entries
        for call in one.calls
        if call.given and call.repairs
    }
    for finding in parsed.row.findings:
        if finding.code != "call-unreadable" or finding.pointer not in repairable:
            yield finding
