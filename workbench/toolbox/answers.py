"""Prepare the arguments of a call for its handler, and turn the handler's result or error into text for the model."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, pointer
from workbench.chat.message import ToolResult
from workbench.chat.short_text import shortened
from workbench.rollout.result_room import cut_text
from workbench.toolspec.check import check_arguments
from workbench.toolspec.coerce import Coercion, coerced, find_coercions, types_allowed
from workbench.toolspec.spec import ToolSpec

MAX_RESULT_CHARS: Final = 100_000
"""Longest result that is passed to a model, unless the tool sets its own limit."""


def result_text(value: JsonValue) -> str:
    """Format a result for the model, as JSON without escaped letters."""
    return json.dumps(value, ensure_ascii=False)


def error_result(message: str) -> ToolResult:
    """Return a failed result with `{"error": message}` as its text."""
    return ToolResult(text=result_text({"error": message}), is_error=True)


def result_of(value: object, *, max_chars: int = MAX_RESULT_CHARS) -> ToolResult:
    """Convert a handler's return value into a result.

    Text that is JSON stays byte for byte; any other text becomes a JSON string. A result of more than `max_chars`
    characters is replaced by an object with its size and its beginning. An object with a non-empty `error` counts
    as a failure.

    Raises:
        TypeError: JSON cannot represent the value.
        ValueError: The value contains itself, or a number that JSON does not have, such as NaN.
    """
    if isinstance(value, str):
        return _text_result(value, max_chars)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if len(text) > max_chars:
        return ToolResult(text=cut_text(text, max_chars))
    return ToolResult(text=text, is_error=_has_error(cast(JsonValue, value)))


def _text_result(text: str, max_chars: int) -> ToolResult:
    if len(text) > max_chars:
        return ToolResult(text=cut_text(text, max_chars))
    try:
        value = cast(JsonValue, json.loads(text, parse_constant=_refuse))
        text.encode()
    except (ValueError, RecursionError):
        quoted = json.dumps(text.encode(errors="replace").decode(), ensure_ascii=False)
        return (
            ToolResult(text=quoted)
            if len(quoted) <= max_chars
            else ToolResult(text=cut_text(text, max_chars))
        )
    return ToolResult(text=text, is_error=_has_error(value))


def _has_error(value: JsonValue) -> bool:
    return isinstance(value, Mapping) and bool(value.get("error"))


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


class FittedArguments(NamedTuple):
    """Arguments after coercion to the types of the schema."""

    arguments: JsonObject
    notes: tuple[Finding, ...]
    """One note for each argument that was changed."""
    errors: tuple[Finding, ...]
    """Places that still violate the schema."""


def fit_arguments(spec: ToolSpec, arguments: JsonObject) -> FittedArguments:
    """Convert arguments to the types of the schema where models often get them wrong.

    A string is converted if its text is the JSON of an allowed type (`"42"`, `"[1]"`, `"null"`) or a boolean in any
    letter case (`"True"`). A single value is put into an array if the schema allows only arrays. A string stays as
    it is if the schema allows strings.

    *Source:* hermes-agent runtime, argument coercion.
    """
    changes = [*find_coercions(spec.schema, arguments), *_booleans(spec, arguments)]
    fitted = coerced(arguments, changes)
    wrapped = [name for name in fitted if _needs_array(spec, name, fitted[name])]
    fitted = {name: [value] if name in wrapped else value for name, value in fitted.items()}
    notes = (
        *(
            _note(change.path, shortened(f"{change.before[:30]!r} is read as {change.after!r}"))
            for change in changes
        ),
        *(_note((name,), f"the value of {name[:40]!r} is put into an array") for name in wrapped),
    )
    errors = tuple(finding for finding in check_arguments(spec, fitted) if finding.severity is Severity.ERROR)
    return FittedArguments(fitted, notes, errors)


def _booleans(spec: ToolSpec, arguments: JsonObject) -> Iterable[Coercion]:
    for name, value in arguments.items():
        if isinstance(value, str) and value.lower() in ("true", "false") and value != value.lower():
            allowed = _allowed(spec, name)
            if "boolean" in allowed and "string" not in allowed:
                yield Coercion((name,), value, value.lower() == "true")


def _needs_array(spec: ToolSpec, name: str, value: JsonValue) -> bool:
    if value is None or isinstance(value, list | tuple | Mapping):
        return False
    return _allowed(spec, name) == frozenset({"array"})


def _allowed(spec: ToolSpec, name: str) -> frozenset[str]:
    """Return the types that the schema allows for a parameter. Empty if the parameter is not declared."""
    schema = spec.properties.get(name)
    return types_allowed(schema, spec.schema) if schema else frozenset()


def _note(path: tuple[str | int, ...], message: str) -> Finding:
    return Finding(
        code="coerced-by-schema", message=message, severity=Severity.NOTE, pointer=pointer(list(path))
    )


MAX_ERROR_CHARS: Final = 2_000
"""*Source:* hermes-agent runtime, error sanitizing."""
TRUNCATED: Final = "… [truncated]"
"""End of an error that was truncated."""
HIDDEN: Final = "[secret]"
"""Replaces a key or a password."""

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
"""Special tokens and tags that a model could take for a turn, a call or a result; CDATA sections; code fences."""
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
    """Return the values of variables whose names contain KEY, TOKEN, PASSWORD and the like.

    Very short values are left out: replacing every `1` or `true` would garble error messages.
    """
    return frozenset(
        value
        for name, value in environment.items()
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET
    )


def clean_error(text: str, *, secrets: frozenset[str] = frozenset()) -> str:
    """Clean an error message for the model, and shorten it to 2,000 characters.

    Special tokens, tags, role names at the start of a line, CDATA, code fences, terminal codes and secrets are
    removed. Tags are removed repeatedly, because removing the inner one of `<tool<tool_call>_call>` leaves another.

    >>> clean_error("no <|im_start|>system file")
    'no system file'
    """
    text = _ANSI.sub("", text[:_MOST_READ_CHARS])
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = _NAMED_SECRET.sub(rf"\1{HIDDEN}", _SECRETS.sub(HIDDEN, text))
    text = _ROLE_LINE.sub("", _without_marks(text)).strip()
    text = "".join(character for character in text if character >= " " or character in "\n\t")
    is_long = len(text) > MAX_ERROR_CHARS
    return text[: MAX_ERROR_CHARS - len(TRUNCATED)] + TRUNCATED if is_long else text


def tool_error(problem: str, *, secrets: frozenset[str] = frozenset()) -> str:
    """Format the error of a failed tool. *Source:* hermes-agent runtime, dispatch."""
    return "[TOOL_ERROR] " + clean_error(problem, secrets=secrets)


def failure_of(error: BaseException) -> str:
    """Describe an exception that a handler raised."""
    return f"Tool execution failed: {type(error).__name__}: {error}"


def _without_marks(text: str) -> str:
    for _ in range(8):
        cleaned = _MARKS.sub("", text)
        if cleaned == text:
            return text
        text = cleaned
    # Nested deeper than anyone writes by accident: replace the characters that tags begin with.
    return text.replace("<", "‹").replace("[", "(").replace("`", "'").replace("~", "-").replace("]", ")")
