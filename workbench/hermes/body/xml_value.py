"""Read the text of an XML value as the value that the parameter's schema expects.

The form writes a string without quotes, so `5` is the number 5 or the string "5". The schema decides. If both are
valid, the reading that is not a string wins, because the families write it in exactly this way. The table in
`docs/explanation/how-the-reader-works.md` compares this with vLLM, SGLang and llama.cpp.
"""

import json
import re
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.hermes.json_text.reader import read_payload, read_value
from workbench.hermes.text.completion import BodyText, JsonNode, UnreadableBody
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.argument_types import ArgumentTypes
from workbench.toolspec.coerce import fits

_CLEAN: Final = frozenset({"python-literal", "python-constant"})
"""Templates write values in JSON and in Python syntax, so neither is a deviation in an XML value."""
_LENIENT: Final = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_CONSTANTS: Final[dict[str, JsonValue]] = {"true": True, "false": False, "null": None, "none": None}
_WRITTEN_CONSTANTS: Final = frozenset({"true", "True", "false", "False", "null", "None"})
"""As JSON and Python write them, so that they need no fix."""
_REPORTED: Final = ("non-finite-number", "lone-surrogate")
_JSON_SPACE: Final = " \t\r\n"
_MAX_DIGITS: Final = 4300
_MAY_BE_OTHER: Final = re.compile(r"[ \t\r\n]*+[{\[]|-?[0-9]|(?:true|True|false|False|null|None)\Z")
"""The start of a text that may be a value other than a string."""
_MAY_BE_FIXED: Final = re.compile(rf"{_LENIENT.pattern}|(?i:true|false|null|none)|\".*\"", re.DOTALL)
"""A text that may become another value by a fix, if the schema does not allow the text."""


def typed_value(notes: BlockNotes, start: int, end: int, types: ArgumentTypes | None) -> JsonValue:
    """Return the value of a parameter: of all readings of its text, the one that the schema allows.

    A value that does not fit the schema stays text, and the schema check reports it.

    Args:
        notes: Holds the text, and takes fixes and findings.
        start: Start of the value, after the newline that follows the opening tag.
        end: End of the value, before the newline that precedes the closing tag.
        types: What the schema allows. None without a schema, in which case the value is its text.
    """
    written = notes.text[start:end]
    if types is None or not types.allowed:
        return written
    if "string" not in types.allowed:
        return _other_value(notes, (start, end), types.allowed)
    node = _alternative(written, types.allowed) if len(types.allowed) > 1 else None
    if node is not None:
        return _decided(notes, (start, end), node, types)
    if _MAY_BE_FIXED.fullmatch(written) and not types.accepts(written):
        return _fixed(notes, (start, end), types)
    return written


def _alternative(written: str, allowed: frozenset[str]) -> JsonNode | None:
    """Return the value other than a string that `written` may be without a fix, or None.

    Only what a family may have written counts. `007`, `+1` and `(1, 2)` are texts if the schema allows texts.
    """
    if not _MAY_BE_OTHER.match(written):
        return None
    scratch = BlockNotes(written)
    node = _read(scratch)
    is_clean = scratch.fix_codes <= _CLEAN and not scratch.has_reported((*_REPORTED, "leading-zero"))
    if node is None or not is_clean or not fits(node.value, allowed):
        return None
    if isinstance(node.value, float) and "number" not in allowed:
        return None  # `2.0` is not how an integer is written, but it may be a version
    return None if scratch.has_reported(("duplicate-key",)) else node


def _decided(notes: BlockNotes, place: tuple[int, int], node: JsonNode, types: ArgumentTypes) -> JsonValue:
    """Return the text, or the value that it may be as well. If the schema allows both, report it."""
    written, value = notes.text[place[0] : place[1]], node.value
    if not types.accepts(value):
        return written
    if not types.accepts(written):
        return value
    is_null = value is None
    wins = is_null or (_is_family_spelling(written, value) and not types.is_untyped)
    if not is_null or types.is_untyped:
        kind = "null" if is_null else "a number" if fits(value, frozenset({"number"})) else "JSON"
        kind = "a boolean" if isinstance(value, bool) else kind
        read_as = kind if wins else "a string"
        message = f"{written[:20]!r} may be a string or {kind}; it was read as {read_as}"
        notes.report("ambiguous-value", *place, message)
    return value if wins else written


