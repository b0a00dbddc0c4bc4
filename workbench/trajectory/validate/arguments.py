"""Check the calls of a row, and their arguments against the tools' schemas."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice
from typing import Final, cast

from workbench.chat.finding import Finding, Severity, Span
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.codes import BY_WORD, CodeKind
from workbench.hermes.marks import CALL_TAG
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading
from workbench.toolspec.check import check_arguments
from workbench.toolspec.quick import is_surely_valid
from workbench.toolspec.spec import ToolSpec
from workbench.trajectory.row import RowEntry, RowFinding
from workbench.trajectory.validate.codes import quoted, row_finding
from workbench.trajectory.validate.parsed_row import LOST, ParsedCall, ParsedEntry, ParsedRow

_CACHE_KEY: Final = "_closed"
_OPENING: Final = frozenset(
    {
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
        "if",
    }
)
"""Keywords that say more of other properties."""
_FILLED: Final = frozenset({"schema-type", "schema-enum", "schema-const", "schema-unknown-argument"})
"""What a null breaks that Arrow put there."""


def argument_findings(spec: ToolSpec, arguments: JsonObject, entry: RowEntry) -> Iterator[RowFinding]:
    """`schema-…`, each with the pointer into the arguments, and `none-filled`.

    A null where the tool wants none and the schema does not require anything is what Arrow writes where
    other rows have a value: one warning, instead of an error for each.
    """
    spec = close_spec(spec)
    if is_surely_valid(spec, arguments):
        return
    filled: dict[str, None] = {}
    for finding in check_arguments(spec, arguments):
        if _is_filled(finding, spec, arguments):
            filled[finding.pointer or ""] = None
        elif finding.severity is Severity.ERROR:
            yield _placed(finding, spec, entry)
    if filled:
        names = ", ".join(pointer.rpartition("/")[2] for pointer in islice(filled, 3))
        message = f"null for {names} of {quoted(spec.name)}, as Arrow fills in; leave them out"[:99]
        yield row_finding("none-filled", message, entry=entry, pointer=next(iter(filled)))


def without_filled_nulls(spec: ToolSpec, arguments: JsonObject) -> JsonObject:
    """The arguments without the nulls that `none-filled` tells of, at every depth."""
    spec = close_spec(spec)
    for finding in check_arguments(spec, arguments):
        if _is_filled(finding, spec, arguments):
            arguments = cast(JsonObject, _without(arguments, _parts(finding.pointer or "")))
    return arguments


def close_spec(spec: ToolSpec) -> ToolSpec:
    """The spec for which an object has only the properties that are listed, unless it says more of others.

    A trainer must not learn arguments that the tool never named; JSON Schema alone would let them pass.
    """
    cache = cast("dict[str, object]", spec.__dict__)
    if _CACHE_KEY not in cache:
        parameters = _closed(spec.parameters)
        cache[_CACHE_KEY] = ToolSpec.of_function({**spec.function, "parameters": parameters})
    return cast(ToolSpec, cache[_CACHE_KEY])


def _closed(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    given = cast(JsonObject, schema)
    properties, items = given.get("properties"), given.get("items")
    if not (isinstance(properties, dict) or isinstance(items, dict)):
        return given
    result = dict(given)
    if isinstance(properties, dict):
        named = cast(JsonObject, properties)
        result["properties"] = {name: _closed(inside) for name, inside in named.items()}
        if named and _OPENING.isdisjoint(given):
            result["additionalProperties"] = False
    if isinstance(items, dict):
        result["items"] = _closed(items)
    return result


def _is_filled(finding: Finding, spec: ToolSpec, arguments: JsonObject) -> bool:
    parts = _parts(finding.pointer or "")
    if finding.code not in _FILLED or not parts or _at(arguments, parts) is not None:
        return False
    return parts[-1] not in _required(spec.parameters, parts[:-1])


def _required(schema: JsonValue, parts: list[str]) -> frozenset[str]:
    """The names that the schema requires of the object at `parts`."""
    for part in parts:
        properties = as_object(as_object(schema).get("properties"))
        schema = properties.get(part, as_object(schema).get("items"))
    names = as_object(schema).get("required")
    return frozenset(map(str, names)) if isinstance(names, list) else frozenset()


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _at(value: JsonValue, parts: list[str]) -> JsonValue:
    for part in parts:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return ""
    return value


def _without(value: JsonValue, parts: list[str]) -> JsonValue:
    if isinstance(value, Mapping):
        if len(parts) == 1:
            return {key: inside for key, inside in value.items() if key != parts[0]}
        return {
            key: _without(inside, parts[1:]) if key == parts[0] else inside for key, inside in value.items()
        }
    if isinstance(value, list) and len(parts) > 1:
        return [
            _without(inside, parts[1:]) if str(place) == parts[0] else inside
            for place, inside in enumerate(value)
        ]
    return value


def _placed(finding: Finding, spec: ToolSpec, entry: RowEntry) -> RowFinding:
    told = row_finding(finding.code, f"{quoted(spec.name)}: {finding.message}"[:99], entry=entry)
    return replace(told, pointer=finding.pointer or "")


_MARKED: Final = frozenset({"text-after-stop", "model-wrote-tool-response"})
"""Fixes of what is a mark in the wrong place, which `control-mark` tells."""
_DOUBTFUL: Final = frozenset(
    {"duplicate-key", "duplicate-parameter", "ambiguous-escape", "ambiguous-parameter"}
)
"""Findings of the reader about a call that others may read otherwise."""
_REMEDIES: Final = {
    "call-not-strict": "only a tolerant reader reads it ({codes}); write what it reads",
    "call-unreadable": "no reader gets a call from this ({codes}); correct it by hand",
    "call-truncated": "the text ends inside a call; finish it, or leave the row out",
}


def call_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """All that is wrong with calls, entry by entry."""
    for one in parsed.entries:
        if one.entry.role is Role.USER:
            yield from _misplaced(one)
        if one.reading and (one.reading.fixes or one.reading.findings):
            yield from _of_reading(one, one.reading)
        for call in one.calls:
            yield from _of_call(call, one, parsed)


def _of_reading(one: ParsedEntry, reading: Reading) -> Iterator[RowFinding]:
    """One finding a block: `call-not-strict`, `call-unreadable` or `call-truncated`."""
    told: dict[tuple[int, str], list[str]] = {}
    for code, span in _records(reading):
        verdict = _verdict(code)
        if verdict:
            told.setdefault((_block(reading, span), verdict), []).append(code)
    for (_, verdict), codes in told.items():
        message = _REMEDIES[verdict].format(codes=", ".join(sorted(set(codes))))
        yield row_finding(verdict, message, entry=one.entry, pointer=one.entry.text_pointer)


def _records(reading: Reading) -> Iterator[tuple[str, Span]]:
    for fix in reading.fixes:
        if fix.code not in _MARKED:
            yield fix.code, fix.span
    for finding in reading.findings:
        if finding.span:
            yield finding.code, finding.span


def _verdict(code: str) -> str:
    """What a code of the reader means for a row; empty where another rule tells it, or nothing is wrong."""
    if code in LOST:
        return "call-unreadable"
    if code == "truncated":
        return "call-truncated"
    is_repair = code in _DOUBTFUL or (code in BY_WORD and BY_WORD[code].kind is CodeKind.FIX)
    return "call-not-strict" if is_repair else ""


def _block(reading: Reading, span: Span) -> int:
    """Where the segment begins in which a record stands."""
    for segment in reading.segments:
        if segment.span.start <= span.start < segment.span.end:
            return segment.span.start
    return span.start


def _of_call(call: ParsedCall, one: ParsedEntry, parsed: ParsedRow) -> Iterator[RowFinding]:
    if call.repairs:
        message = _REMEDIES["call-not-strict"].format(codes=", ".join(call.repairs))
        where = call.given.arguments_pointer if call.given else call.pointer
        yield row_finding("call-not-strict", message, entry=one.entry, pointer=where)
    spec = parsed.tools.by_name.get(call.name)
    if spec is None:
        if call.name and not _are_tools_lost(parsed):
            yield row_finding(
                "undeclared-tool", _undeclared(call.name, parsed), entry=one.entry, pointer=call.pointer
            )
    elif call.arguments is not None:
        yield from argument_findings(spec, call.arguments, one.entry)


def _are_tools_lost(parsed: ParsedRow) -> bool:
    """Whether the row declares tools that nobody can read, and no others: that is told, and explains it."""
    return not parsed.tools.specs and any(one.code == "tools-unreadable" for one in parsed.row.findings)


def _undeclared(name: str, parsed: ParsedRow) -> str:
    if not parsed.tools.names:
        return f"{quoted(name)} is called, but the row declares no tools"
    near = get_close_matches(name[:64], [known[:64] for known in parsed.tools.names[:500]], n=1)
    hint = f"; did you mean {quoted(near[0])}?" if near else ""
    return f"the row declares no tool {quoted(name)}{hint}"


def _misplaced(one: ParsedEntry) -> Iterator[RowFinding]:
    text = one.entry.text
    if "<" in text and CALL_TAG.search(text):
        reading = parse(text)
        if reading.calls or reading.dropped:
            message = "a call in a user's entry; only the model calls"
            yield row_finding("call-in-user", message, entry=one.entry, pointer=one.entry.text_pointer)
