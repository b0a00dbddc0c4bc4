"""Find calls in the wrong form: written as plain text, repeated, or with arguments that the format has as text."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Final, Literal, NamedTuple, cast

from workbench.chat.json_value import JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.body.shape import is_tool_spec
from workbench.hermes.parse import parse
from workbench.hermes.reading import Level
from workbench.toolspec.spec import OfferedTools, canonical_json
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.row import EntryCall, RowEntry, RowFinding, TrainingRow
from workbench.trajectory.validate.codes import quoted, row_finding
from workbench.trajectory.validate.parsed_row import LOST, ParsedEntry, ParsedRow

ArgumentForm = Literal["object", "text"]
_FENCE: Final = "```"


def prose_call_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `call-in-prose` for a message without calls in which a line is a call of a declared tool.

    What the tolerant reader reports, such as `f(a=1)`, is `call-unreadable`. Here are those that only the lenient
    reader finds, such as JSON below prose, and those that nobody reads: `f("x")`, `x = f({"a": 1})`, `f: {"a": 1}`,
    `Action: f[x]`, `{"tool_calls": […]}`, and a call that a sentence announces, such as `I will call f(a=1) now.`
    """
    for parsed_entry in parsed.entries:
        entry = parsed_entry.entry
        if entry.role is not Role.ASSISTANT or entry.place >= parsed.bad_from or _has_calls(parsed_entry):
            continue
        if name := prose_call(entry.text, parsed.tools):
            message = f"a call of {quoted(name)} is written as text; write it as a tool call"
            yield row_finding("call-in-prose", message, entry=entry, pointer=entry.text_pointer)


def prose_call(text: str, tools: OfferedTools) -> str:
    """Return the name of a declared tool that a line of a text calls; empty if there is none."""
    names = tuple(name for name in tools.names if name and name in text)
    if not names:
        return ""
    if calls := parse(text, tools=tools, level=Level.LENIENT, checks_arguments=False).calls:
        return calls[0].name
    if "{" in text and (name := _called_in_json(text, tools)):
        return name
    lines, announced = _patterns_of(names)
    for match in chain(lines.finditer(text), announced.finditer(text)):
        if _is_example(text, match):
            continue
        if match.groupdict().get("input") or _are_arguments(match, tools):
            return match["name"]
    return ""


def _called_in_json(text: str, tools: OfferedTools) -> str:
    """Return the tool that a JSON object calls which only wraps the call, or has other keys for it; empty if none."""
    for match in islice(_OBJECT.finditer(text), _MOST_OBJECTS):
        try:
            value, _ = _DECODER.raw_decode(text, match.end() - 1)
        except (ValueError, RecursionError):
            continue
        if is_tool_spec(value):
            continue
        fields = as_object(value)
        listed = fields.get("tool_calls")
        fields = as_object(listed[0]) if isinstance(listed, list) and listed else fields
        fields = as_object(fields.get("function")) or fields
        name = next((fields[key] for key in _NAMES if key in fields), None)
        if isinstance(name, str) and name in tools.by_name and not fields.keys().isdisjoint(_INPUTS):
            return name
    return ""


def _is_example(text: str, match: "re.Match[str]") -> bool:
    """Whether a call is a line of a program: in a fence other than `tool_code`, or below an import or a function."""
    before = text[: match.start()]
    if before.count(_FENCE) % 2:
        return not text.startswith("tool_code", before.rindex(_FENCE) + len(_FENCE))
    return bool(match.groupdict().get("code")) and _PROGRAM.search(before) is not None


@lru_cache(maxsize=250)
def _patterns_of(names: tuple[str, ...]) -> "tuple[re.Pattern[str], re.Pattern[str]]":
    """Return what finds a line that is a call of one of the tools, and a sentence that announces one."""
    name = rf"(?:functions\.|tools\.)?(?P<name>{'|'.join(map(re.escape, names))})"
    line = re.compile(
        r"^(?:(?P<action>Action:[ \t]*)|(?:Tool |Function )?[Cc]all:[ \t]*|Calling[ \t]+)?"
        r"(?P<code>(?:(?:(?:const|let|var)[ \t]+)?[A-Za-z_]\w{0,60}[ \t]*=[ \t]*)?(?:await[ \t]+)?(?P<print>print\()?)"
        rf"{name}(?:\((?P<arguments>[^\n]{{0,2000}})\)(?(print)\))[;.]?"
        r"|(?(action)(?P<input>\[[^\]\n]{1,200}\]|[ \t]*\nAction Input:[^\n]*)|(?!))"
        r"|(?::|[ \t]+with\b)?[ \t]*(?P<object>\{[^\n]{1,2000}\}))[ \t]*$",
        re.MULTILINE,
    )
    announced = re.compile(
        r"\b(?:I(?:['’]ll| will|['’]m going to| am going to)|[Ll]et me)(?: now| first| then)? (?:call|use|run|invoke) "
        rf"`?{name}\((?P<arguments>[^\n()]{{0,2000}})(?P<object>)\)"
        # A condition makes it an offer.
        r"(?![^\n.]{0,200}(?:\b(?:if|once|when|after|unless|would)\b|\?))"
    )
    return line, announced


