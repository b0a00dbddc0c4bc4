"""Accept valid rows of Hermes' ShareGPT format on a fast path.

The idea: most rows of a good dataset have no findings, and proving that is cheaper than looking for every
possible finding. So no model of the row is built. Instead, a few questions are asked, each of which a valid row
can answer in only one way:

- Do the roles follow the pattern `_SHAPE`, with one letter per entry: u for the user, c for calls, t for results,
  a for an answer? Two questions with one call are `uctauca…`.
- Does each model entry contain only prose and calls that the strict reader accepts, of declared tools, with
  arguments that surely match the schema?
- Does each result entry consist of as many wrapped results as there were calls before it?
- Is there no `<` in user texts, no placeholder, and no secret?

The tools and the system text, which many rows share, are checked with the complete rules once and cached.

Invariant: the fast path never accepts a row in which `check_row` finds anything. The other direction does not
hold: None only means "use the complete rules". For example, a user who asks what `<tool_call>` means is valid,
but has a `<` in the text and is checked completely. `tests/trajectory/validate/test_clean_row.py` compares both
ways on edited rows.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.parse import clean_calls
from workbench.toolspec.check import is_surely_sound
from workbench.toolspec.quick import is_surely_valid
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.declared_tools import plain_specs, repeats_column
from workbench.trajectory.formats.shared.text_entries import conversation_of, wrapped_results
from workbench.trajectory.formats.sharegpt import SHAREGPT, SPEAKERS
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.arguments import close_spec
from workbench.trajectory.validate.declared import declared_findings
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.row_check import has_placeholder, secret_findings, text_findings
from workbench.trajectory.validate.secrets import may_have_secrets, secrets_in

_SHAPE: Final = re.compile(r"(?:u(?:ct)*a)*u(?:ct)*[ac]")
"""Order of the roles after the system: u user, c model with calls, t results, a model without calls."""
_MAX_CACHED_CHARS: Final = 50_000
_CACHE_SIZE: Final = 250
"""Rows of one dataset begin alike, so this many beginnings up to that length are cached."""


class CleanRow(NamedTuple):
    """What to count of a row without findings."""

    tools: OfferedTools
    answers: tuple[tuple[str, ...], ...]
    """For each model entry, the names of the tools that it calls."""
    conversation_text: str
    """As `conversation_text` in `duplicates.py` returns it."""


_CheckedTurn = tuple[Role, str]


def clean_row(row: JsonObject, *, finds_secrets: bool) -> CleanRow | None:
    """Return what to count of a row if it surely has no findings as ShareGPT; None if that is not certain."""
    entries = _turns(row)
    if entries is None:
        return None
    role, text = entries[0]
    has_system = role is Role.SYSTEM
    tools = _tools(row.get("tools"), text if has_system else "", finds_secrets=finds_secrets)
    if tools is None:
        return None
    turns = entries[1:] if has_system else entries
    text = "\n".join(chain.from_iterable(turns))
    answers = _answers(turns, tools)
    if answers is None or has_placeholder(text):
        return None
    if finds_secrets and may_have_secrets(text) and any(_has_secret(turn_text) for _, turn_text in turns):
        return None
    return CleanRow(tools, answers, text)


def _turns(row: JsonObject) -> list[_CheckedTurn] | None:
    """Return the entries, or None if there are none, a role is unknown, or a text is empty."""
    turns: list[_CheckedTurn] = []
    for entry in conversation_of(row):
        fields = as_object(entry)
        speaker, text = fields.get("from"), fields.get("value")
        role = SPEAKERS.get(speaker) if isinstance(speaker, str) else None
        if role is None or not isinstance(text, str) or not text.strip():
            return None
        turns.append((role, text))
    return turns or None


def _answers(turns: list[_CheckedTurn], tools: OfferedTools) -> tuple[tuple[str, ...], ...] | None:
    """Return the names that each model entry calls, or None if the complete rules must check the row."""
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
    """Return the names of the called tools, or None if a tool is not declared or its arguments may not match."""
    calls = clean_calls(text, tools)
    if calls is None:
        return None
    for call in calls:
        spec = tools.by_name.get(call.name)
        if spec is None:
            return None
        if not call.is_surely_valid and not is_surely_valid(close_spec(spec), call.arguments):
            return None
    return tuple([call.name for call in calls])


def _results(text: str) -> int:
    """Return the number of wrapped results if the text contains nothing else and no other tag; otherwise -1."""
    count = len(wrapped_results(text))
    return count if count * 2 == text.count("<") else -1


def _tools(column: object, system: str, *, finds_secrets: bool) -> OfferedTools | None:
    """Return the tools of a row with this column and system text, or None if these have findings."""
    if not (column is None or isinstance(column, str)) or len(column or "") + len(system) > _MAX_CACHED_CHARS:
        return None
    beginning = hash((column, system))
    if beginning in _seen_beginnings:
        return _cached_tools(column, system, finds_secrets=finds_secrets)
    if len(_seen_beginnings) >= _MOST_SEEN:
        _seen_beginnings.clear()
    _seen_beginnings.add(beginning)
    return _checked_tools(column, system, finds_secrets=finds_secrets)


_seen_beginnings: Final[set[int]] = set()
"""Hashes of beginnings. Only those that occur again are cached, because in rows with tools of their own none does."""
_MOST_SEEN: Final = 1_000


def _checked_tools(column: str | None, system: str, *, finds_secrets: bool) -> OfferedTools | None:
    plain = _plain_tools(column, system)
    if plain is not None and not has_placeholder(system) and not (finds_secrets and _has_secret(system)):
        return plain
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


_cached_tools: Final = lru_cache(maxsize=_CACHE_SIZE)(_checked_tools)


def _plain_tools(column: str | None, system: str) -> OfferedTools | None:
    """Return the tools if the column is a JSON list of sound specs, which the system text repeats or does not have.

    None only means that the complete rules must look at them, which takes three times as long.
    """
    if not column or "<|" in system or not repeats_column(system, column):
        return None
    specs = plain_specs(column)
    if specs is None:
        return None
    if len({spec.name for spec in specs.specs}) < len(specs.specs):
        return None
    return OfferedTools(specs=specs.specs) if all(map(is_surely_sound, specs.specs)) else None


def _has_secret(text: str) -> bool:
    return any(True for _ in secrets_in(text))
