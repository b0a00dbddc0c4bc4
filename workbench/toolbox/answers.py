"""Turn a handler's return value or error into the text that a model sees."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolResult
from workbench.toolspec.check import check_arguments, pointer
from workbench.toolspec.coerce import Coercion, coerced, coercions, types_allowed
from workbench.toolspec.spec import ToolSpec

MAX_RESULT_CHARS: Final = 100_000
"""The longest result that a model is given, unless the tool says otherwise."""
_CUT_FRAME_CHARS: Final = 64
"""Room for what stands around the beginning of a result that was cut."""


def result_text(value: JsonValue) -> str:
    """A result as the model sees it: JSON, letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def error_result(message: str) -> ToolResult:
    """A failure as the model sees it."""
    return ToolResult(text=result_text({"error": message}), is_error=True)


def result_of(value: object, *, max_chars: int = MAX_RESULT_CHARS) -> ToolResult:
    """The result of what a handler gave.

    Text that is JSON stays byte for byte; other text becomes a JSON string. A longer one than `max_chars`
    is given by its beginning, in an object that says so. An object with an `error` counts as a failure.

    Raises:
        TypeError: It is nothing that JSON can say.
        ValueError: It holds itself, or a number that JSON lacks.
    """
    if isinstance(value, str):
        return _of_text(value, max_chars)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if len(text) > max_chars:
        return _cut(text, max_chars)
    return ToolResult(text=text, is_error=_has_error(cast(JsonValue, value)))


def _of_text(text: str, max_chars: int) -> ToolResult:
    if len(text) > max_chars:
        return _cut(text, max_chars)
    try:
        value = cast(JsonValue, json.loads(text, parse_constant=_refuse))
        text.encode()
    except (ValueError, RecursionError):
        quoted = json.dumps(text.encode(errors="replace").decode(), ensure_ascii=False)
        return ToolResult(text=quoted) if len(quoted) <= max_chars else _cut(text, max_chars)
    return ToolResult(text=text, is_error=_has_error(value))


def _cut(text: str, max_chars: int) -> ToolResult:
    """The beginning, shortened until its JSON fits: escapes may double its length."""
    beginning = text[:max_chars].encode(errors="replace").decode()
    while True:
        value = {"truncated": True, "size_chars": len(text), "beginning": beginning}
        cut = json.dumps(value, ensure_ascii=False)
        if len(cut) <= max_chars or not beginning:
            return ToolResult(text=cut)
        fits = len(beginning) * max(0, max_chars - _CUT_FRAME_CHARS) // len(cut)
        beginning = beginning[: min(fits, len(beginning) - 1)]


def _has_error(value: JsonValue) -> bool:
    return isinstance(value, Mapping) and bool(value.get("error"))


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


class FittedArguments(NamedTuple):
    """Arguments as a handler gets them."""

    arguments: JsonObject
    """With every change made."""
    told: tuple[Finding, ...]
    """A note for each change, by its pointer."""
    broken: tuple[Finding, ...]
    """Where they break the schema all the same."""


def fit_arguments(spec: ToolSpec, arguments: JsonObject) -> FittedArguments:
    """`arguments` with strings read as what the schema wants, and single values put into wanted arrays.

    A string is read where its text is the JSON of an allowed type (`"42"`, `"[1]"`, `"null"`), or a truth
    value in any case of letters. Where the schema allows a string, nothing is touched.
    *Source:* hermes-agent runtime, argument coercion.
    """
    found = [*coercions(spec.parameters, arguments), *_truth_values(spec, arguments)]
    fitted = coerced(arguments, found)
    wrapped = [name for name in fitted if _wants_array(spec, name, fitted[name])]
    fitted = {name: [value] if name in wrapped else value for name, value in fitted.items()}
    told = (
        *(_note(one.path, f"{one.before[:30]!r} is read as {one.after!r}"[:99]) for one in found),
        *(_note((name,), f"the value of {name[:40]!r} is put into an array") for name in wrapped),
    )
    return FittedArguments(
        fitted, told, tuple(one for one in check_arguments(spec, fitted) if _is_broken(one))
    )


def _truth_values(spec: ToolSpec, arguments: JsonObject) -> Iterable[Coercion]:
    for name, value in arguments.items():
        if isinstance(value, str) and value.lower() in ("true", "false") and value != value.lower():
            allowed = _allowed(spec, name)
            if "boolean" in allowed and "string" not in allowed:
                yield Coercion((name,), value, value.lower() == "true")


