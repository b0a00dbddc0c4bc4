"""Compare the contents of versions: what reaches a model, and what differs between two versions."""

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, cast

import yaml

from workbench.chat.json_value import JsonObject, JsonValue, load_json
from workbench.chat.sequence_match import unified_diff
from workbench.contract.contract import FENCE, parse_contract
from workbench.errors import BadInput
from workbench.records.versions import VersionKind, hash_of
from workbench.toolspec.spec import OfferedTools, ToolSpec, canonical_json
from workbench.toolspec.yaml_text import dump_yaml, load_yaml


def fingerprint_of(kind: VersionKind, text: str, *, name: str) -> str:
    """Return a SHA-256 hash (hex) of the part of a text that reaches a model.

    For a contract, this is the family, the variables and the text. For tools, it is the specs in order, without
    mock rules. For other kinds, it is the canonical JSON. If the text cannot be read, it is the text itself.
    """
    try:
        if kind is VersionKind.CONTRACT:
            return parse_contract(text, name=name).fingerprint
        value = load_value(text)
    except BadInput:
        return hash_of(text)
    specs = _specs(value) if kind is VersionKind.TOOLS else None
    if specs is not None:
        return OfferedTools(specs=tuple(specs)).fingerprint
    return sha256(canonical_json(value).encode()).hexdigest()


def load_value(text: str) -> JsonValue:
    """Parse a text in JSON or YAML.

    Raises:
        BadInput: The text is neither, or contains a value that JSON cannot represent.
    """
    try:
        value = _loaded(text)
        json.dumps(value, allow_nan=False)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise BadInput("version", f"neither JSON nor YAML: {' '.join(str(error).split())[:80]}") from error
    return value


def diff_contents(kind: VersionKind, before: str, after: str, labels: tuple[str, str]) -> str:
    """Return a unified diff of two texts. Empty if nothing relevant changed.

    Contracts are compared line by line. Other kinds are compared as JSON with sorted keys and one value per line,
    so that formatting and the order of keys do not matter. If one of them cannot be parsed, the texts are
    compared.
    """
    return diff_texts(*comparable_texts(kind, before, after), labels)


def comparable_texts(kind: VersionKind, before: str, after: str) -> tuple[str, str]:
    """Return the texts of which a diff shows what changed: see `diff_contents`."""
    if kind is VersionKind.CONTRACT:
        return before, after
    try:
        return _sorted_json(load_value(before)), _sorted_json(load_value(after))
    except BadInput:
        return before, after


_OWN_NAMES: Final = {VersionKind.CONTRACT: "name", VersionKind.SUITE: "suite", VersionKind.TOOLS: "toolset"}
"""The key with which a text names itself."""


def with_name(kind: VersionKind, text: str, name: str) -> str:
    """Return the text with another name, if it names itself.

    >>> with_name(VersionKind.SUITE, "suite: old\\ncases: []", "new")
    'suite: new\\ncases: []'
    """
    key = _OWN_NAMES.get(kind)
    if key is None:
        return text
    front, end, body = text, "", ""
    if kind is VersionKind.CONTRACT:
        # A contract names itself in its front matter only, which a line of dashes begins and ends.
        front, end, body = text.partition(f"\n{FENCE}") if text.startswith(FENCE) else ("", "", text)
    own_line = re.compile(rf"^{key}:[ \t]*\S[^\r\n]*", re.MULTILINE)
    new_line = dump_yaml({key: name}).rstrip("\n")
    return own_line.sub(lambda _: new_line, front, count=1) + end + body


def diff_texts(before: str, after: str, labels: tuple[str, str]) -> str:
    """Return a unified diff of two texts that `patch` accepts."""
    lines = unified_diff(_lines(before), _lines(after), labels)
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines
    )


def _loaded(text: str) -> JsonValue:
    try:
        return load_json(text)
    except json.JSONDecodeError:
        return cast(JsonValue, load_yaml(text))


def _lines(text: str) -> list[str]:
    """Split a text at line feeds only. Other line separators are part of the text."""
    return [line + "\n" for line in text.split("\n")[:-1]] + (
        [last] if (last := text.rpartition("\n")[2]) else []
    )


def _sorted_json(value: JsonValue) -> str:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _specs(value: JsonValue) -> Sequence[ToolSpec] | None:
    """Return the specs of a JSON array of tools or of a catalog file. None if the value is neither."""
    entries = value.get("tools") if isinstance(value, Mapping) else value
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        return None
    return [_spec(entry) for entry in cast(list[JsonObject], entries)]


def _spec(entry: JsonObject) -> ToolSpec:
    function = entry.get("function")
    if not isinstance(function, Mapping):
        return ToolSpec.of_function(entry)
    # A spec has the key `type`. An entry of a catalog file has `mocks` instead.
    return ToolSpec(document=entry) if "type" in entry else ToolSpec.of_function(cast(JsonObject, function))
