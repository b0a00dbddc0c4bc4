"""A quick look at a row of Hermes' ShareGPT format, which is enough for most rules to know that they find nothing.

Most rows of a good dataset have no findings, and proving that is cheaper than looking for every possible finding. So
a glance builds no model of the row. It splits the entries into text and role, reads the calls with the strict reader
only, and counts wrapped results. Each rule in `rules.py` has a question about the glance. If every answer is "I find
nothing", the row is valid.

Rows of a dataset often begin alike, with the same system text and the same tools. This beginning is checked once with
the complete rules, and the answers are cached.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import chain, combinations
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.body.shape import CallDraft
from workbench.hermes.parse import clean_calls
from workbench.toolspec.check import are_surely_valid_specs
from workbench.toolspec.quick import is_surely_valid
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.declared_tools import plain_specs, repeats_column
from workbench.trajectory.filled_nulls import close_spec
from workbench.trajectory.formats.shared.entry_keys import read_keys
from workbench.trajectory.formats.shared.text_entries import OWN_KEYS, conversation_of, wrapped_results
from workbench.trajectory.formats.sharegpt import SHAREGPT, SPEAKERS
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.parsed_row import ParsedRow, parse_texts
from workbench.trajectory.validate.plain_values import are_plain

Finder = Callable[[ParsedRow], Iterator[RowFinding]]
"""Yields the findings of one rule."""

_USUAL_ORDER: Final = re.compile(r"(?:u(?:ct)*a)*u(?:ct)*[ac]")
"""Roles after the system text, one letter per entry: u user, c model with calls, t results, a model without calls.

For example, two questions with one call each are `uctauca`: the last call may be without a result."""
_TEXTS: Final = ("conversations", "tools")
"""The columns whose texts a glance looks at itself."""
_MAX_CACHED_CHARS: Final = 50_000
_PLAIN_MEMBERS: Final = len(OWN_KEYS)
_CACHE_SIZE: Final = 250
"""Rows of one dataset begin alike, so this many beginnings up to that length are cached."""


class Beginning:
    """The system text and the tools of a row. The same object serves all rows that begin alike."""

    def __init__(self, column: str | None, system: str) -> None:
        self.column = column
        """The column with the tools as in the row; None if it has none."""
        self.system = system
        self.text = system + (column or "")
        self.has_plain_text = _is_plain(self.text)
        """Whether no loader can refuse the texts, and no character of them is damaged."""
        plain = _plain_tools(column, system)
        self.is_plain = plain is not None
        """Whether the tools are a JSON list of valid specs, and the system text declares the same ones or none.

        False only means that the complete rules must look at them, which takes three times as long."""
        self.tools = self.parsed.tools if plain is None else plain
        """The declared tools."""
        self._answers: dict[Callable[[Beginning], bool], bool] = {}

    @cached_property
    def parsed(self) -> ParsedRow:
        """A row of only this beginning."""
        entries: list[JsonValue] = [{"from": "system", "value": self.system}] if self.system else []
        return parse_texts(SHAREGPT.read({"conversations": entries, "tools": self.column}))

    def has_findings(self, find: Finder) -> bool:
        """Whether a rule finds anything in the beginning."""
        return any(True for _ in find(self.parsed))

    def answer(self, question: "Callable[[Beginning], bool]") -> bool:
        """Return the answer to a question about the beginning, which is asked once."""
        known = self._answers.get(question)
        if known is None:
            known = self._answers[question] = question(self)
        return known


class Glance:
    """What can be seen of a row quickly."""

    __slots__ = (
        "answers",
        "are_calls_valid",
        "beginning",
        "calls",
        "has_entry_members",
        "has_plain_others",
        "has_plain_text",
        "has_repeated_call",
        "has_tag_in_question",
        "has_usual_order",
        "may_have_prose_call",
        "others",
        "row",
        "text",
        "turns",
    )

    def __init__(
        self,
        row: JsonObject,
        beginning: Beginning,
        turns: list[tuple[Role, str]],
        others: list[JsonValue],
    ) -> None:
        self.row = row
        """The row as in the file."""
        self.others = others
        """What else the row contains: other columns, and entries with further members."""
        self.has_entry_members = bool(others) and isinstance(others[-1], dict)
        """Whether entries have members beside their role and text."""
        self.has_plain_others = not others or are_plain(others)
        """Whether every loader and every column of Arrow can surely hold them."""
        self.beginning = beginning
        self.turns = turns
        """Role and text of each entry after the system text. No text is blank."""
        self.text = "\n".join(chain.from_iterable(turns))
        """Roles and texts of all turns: `conversation_text` of the row, as in `duplicates.py`."""
        self.has_plain_text = _is_plain(self.text)
        """As of the beginning, for the turns."""
        self.answers: tuple[tuple[str, ...], ...] = ()
        """For each entry of the model, the names of the tools that it calls."""
        self.calls: list[CallDraft] = []
        """All calls, in order."""
        self.has_usual_order = False
        """Whether the roles follow the usual order, and each entry with calls has as many results."""
        self.are_calls_valid = False
        """Whether all calls are strict, of declared tools, with arguments that surely match the schema."""
        self.has_tag_in_question = False
        """Whether a user's text contains `<`."""
        self.has_repeated_call = False
        """Whether an entry has the same call twice."""
        self.may_have_prose_call = False
        """Whether a message without calls names a declared tool."""
        self._read()

    def _read(self) -> None:
        """Read calls and results, up to the first entry that the complete rules must look at."""
        tools = self.beginning.tools
        shape = ""
        answers: list[tuple[str, ...]] = []
        for role, text in self.turns:
            if role is Role.ASSISTANT:
                calls = _calls(text, tools)
                if calls is None:
                    return
                answers.append(tuple([call.name for call in calls]))
                self.calls += calls
                if len(calls) > 1:
                    self.has_repeated_call = self.has_repeated_call or _has_repeated(calls)
                elif not calls:
                    self.may_have_prose_call = self.may_have_prose_call or _may_be_call(text, tools)
                shape += "c" if calls else "a"
            elif role is Role.TOOL:
                if not answers or len(answers[-1]) != _results(text):
                    return
                shape += "t"
            elif role is Role.USER:
                self.has_tag_in_question = self.has_tag_in_question or "<" in text
                shape += "u"
            else:
                shape += "s"
        self.answers = tuple(answers)
        self.are_calls_valid = True
        self.has_usual_order = _USUAL_ORDER.fullmatch(shape) is not None


