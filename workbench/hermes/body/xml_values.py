"""Values of `<parameter=…>`, typed by the tool's schema."""

import json
import re
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.hermes.json_text.reader import read_payload, read_value
from workbench.hermes.text.notes import Notes
from workbench.hermes.text.source import Node, Source, Unreadable
from workbench.toolspec.coerce import fits

_CLEAN: Final = frozenset({"python-literal", "python-constant"})
"""Templates write both spellings, so neither is a departure in an XML value."""
_LENIENT: Final = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_TOLD: Final = ("non-finite-number", "lone-surrogate")
_JSON_SPACE: Final = " \t\r\n"
_MOST_DIGITS: Final = 4300


def typed_value(notes: Notes, start: int, end: int, allowed: frozenset[str]) -> JsonValue:
    """The value whose text is `[start, end)`: text, or what its schema makes of it.

    What does not fit stays text, and the schema check tells it.

    Args:
        notes: Where departures are noted, and the text.
        start: Behind the newline after the open tag.
        end: Before the newline before the close tag.
        allowed: The types that the schema allows.
    """
    written = notes.text[start:end]
    if "string" in allowed or not allowed:
        return written
    bare = written.strip(_JSON_SPACE)
    number = _lenient_number(bare, allowed)
    if number is not None:
        inner = start + len(written) - len(written.lstrip(_JSON_SPACE))
        notes.edit("lenient-number", inner, inner + len(bare), json.dumps(number))
        return number
    scratch = Notes(written)
    node = _read(scratch)
    for code in _TOLD:
        if scratch.has_told((code,)):
            notes.tell(code, start, end)
    if node is None or not scratch.fix_codes <= _CLEAN or scratch.has_told((*_TOLD, "leading-zero")):
        return written
    if scratch.has_told(("duplicate-key",)):
        notes.tell("duplicate-key", start, end)
    return _fitting(notes, node.value, (start, end), allowed)


def _fitting(notes: Notes, value: JsonValue, place: tuple[int, int], allowed: frozenset[str]) -> JsonValue:
    start, end = place
    if fits(value, allowed):
        return value
    if isinstance(value, str):
        decoded = Notes(value)
        node = _read(decoded)
        if node is not None and fits(node.value, allowed) and not decoded.has_told((*_TOLD, "leading-zero")):
            after = json.dumps(node.value, ensure_ascii=False)
            notes.absorb(decoded, start, end)
            notes.rewrite("double-encoded-value", start, end, after)
            return node.value
    return notes.text[start:end]


def _read(scratch: Notes) -> Node | None:
    """The one value that the text of `scratch` is; None where it is none or more than one."""
    source = Source(scratch.text, len(scratch.text), scratch)
    try:
        position = source.skip(0)
        is_alone = scratch.text[position : position + 1] in ('"', "'")
        node = read_payload(source, position) if is_alone else _read_inside(source, position)
        return node if source.skip(node.end) == source.end else None
    except Unreadable:
        return None


def _read_inside(source: Source, position: int) -> Node:
    # A tuple may stand alone here, as Python writes it; the body of a call may not be one.
    return read_value(source, position, "(" if source.text.startswith("(", position) else "")


def _lenient_number(written: str, allowed: frozenset[str]) -> int | float | None:
    if not allowed & {"integer", "number"} or len(written) > _MOST_DIGITS or not _LENIENT.fullmatch(written):
        return None
    is_whole = not re.search(r"[.eE]", written)
    value = int(written) if is_whole else float(written)
    if value in (float("inf"), float("-inf")):
        return None
    if isinstance(value, float) and "number" not in allowed:
        return int(value) if value.is_integer() else None
    return None if _is_standard(written) else value


def _is_standard(written: str) -> bool:
    return re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", written) is not None