_OBJECT: Final = re.compile(r"(?:^[ \t]*|<\w*(?:tool|function|call)\w*>\s{0,20})\{", re.MULTILINE)
_MOST_OBJECTS: Final = 20
"""So that a text of many objects that are cut off is searched in linear time."""
_DECODER: Final = json.JSONDecoder()
_NAMES: Final = ("name", "function", "function_name", "tool", "tool_name", "action")
_INPUTS: Final = frozenset({"arguments", "parameters", "args", "input", "tool_input", "action_input"})
_PROGRAM: Final = re.compile(r"^[ \t]*(?:import|from|def|class|async def)\b", re.MULTILINE)


def _are_arguments(match: "re.Match[str]", tools: OfferedTools) -> bool:
    """Whether what follows the name is arguments: one object or keywords of the tool's parameters, or plain values.

    `f(city)` and `f(city: str)` are how a text talks about a tool.
    """
    inside = (match["arguments"] or match["object"] or "").strip()
    properties = tools.by_name[match["name"]].properties
    if inside.startswith("{"):
        try:
            fields = cast(JsonValue, json.loads(inside))
        except (ValueError, RecursionError):
            return False
        return isinstance(fields, dict) and bool(fields) and fields.keys() <= properties.keys()
    keyword = _KEYWORD.match(inside)
    return keyword[1] in properties if keyword else _VALUE.match(inside) is not None


_KEYWORD: Final = re.compile(r"([A-Za-z_]\w*)[ \t]*=[^=]")
_VALUE: Final = re.compile(r"[\"'\[]|-?\d|(?:true|false|null|True|False|None)\b")


def _has_calls(parsed_entry: ParsedEntry) -> bool:
    reading = parsed_entry.reading
    return parsed_entry.has_calls or (
        reading is not None and any(finding.code in LOST for finding in reading.findings)
    )


def repeated_call_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `repeated-call` for each call that an earlier call of the same entry repeats."""
    for parsed_entry in parsed.entries:
        seen: set[tuple[str, str]] = set()
        calls = parsed_entry.calls
        for index, call in enumerate(calls if len(calls) > 1 else ()):
            if call.arguments is None:
                continue
            key = call.name, canonical_json(call.arguments)
            if key in seen:
                message = f"call {index + 1} repeats a call of {quoted(call.name)}; remove it and its result"
                finding = row_finding(
                    "repeated-call", message, entry=parsed_entry.entry, pointer=call.pointer
                )
                yield replace(finding, call=index, call_pointer=call.pointer)
            seen.add(key)


def argument_form_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `arguments-not-text` for each call with an object, in a format that has arguments as text."""
    row = parsed.row
    if row.format not in FORMATS or not FORMATS[row.format].needs_text_arguments:
        return
    for place in given_arguments(row):
        if place.form == "object":
            message = "the arguments are an object; write them as JSON text, as the format requires"
            finding = row_finding(
                "arguments-not-text", message, entry=place.entry, pointer=place.call.arguments_pointer
            )
            yield replace(finding, call=place.number, call_pointer=place.call.pointer)


class GivenArguments(NamedTuple):
    """The arguments of a call that has a place of its own for them."""

    form: ArgumentForm
    entry: RowEntry
    number: int
    """Index of the call among those of the entry."""
    call: EntryCall


def given_arguments(row: TrainingRow) -> Iterator[GivenArguments]:
    """Yield the arguments of all calls that are an object, or JSON text in a place of their own."""
    for entry in row.all_entries:
        for index, call in enumerate(entry.calls):
            if call.arguments_pointer != call.pointer and call.arguments is not None:
                form: ArgumentForm = "object" if call.arguments_text is None else "text"
                yield GivenArguments(form, entry, index, call)


@dataclass(slots=True)
class ArgumentForms:
    """The first row with arguments of each form, in a format for which the form matters."""

    places: dict[ArgumentForm, tuple[int, RowFinding]] = field(
        default_factory=dict[ArgumentForm, tuple[int, RowFinding]]
    )
    """Row, and the finding if the form differs from that of earlier rows."""

    def add(self, row: TrainingRow, number: int) -> None:
        """Add a row, after all rows before it."""
        traits = FORMATS.get(row.format)
        if len(self.places) == len(_FORMS) or not traits:
            return
        # With objects, a format that needs text has an error for each call.
        takes_object = traits.has_object_arguments
        if not (takes_object or traits.needs_text_arguments):
            return
        for place in given_arguments(row):
            if place.form not in self.places and (takes_object or place.form == "text"):
                self.places[place.form] = (number, _mixed(place))

    def extend(self, other: "ArgumentForms", numbers: Sequence[int]) -> None:
        """Add the forms of later rows, whose row `i` has the number `numbers[i]` here."""
        for form, (row, finding) in other.places.items():
            self.places.setdefault(form, (numbers[row], finding))

    @property
    def finding(self) -> tuple[int, RowFinding] | None:
        """The first row with another form than those before it, and the finding about it; None if all have one."""
        return tuple(self.places.values())[-1] if len(self.places) == len(_FORMS) else None


_FORMS: Final = {"object": "an object", "text": "text"}


def _mixed(place: GivenArguments) -> RowFinding:
    form, other = _FORMS[place.form], next(_FORMS[form] for form in _FORMS if form != place.form)
    message = f"the arguments are {form}, but those of calls before are {other}; convert the rows to one form"
    finding = row_finding("mixed-arguments", message, entry=place.entry, pointer=place.call.arguments_pointer)
    return replace(finding, call=place.number, call_pointer=place.call.pointer)