def glance_at(row: JsonObject) -> Glance | None:
    """Return what can be seen of a ShareGPT row quickly, or None if it must be read completely."""
    others: list[JsonValue] = [[key, value] for key, value in row.items() if key not in _TEXTS]
    turns = _turns(row, others)
    if not turns:
        return None
    role, text = turns[0]
    has_system = role is Role.SYSTEM
    if not has_system and row.get("system"):  # its system text is a column
        return None
    beginning = _beginning(row.get("tools"), text if has_system else "")
    return beginning and Glance(row, beginning, turns[1:] if has_system else turns, others)


def _turns(row: JsonObject, others: list[JsonValue]) -> list[tuple[Role, str]]:
    """Return the entries; an empty list if there are none, or one has an unknown role, a blank text or a bad mask.

    Args:
        row: The row.
        others: Gets the entries with further members.
    """
    turns: list[tuple[Role, str]] = []
    for entry in conversation_of(row):
        fields = entry if isinstance(entry, dict) else as_object(entry)
        speaker, text = fields.get("from"), fields.get("value")
        role = SPEAKERS.get(speaker) if isinstance(speaker, str) else None
        if role is None or not isinstance(text, str) or not text or text.isspace():
            return []
        if len(fields) > _PLAIN_MEMBERS:
            if read_keys(fields, OWN_KEYS).problems:
                return []
            others.append(fields)
        turns.append((role, text))
    return turns


def _calls(text: str, tools: OfferedTools) -> tuple[CallDraft, ...] | None:
    """Return the calls, or None if a tool is not declared or its arguments may not match."""
    calls = clean_calls(text, tools)
    if calls is None:
        return None
    for call in calls:
        spec = tools.by_name.get(call.name)
        if spec is None:
            return None
        if not call.is_surely_valid and not is_surely_valid(close_spec(spec), call.arguments):
            return None
    return calls


def _is_plain(text: str) -> bool:
    """Whether a text is ASCII without NUL and without backslashes, which JSON's escapes begin with."""
    return text.isascii() and "\\" not in text and "\0" not in text


def _has_repeated(calls: tuple[CallDraft, ...]) -> bool:
    return any(
        call.name == other.name and call.arguments == other.arguments
        for call, other in combinations(calls, 2)
    )


def _may_be_call(text: str, tools: OfferedTools) -> bool:
    for name in tools.by_name:  # noqa: SIM110  faster than `any` with a generator
        if name in text:
            return True
    return False


def _results(text: str) -> int:
    """Return the number of wrapped results if the text contains nothing else and no other tag; otherwise -1."""
    count = len(wrapped_results(text))
    return count if count * 2 == text.count("<") else -1


def _beginning(column: object, system: str) -> Beginning | None:
    """Return the beginning with this column and system text, or None if it is too long or not a text."""
    if not (column is None or isinstance(column, str)) or len(column or "") + len(system) > _MAX_CACHED_CHARS:
        return None
    beginning = hash((len(system), (column or system)[:_TELLING_CHARS]))
    if beginning in _seen_beginnings:
        return _cached_beginning(column, system)
    if len(_seen_beginnings) >= _MOST_SEEN:
        _seen_beginnings.clear()
    _seen_beginnings.add(beginning)
    return Beginning(column, system)


_cached_beginning: Final = lru_cache(maxsize=_CACHE_SIZE)(Beginning)
_seen_beginnings: Final[set[int]] = set()
"""Hashes of beginnings. Only those that occur again are cached, because in rows with tools of their own none does.

The hash is of the first tool's text and the length, because a hash of the whole text costs two percent of a check."""
_TELLING_CHARS: Final = 200
_MOST_SEEN: Final = 1_000


def _plain_tools(column: str | None, system: str) -> OfferedTools | None:
    if not column or not repeats_column(system, column):
        return None
    declared = plain_specs(column)
    if declared is None or not are_surely_valid_specs(declared.specs):
        return None
    tools = OfferedTools(specs=declared.specs)
    return tools if len(tools.by_name) == len(tools.specs) else None
