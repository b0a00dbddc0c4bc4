"""Replicas of the parsers that three projects describe: the Stella guide, Hermes-FC and l3m-backend.

*Source:* the documents described in `docs/explanation/background.md`. The Stella guide shows the code of
`parse_hermes_tool_call`. The page "Teaching a model to call tools" (Hermes-FC) shows `parse_tool_calls`, but only names
its helper `_clean`, so the replica does what the comment next to it says. l3m-backend documents `engine/toolcall.py` as
of early 2026. Its search for any object in prose and its support for Mistral's form are left out.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.hermes.replicas.attempt import (
    OPEN,
    ReplicaCall,
    ReplicaReading,
    explain_refusal,
    load_json,
    tag_blocks,
    unique,
)
from workbench.toolspec.spec import OfferedTools

_VALUE_CLOSE: Final = "</parameter>"


class _Mark(NamedTuple):
    """An opening tag that contains a name."""

    name: str
    end: int


def read_as_stella_guide(text: str, tools: OfferedTools | None) -> ReplicaReading:
    r"""Read the first `<function=…>` of each closed block, with its parameters as stripped text.

    The guide's `<parameter=([^>]+)>\s*(.*?)\s*</parameter>` takes cubic time. Here each tag is searched once, with the
    same result. JSON bodies are not read at all, and all values are text.
    """
    calls: list[ReplicaCall] = []
    notes: list[str] = []
    for block in tag_blocks(text):
        function = _next_mark(block.body, "<function=", 0)
        if not block.is_closed:
            notes.append("a block without a closing tag is not a call")
        elif function is None:
            notes.append("a body without <function=…> is skipped; JSON is not read")
        else:
            if block.body.count("<function=") > 1:
                notes.append("only the first function of each block is read")
            arguments = _loose_arguments(block.body, function.name, tools, notes)
            calls.append(ReplicaCall(name=function.name, arguments=arguments))
    return ReplicaReading(calls=tuple(calls), notes=unique(notes))


def _loose_arguments(body: str, name: str, tools: OfferedTools | None, notes: list[str]) -> dict[str, str]:
    spec = tools.by_name.get(name) if tools else None
    arguments: dict[str, str] = {}
    mark = _next_mark(body, "<parameter=", 0)
    while mark is not None:
        key = mark.name
        close = body.find(_VALUE_CLOSE, mark.end)
        if close < 0:
            notes.append("a value without </parameter> is lost")
            break
        raw = body[mark.end : close]
        arguments[key] = raw.strip()
        if "<parameter=" in raw:
            notes.append("a value without </parameter> swallows the next parameter")
        if arguments[key] != _one_line_break_less(raw):
            notes.append("white space at both ends of a value is stripped, including indentation")
        if spec and spec.properties.get(key, {}).get("type", "string") != "string":
            notes.append("a value stays text, whatever the schema says")
        mark = _next_mark(body, "<parameter=", close + len(_VALUE_CLOSE))
    return arguments


def _next_mark(body: str, opening: str, position: int) -> _Mark | None:
    """Find `<opening([^>]+)>` from `position` on."""
    start = body.find(opening, position)
    while start >= 0:
        begin = start + len(opening)
        end = body.find(">", begin)
        if end < 0:
            return None
        if end > begin:
            return _Mark(body[begin:end], end + 1)
        start = body.find(opening, end)
    return None


def _one_line_break_less(raw: str) -> str:
    return raw.removeprefix("\r").removeprefix("\n").removesuffix("\n").removesuffix("\r")


_BEGIN: Final = re.compile(r"<tool_call>\s*(?=\{)")
_END: Final = re.compile(r"\}\s*</tool_call>")
_HERMES_FC_TRAILING_COMMA: Final = re.compile(r",(\s*[}\]])")


def read_as_hermes_fc(text: str, _: OfferedTools | None) -> ReplicaReading:
    r"""Decode what `<tool_call>\s*(\{.*?\})\s*</tool_call>` matches, and drop what cannot be decoded.

    The pattern itself takes quadratic time. Here both ends are found in one pass each, with the same result.
    Objects are returned unchecked, even without a name, and thoughts are not recognized.
    """
    calls: list[ReplicaCall] = []
    notes: list[str] = []
    bodies = _bodies(text)
    if len(bodies) < text.count(OPEN):
        notes.append("an opening tag without { after it, or without } and a closing tag, is not a call")
    for body in bodies:
        reason = explain_refusal(body)
        cleaned = _with_json_quotes(body) if reason else body
        if reason and explain_refusal(cleaned):
            notes.append(f"a body is dropped ({reason})")
            continue
        fields = as_object(load_json(cleaned))
        name = fields.get("name")
        if not isinstance(name, str) or "arguments" not in fields:
            notes.append("an object without `name` or `arguments` is returned as a call")
        calls.append(
            ReplicaCall(name=name if isinstance(name, str) else "", arguments=fields.get("arguments"))
        )
    return ReplicaReading(calls=tuple(calls), notes=unique(notes))


def _bodies(text: str) -> list[str]:
    ends = [(match.start(), match.end()) for match in _END.finditer(text)]
    bodies: list[str] = []
    position = 0
    for match in _BEGIN.finditer(text):
        if match.start() < position:
            continue
        index = bisect_left(ends, (match.end() + 1, 0))
        if index == len(ends):
            break
        bodies.append(text[match.end() : ends[index][0] + 1])
        position = ends[index][1]
    return bodies


def _with_json_quotes(body: str) -> str:
    return _HERMES_FC_TRAILING_COMMA.sub(r"\1", body.replace("'", '"'))


_OPEN: Final = re.compile("<tool_call>", re.IGNORECASE)
_CLOSE: Final = re.compile("</tool_call>", re.IGNORECASE)
_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null"}
_CONSTANT: Final = re.compile(r"\b(?:True|False|None)\b")
_TRAILING_COMMA: Final = re.compile(r",\s*([}\]])")
_BARE_KEY: Final = re.compile(r"([{,]\s*)(\w+)(\s*:)")
# The closing quotes are optional. A pattern that cannot fail is not retried from each later character.
_QUOTED: Final = re.compile(r""""[^"\\]*(?:\\.[^"\\]*)*"?|'(?P<inner>[^'\\]*(?:\\.[^'\\]*)*)'?""", re.DOTALL)
_PYTHON_CALL: Final = re.compile(r"\[\s*(\w+)\s*\(")
_PYTHON_ARGUMENT: Final = re.compile(
    r"""(\w+)\s*=\s*(?:'([^']*)'|"([^"]*)"|(\d+\.?\d*)|(True|False|None)|(\w+))"""
)
_TYPES: Final = ("", "tool_call", "function", "function_call", "tool_use", "tool")
_NAME_KEYS: Final = ("name", "function_name", "tool_name", "tool")
_ARGUMENT_KEYS: Final = ("arguments", "parameters", "params", "args", "input")


def read_as_l3m_backend(text: str, _: OfferedTools | None) -> ReplicaReading:
    """Read only the first block, after repairs that also change strings. Without a tag, read JSON or `[f(a=1)]`."""
    opened = _OPEN.search(text)
    if opened is None:
        return _untagged(text)
    closed = _CLOSE.search(text, opened.end())
    if closed is None:
        return ReplicaReading(notes=("a block without a closing tag is not a call",))
    body = text[opened.end() : closed.start()].strip()
    cleaned = _cleaned(body)
    reason = explain_refusal(cleaned)
    call = None if reason else _normalized(load_json(cleaned))
    notes: list[str] = []
    if call is None:
        notes.append(f"the block gives no call ({reason or 'not an object with a name and a known type'})")
    if not explain_refusal(body) and cleaned != body:
        notes.append("even valid JSON is repaired, which changes the content of strings")
    if _OPEN.search(text, closed.end()):
        notes.append("only the first block is read")
    return ReplicaReading(calls=(call,) if call else (), notes=unique(notes))


def _untagged(text: str) -> ReplicaReading:
    """Read a text without a tag. Anything that looks like a call counts as one."""
    pythonic = _pythonic(text)
    if pythonic is not None:
        return ReplicaReading(
            calls=(pythonic,), notes=("text in brackets that looks like a call counts as one",)
        )
    for candidate in _candidates(text):
        cleaned = _cleaned(candidate)
        call = None if explain_refusal(cleaned) else _normalized(load_json(cleaned))
        if call is not None:
            return ReplicaReading(calls=(call,), notes=("any JSON object with a name counts as a call",))
    return ReplicaReading()


def _candidates(text: str) -> Iterator[str]:
    yield text.strip()
    _, fence, rest = text.partition("```")
    if fence and "```" in rest:
        yield rest.partition("```")[0].removeprefix("json").strip()
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        yield text[start : end + 1]


def _pythonic(text: str) -> ReplicaCall | None:
    for match in _PYTHON_CALL.finditer(text):
        close = text.find(")", match.end())
        if close < 0:
            return None
        if text[close + 1 : close + 100].lstrip().startswith("]"):
            found = _PYTHON_ARGUMENT.finditer(text, match.end(), close)
            arguments = {argument[1]: _python_value(argument) for argument in found}
            return ReplicaCall(name=match[1], arguments=arguments)
    return None


def _python_value(match: re.Match[str]) -> JsonValue:
    _, single, double, number, constant, word = match.groups()
    if number is not None:
        return float(number) if "." in number else int(number[:18])
    if constant is not None:
        return {"True": True, "False": False, "None": None}[constant]
    return next(text for text in (single, double, word) if text is not None)


def _cleaned(text: str) -> str:
    text = _CONSTANT.sub(lambda match: _CONSTANTS[match[0]], html.unescape(text))
    if text.startswith("{'") or "': '" in text or "': {" in text:
        text = _QUOTED.sub(_double_quoted, text)
    return _BARE_KEY.sub(r'\1"\2"\3', _TRAILING_COMMA.sub(r"\1", text))


def _double_quoted(match: re.Match[str]) -> str:
    inner = cast(str | None, match["inner"])
    return match[0] if inner is None else '"' + inner.replace('"', '\\"') + '"'


def _normalized(value: JsonValue) -> ReplicaCall | None:
    if not isinstance(value, Mapping):
        return None
    fields = cast(JsonObject, value)
    candidates = (fields.get(key) for key in _NAME_KEYS)
    name = next((candidate for candidate in candidates if isinstance(candidate, str) and candidate), None)
    if name is None or fields.get("type", "") not in _TYPES:
        return None
    return ReplicaCall(name=name, arguments=_arguments(fields))


def _arguments(fields: JsonObject) -> JsonValue:
    for key in _ARGUMENT_KEYS:
        arguments = fields.get(key)
        if isinstance(arguments, Mapping):
            return arguments
        if isinstance(arguments, str):
            return {} if explain_refusal(arguments) else load_json(arguments)
    return {}