def _is_family_spelling(written: str, value: JsonValue) -> bool:
    """Return whether a family writes a number in this way. `3.10` is rather a version than the number 3.1."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return not is_number or json.dumps(value) == written


def _fixed(notes: BlockNotes, place: tuple[int, int], types: ArgumentTypes) -> JsonValue:
    """Return a value that the schema allows and that needs a fix, because the schema does not allow the text."""
    written = notes.text[place[0] : place[1]]
    scratch = BlockNotes(notes.text)
    value = _other_value(scratch, place, types.allowed)
    if not scratch.fix_codes and (node := _read(BlockNotes(written))) and isinstance(node.value, str):
        value = node.value
        scratch.rewrite("double-encoded-value", *place, value)
    if not scratch.fix_codes or not types.accepts(value):
        return written
    notes.extend(scratch)
    return value


def _other_value(notes: BlockNotes, place: tuple[int, int], allowed: frozenset[str]) -> JsonValue:
    """Return the value of a text that cannot be a string, or the text itself if it cannot be read."""
    start, end = place
    written = notes.text[start:end]
    bare = written.strip(_JSON_SPACE)
    inner = start + len(written) - len(written.lstrip(_JSON_SPACE))
    number = _lenient_number(bare, allowed)
    if number is not None:
        notes.edit("lenient-number", inner, inner + len(bare), json.dumps(number))
        return number
    constant = bare.lower()
    if constant in _CONSTANTS and bare not in _WRITTEN_CONSTANTS and fits(_CONSTANTS[constant], allowed):
        notes.edit("constant-case", inner, inner + len(bare), json.dumps(_CONSTANTS[constant]))
        return _CONSTANTS[constant]
    scratch = BlockNotes(written)
    node = _read(scratch)
    for code in _REPORTED:
        if scratch.has_reported((code,)):
            notes.report(code, start, end)
    if node is None or not scratch.fix_codes <= _CLEAN or scratch.has_reported((*_REPORTED, "leading-zero")):
        return written
    if scratch.has_reported(("duplicate-key",)):
        notes.report("duplicate-key", start, end)
    return _fitting(notes, node.value, place, allowed)


def _fitting(
    notes: BlockNotes, value: JsonValue, place: tuple[int, int], allowed: frozenset[str]
) -> JsonValue:
    start, end = place
    if fits(value, allowed):
        return value
    if isinstance(value, str):
        decoded = BlockNotes(value)
        node = _read(decoded)
        if (
            node is not None
            and fits(node.value, allowed)
            and not decoded.has_reported((*_REPORTED, "leading-zero"))
        ):
            after = json.dumps(node.value, ensure_ascii=False)
            notes.absorb(decoded, start, end)
            notes.rewrite("double-encoded-value", start, end, after)
            return node.value
    return notes.text[start:end]


def _read(scratch: BlockNotes) -> JsonNode | None:
    """Parse the text of `scratch` as one JSON or Python value. Return None if it is not exactly one value."""
    source = BodyText(scratch.text, len(scratch.text), scratch)
    try:
        position = source.skip(0)
        is_alone = scratch.text[position : position + 1] in ('"', "'")
        node = read_payload(source, position) if is_alone else _read_inside(source, position)
        return node if source.skip(node.end) == source.end else None
    except UnreadableBody:
        return None


def _read_inside(source: BodyText, position: int) -> JsonNode:
    # A value may be a Python tuple; the body of a call may not.
    return read_value(source, position, "(" if source.text.startswith("(", position) else "")


def _lenient_number(written: str, allowed: frozenset[str]) -> int | float | None:
    if not allowed & {"integer", "number"} or len(written) > _MAX_DIGITS or not _LENIENT.fullmatch(written):
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
