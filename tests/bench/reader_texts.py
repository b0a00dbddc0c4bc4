"""Completions to measure with: clean ones of a size, one with a trailing comma, and all adversarial classes."""

import json
from collections.abc import Callable, Mapping


def long_string(size: int) -> str:
    """A payload whose one argument is a plain text."""
    return json.dumps({"name": "f", "arguments": {"q": "words and more words " * (size // 21)}})


def long_string_with_escapes(size: int) -> str:
    """A payload whose one argument is a text with quotes and line breaks."""
    return json.dumps({"name": "f", "arguments": {"q": 'line one\n"two" ' * (size // 18)}})


def many_values(size: int) -> str:
    """A payload of many small values."""
    return json.dumps({"name": "f", "arguments": {f"key{index}": index for index in range(size // 18 or 1)}})


SHAPES: Mapping[str, Callable[[int], str]] = {
    "long string": long_string,
    "string with escapes": long_string_with_escapes,
    "many values": many_values,
}


def completion(payload: str) -> str:
    """The call block of a payload."""
    return f"<tool_call>\n{payload}\n</tool_call>"


def with_trailing_comma(payload: str) -> str:
    """The payload with one comma behind the last argument."""
    return payload.removesuffix("}}") + ",}}"


def _inside(payload: str) -> str:
    return completion('{"name": "f", "arguments": ' + payload + "}")


def _repeated(piece: str, head: str = "") -> Callable[[int], str]:
    return lambda size: head + piece * (size // len(piece))


ADVERSARIAL: Mapping[str, Callable[[int], str]] = {
    "<tool_call>{": _repeated("<tool_call>{"),
    "<tool_call>": _repeated("<tool_call>"),
    "<tool_call> and line breaks": _repeated("\n", "<tool_call>"),
    "<parameter=a> and blanks": _repeated(" ", "<tool_call><function=f><parameter=a>"),
    "<parameter=a> blank": _repeated("<parameter=a> ", "<tool_call><function=f>"),
    "<parameter=a>x": _repeated("<parameter=a>x", "<tool_call><function=f>"),
    "{ inside a call": lambda size: completion("{" * size),
    "[ inside a call": lambda size: completion("[" * size),
    "one long string": lambda size: completion(long_string(size)),
    "valid calls": _repeated(completion('{"name": "f", "arguments": {"a": 1}}') + "\n"),
    "backslashes": lambda size: _inside('{"q": "' + "\\" * size + '"}'),
    "fences": _repeated("```json\n"),
    "a fence and line breaks": _repeated("\n", "```json"),
    "a long integer": lambda size: _inside('{"q": ' + "1" * size + "}"),
    "duplicate keys": lambda size: _inside("{" + ", ".join(['"a": 1'] * (size // 8)) + "}"),
    "<think>": _repeated("<think>"),
    "unbalanced quotes": lambda size: _inside('{"q": ' + '"x' * (size // 2) + "}"),
    "bad blocks": _repeated("<tool_call>\n{bad}\n</tool_call>\n"),
    "replaced bytes": lambda size: (bytes(range(256)) * (size // 256)).decode(errors="replace"),
}
"""Texts of about a size by the name of their class."""
DENSEST = frozenset({"<tool_call>{", "duplicate keys"})
"""Classes that may take twice as long."""