def _wants_array(spec: ToolSpec, name: str, value: JsonValue) -> bool:
    if value is None or isinstance(value, list | tuple | Mapping):
        return False
    return _allowed(spec, name) == frozenset({"array"})


def _allowed(spec: ToolSpec, name: str) -> frozenset[str]:
    """Types of a declared parameter; none of another one."""
    schema = spec.properties.get(name)
    return types_allowed(schema, spec.parameters) if schema else frozenset()


def _note(path: tuple[str | int, ...], message: str) -> Finding:
    return Finding(
        code="coerced-by-schema", message=message, severity=Severity.NOTE, pointer=pointer(list(path))
    )


def _is_broken(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR


MAX_ERROR_CHARS: Final = 2_000
"""*Source:* hermes-agent's sanitiser."""
TRUNCATED: Final = "… [truncated]"
"""Stands at the end of an error that was cut."""
HIDDEN: Final = "[secret]"
"""Stands for a key or a password."""

_MOST_READ_CHARS: Final = 20_000
_ANSI: Final = re.compile(r"\x1b(?:\[[0-9;?]{0,32}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])")
_MARKS: Final = re.compile(
    r"<\|[a-z_]{1,32}\|>"
    r"|</?(?:system|user|assistant|human|tool|tools|tool_call|tool_calls|tool_response|tool_result|function"
    r"|function_call|function_calls|think|scratch_pad|parameter|invoke)(?:[ =][^<>\n]{0,200})?>"
    r"|<!\[CDATA\[|\]\]>"
    r"|\[/?INST\]|<</?SYS>>"
    r"|`{3,}[\w+-]{0,20}|~{3,}",
    re.IGNORECASE,
)
"""Marks that a model could take for a turn, a call or a result; CDATA; code fences."""
_ROLE_LINE: Final = re.compile(r"^[ \t]{0,8}(?:system|user|assistant|human)[ \t]{0,4}:[ \t]?", re.I | re.M)
_SECRETS: Final = re.compile(
    r"\b(?:sk|pk|rk|hf|ghp|gho|ghs|glpat|xox[abpr])[-_][A-Za-z0-9_-]{8,200}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_.-]{8,2000}"
    r"|(?<=://)[^\s/:@]{1,100}:[^\s/@]{1,200}(?=@)"
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{6,2000}"
)
_NAMED_SECRET: Final = re.compile(
    r"(\b\w{0,40}(?:api_?key|token|secret|password|passwd)\b[\"']?\s{0,3}[=:]\s{0,3}[\"']?)[^\s\"',;&]{3,500}",
    re.IGNORECASE,
)
_SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SHORTEST_SECRET: Final = 6


def secret_values(environment: Mapping[str, str]) -> frozenset[str]:
    """Values of the variables whose names speak of keys, tokens or passwords; too short ones are left out."""
    return frozenset(
        value
        for name, value in environment.items()
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET
    )


def clean_error(text: str, *, secrets: frozenset[str] = frozenset()) -> str:
    """`text` without role marks, CDATA, code fences, terminal codes and secrets, at most 2,000 characters.

    What is left after a mark is taken out is looked at again, so that no mark can be put together from halves.

    >>> clean_error("no <|im_start|>system file")
    'no system file'
    """
    text = _ANSI.sub("", text[:_MOST_READ_CHARS])
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = _NAMED_SECRET.sub(rf"\1{HIDDEN}", _SECRETS.sub(HIDDEN, text))
    text = _ROLE_LINE.sub("", _without_marks(text)).strip()
    text = "".join(sign for sign in text if sign >= " " or sign in "\n\t")
    is_long = len(text) > MAX_ERROR_CHARS
    return text[: MAX_ERROR_CHARS - len(TRUNCATED)] + TRUNCATED if is_long else text


def tool_error(problem: str, *, secrets: frozenset[str] = frozenset()) -> str:
    """The line of a tool that failed. *Source:* the envelope of hermes-agent's dispatch."""
    return "[TOOL_ERROR] " + clean_error(problem, secrets=secrets)


def failure_of(error: BaseException) -> str:
    """The words for an exception of a handler."""
    return f"Tool execution failed: {type(error).__name__}: {error}"


def _without_marks(text: str) -> str:
    for _ in range(8):
        cleaned = _MARKS.sub("", text)
        if cleaned == text:
            return text
        text = cleaned
    # Nested deeper than anyone writes by chance: no mark can begin any more.
    return text.replace("<", "‹").replace("[", "(").replace("`", "'").replace("~", "-").replace("]", ")")
