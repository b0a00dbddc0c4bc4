"""Mock rules: when the arguments match, this result."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall, ToolResult

MAX_TEMPLATE_CHARS: Final = 20_000
"""A template's result longer than this is an error: it is a mock, not a generator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MockRule:
    """One rule; exactly one of result, template and error is set."""

    when: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Argument name to the value it must equal, or to `{"regex": pattern}`; empty matches any call."""
    result: JsonValue = field(default=None, hash=False)
    """The result as it stands."""
    template: str = ""
    """Jinja text over the arguments; where it gives JSON, the result is that value."""
    error: str = ""
    """The tool fails with this line."""

    def matches(self, arguments: JsonObject) -> bool:
        """Whether every condition of `when` holds."""
        return all(name in arguments and _holds(arguments[name], want) for name, want in self.when.items())

    def answer(self, call: ToolCall) -> ToolResult:
        """The result of a call that matches."""
        if self.error:
            return error_result(self.error)
        if self.template:
            return _rendered(self.template, call)
        return ToolResult(text=result_text(self.result))


def result_text(value: JsonValue) -> str:
    """A result as the model sees it: JSON, letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def error_result(message: str) -> ToolResult:
    """A failure as the model sees it."""
    return ToolResult(text=result_text({"error": message}), is_error=True)


def _holds(value: JsonValue, want: JsonValue) -> bool:
    if isinstance(want, Mapping) and set(want) == {"regex"}:
        return isinstance(value, str) and re.fullmatch(str(want["regex"]), value) is not None
    # True equals 1 in Python, and not in JSON.
    return value == want and isinstance(value, bool) == isinstance(want, bool)


def _rendered(template: str, call: ToolCall) -> ToolResult:
    environment = ImmutableSandboxedEnvironment(autoescape=False)
    environment.filters["tojson"] = result_text
    try:
        text = environment.from_string(template).render(arguments=call.arguments, **call.arguments)
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
        return error_result(f"mock template of {call.name!r}: {type(error).__name__}: {error}")
    if len(text) > MAX_TEMPLATE_CHARS:
        return error_result(f"mock template of {call.name!r} gave over {MAX_TEMPLATE_CHARS} characters")
    try:
        return ToolResult(text=result_text(cast(JsonValue, json.loads(text))))
    except ValueError:
        return ToolResult(text=result_text(text))
