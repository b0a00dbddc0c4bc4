"""A replica of the handler that "Hermes Tool Calling Format" describes: `FormatParser`, `JsonCleaner` (seed 000).

*Source:* that page, and l3m-backend's `engine/toolcall.py` of early 2026, which it documents. Left out: its
search for any object amid prose, and Mistral's form.
"""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.replicas.attempt import Attempt, TakenCall, load_json, refusal, unique
from workbench.toolspec.spec import OfferedTools

_OPEN: Final = re.compile("<tool_call>", re.IGNORECASE)
_CLOSE: Final = re.compile("</tool_call>", re.IGNORECASE)
_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null"}
_CONSTANT: Final = re.compile(r"\b(?:True|False|None)\b")
_TRAILING_COMMA: Final = re.compile(r",\s*([}\]])")
_BARE_KEY: Final = re.compile(r"([{,]\s*)(\w+)(\s*:)")
# Close quotes may be missing: a pattern that cannot fail is never tried again further on.
_QUOTED: Final = re.compile(r""""[^"\\]*(?:\\.[^"\\]*)*"?|'(?P<inner>[^'\\]*(?:\\.[^'\\]*)*)'?""", re.DOTALL)
_PYTHON_CALL: Final = re.compile(r"\[\s*(\w+)\s*\(")
_PYTHON_ARGUMENT: Final = re.compile(
    r"""(\w+)\s*=\s*(?:'([^']*)'|"([^"]*)"|(\d+\.?\d*)|(True|False|None)|(\w+))"""
)
_TYPES: Final = ("", "tool_call", "function", "function_call", "tool_use", "tool")
_NAME_KEYS: Final = ("name", "function_name", "tool_name", "tool")
_ARGUMENT_KEYS: Final = ("arguments", "parameters", "params", "args", "input")


def read_as_seed_000(text: str, _: OfferedTools | None) -> Attempt:
    """The first block only, after a cleaning that does not know strings; without a tag, JSON or `[f(a=1)]`."""
    opened = _OPEN.search(text)
    if opened is None:
        return _untagged(text)
    closed = _CLOSE.search(text, opened.end())
    if closed is None:
        return Attempt(notes=("a block without its close tag is no call",))
    body = text[opened.end() : closed.start()].strip()
    cleaned = _cleaned(body)
    reason = refusal(cleaned)
    call = None if reason else _normalized(load_json(cleaned))
    notes: list[str] = []
    if call is None:
        notes.append(f"its block gives no call ({reason or 'no object with a name and a type it knows'})")
    if not refusal(body) and cleaned != body:
        notes.append("valid JSON is cleaned too, and the cleaning changes the inside of strings")
    if _OPEN.search(text, closed.end()):
        notes.append("only the first block is read")
    return Attempt(calls=(call,) if call else (), notes=unique(notes))


def _untagged(text: str) -> Attempt:
    """A call that has no tag: what looks like one is taken for one."""
    pythonic = _pythonic(text)
    if pythonic is not None:
        return Attempt(calls=(pythonic,), notes=("text in brackets that looks like a call is taken for one",))
    for candidate in _candidates(text):
        cleaned = _cleaned(candidate)
        call = None if refusal(cleaned) else _normalized(load_json(cleaned))
        if call is not None:
            return Attempt(calls=(call,), notes=("any JSON object with a name is taken for a call",))
    return Attempt()


def _candidates(text: str) -> Iterator[str]:
    yield text.strip()
    _, fence, rest = text.partition("```")
    if fence and "```" in rest:
        yield rest.partition("```")[0].removeprefix("json").strip()
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        yield text[start : end + 1]


def _pythonic(text: str) -> TakenCall | None:
    for match in _PYTHON_CALL.finditer(text):
        close = text.find(")", match.end())
        if close < 0:
            return None
        if text[close + 1 : close + 100].lstrip().startswith("]"):
            found = _PYTHON_ARGUMENT.finditer(text, match.end(), close)
            return TakenCall(name=match[1], arguments={one[1]: _python_value(one) for one in found})
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


def _normalized(value: JsonValue) -> TakenCall | None:
    if not isinstance(value, Mapping):
        return None
    fields = cast(JsonObject, value)
    names = (fields.get(key) for key in _NAME_KEYS)
    name = next((one for one in names if isinstance(one, str) and one), None)
    if name is None or fields.get("type", "") not in _TYPES:
        return None
    return TakenCall(name=name, arguments=_arguments(fields))


def _arguments(fields: JsonObject) -> JsonValue:
    for key in _ARGUMENT_KEYS:
        given = fields.get(key)
        if isinstance(given, Mapping):
            return given
        if isinstance(given, str):
            return {} if refusal(given) else load_json(given)
    return {}
