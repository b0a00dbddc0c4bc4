"""A fast path for valid rows of Hermes' ShareGPT format."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.parse import clean_calls
from workbench.toolspec.quick import is_surely_valid
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.formats.shared.text_entries import conversation_of, wrapped_results
from workbench.trajectory.formats.sharegpt import SHAREGPT, SPEAKERS
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.arguments import close_spec
from workbench.trajectory.validate.declared import declared_findings
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.row_check import has_placeholder, secret_findings, text_findings
from workbench.trajectory.validate.secrets import secrets_in

_SHAPE: Final = re.compile(r"(?:u(?:ct)*a)*u(?:ct)*[ac]")
"""Who speaks when, behind the system: users, the model with calls, their results, the model without."""
_MAX_CACHED_CHARS: Final = 50_000
_CACHE_SIZE: Final = 250
"""Rows of one data set begin alike; so many beginnings, none longer, are remembered."""


class CleanRow(NamedTuple):
    """What is counted of a row with nothing wrong in it."""

    tools: OfferedTools
    answers: tuple[tuple[str, ...], ...]
    """Of each entry of the model, the names of the tools that it calls."""
    conversation_text: str
    """As `likeness.conversation_text` tells it."""


class _Turn(NamedTuple):
    role: Role
    text: str


def clean_row(row: JsonObject, *, finds_secrets: bool) -> CleanRow | None:
    """What is counted of `row` where `check_row`, of it as ShareGPT, finds nothing; None says nothing.

    Most rows of a good data set are so, and no model of them is built. The tools and the system text, which
    rows share, are held against the rules once; the rest is asked the few questions to which a clean row has
    one answer.
    """
    entries = _turns(row)
    if entries is None:
        return None
    has_system = entries[0].role is Role.SYSTEM
    tools = _tools(row.get("tools"), entries[0].text if has_system else "", finds_secrets=finds_secrets)
    if tools is None:
        return None
    turns = entries[1:] if has_system else entries
    text = "\n".join(chain.from_iterable(turns))
    answers = _answers(turns, tools)
    if answers is None or has_placeholder(text):
        return None
    if finds_secrets and any(_has_secret(turn.text) for turn in turns):
        return None
    return CleanRow(tools, answers, text)


def _turns(row: JsonObject) -> list[_Turn] | None:
    """The entries; None where there are none, and where one is of nobody known, or says nothing."""
    turns: list[_Turn] = []
    for entry in conversation_of(row):
        fields = as_object(entry)
        speaker, text = fields.get("from"), fields.get("value")
        role = SPEAKERS.get(speaker) if isinstance(speaker, str) else None
        if role is None or not isinstance(text, str) or not text.strip():
            return None
        turns.append(_Turn(role, text))
    return turns or None


def _answers(turns: list[_Turn], tools: OfferedTools) -> tuple[tuple[str, ...], ...] | None:
    """The names that each entry of the model calls; None where the careful rules must look."""
    shape = ""
    answers: list[tuple[str, ...]] = []
    for role, text in turns:
        if role is Role.ASSISTANT:
            names = _called(text, tools)
            if names is None:
                return None
            answers.append(names)
            shape += "c" if names else "a"
        elif role is Role.TOOL:
            if not answers or len(answers[-1]) != _results(text):
                return None
            shape += "t"
        elif role is Role.USER and "<" not in text:
            shape += "u"
        else:
            return None
    return tuple(answers) if _SHAPE.fullmatch(shape) else None


def _called(text: str, tools: OfferedTools) -> tuple[str, ...] | None:
    """The names of the calls, all of declared tools and with arguments that fit; else None."""
    calls = clean_calls(text, tools)
    if calls is None:
        return None
    for call in calls:
        spec = tools.by_name.get(call.name)
        if spec is None or not is_surely_valid(close_spec(spec), call.arguments):
            return None
    return tuple([call.name for call in calls])


def _results(text: str) -> int:
    """How many results stand in a text that is nothing but these, no tag inside one; else -1."""
    count = len(wrapped_results(text))
    return count if count * 2 == text.count("<") else -1


def _tools(column: object, system: str, *, finds_secrets: bool) -> OfferedTools | None:
    """The tools of a row that begins so, where nothing is wrong with them and with the system text."""
    if not isinstance(column, str | None) or len(column or "") + len(system) > _MAX_CACHED_CHARS:
        return None
    return _cached_tools(column, system, finds_secrets=finds_secrets)


@lru_cache(maxsize=_CACHE_SIZE)
def _cached_tools(column: str | None, system: str, *, finds_secrets: bool) -> OfferedTools | None:
    entries: list[JsonValue] = [{"from": "system", "value": system}] if system else []
    beginning = SHAREGPT.read({"conversations": entries, "tools": column})
    parsed = parse_texts(beginning)
    found: Iterator[RowFinding] = chain(
        beginning.findings,
        declared_findings(beginning),
        text_findings(parsed),
        secret_findings(parsed) if finds_secrets else (),
    )
    return None if any(True for _ in found) else beginning.tools


def _has_secret(text: str) -> bool:
    return any(True for _ in secrets_in(text))
