"""What a schema says of other tools: a model that reads of a tool which is not there calls it."""

import re
from collections.abc import Mapping
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.spec import ToolSpec

_SENTENCE: Final = re.compile(r"(?<=[.!?])[ \t]+|(?<=\n)")
_WORD: Final = re.compile(r"`([^`\n]{1,64})`|([A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]+)")
"""A name in backticks, or a word with an underscore: `search` alone may be a plain verb."""


def patch_mentions(spec: ToolSpec, *, absent: frozenset[str]) -> ToolSpec:
    """`spec` without the sentences of its descriptions, and the choices of its enums, that name an absent tool.

    Args:
        spec: The spec of a tool that is offered.
        absent: Names of tools that are known and not offered.
    """
    if not absent:
        return spec
    patched = cast(JsonObject, _patched(spec.function, absent - {spec.name}))
    return spec if patched == spec.function else ToolSpec.of_function(patched)


def _patched(value: JsonValue, absent: frozenset[str]) -> JsonValue:
    if isinstance(value, list | tuple):
        return [_patched(item, absent) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {key: _member(key, inner, absent) for key, inner in value.items()}


def _member(key: str, value: JsonValue, absent: frozenset[str]) -> JsonValue:
    if key == "description" and isinstance(value, str):
        return _without_sentences(value, absent)
    if key == "enum" and isinstance(value, list):
        kept = [choice for choice in value if not isinstance(choice, str) or choice not in absent]
        return kept or value
    return _patched(value, absent)


def _without_sentences(text: str, absent: frozenset[str]) -> str:
    sentences = _SENTENCE.split(text)
    kept = [sentence for sentence in sentences if not _names(sentence) & absent]
    return text if len(kept) == len(sentences) else " ".join(part.strip() for part in kept if part.strip())


def _names(sentence: str) -> frozenset[str]:
    return frozenset(match.group(1) or match.group(2) for match in _WORD.finditer(sentence))
