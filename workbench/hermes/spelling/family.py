"""A template family: how a kind of model expects prompts, tools, calls and results, with the functions for calls."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple, cast

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonValue
from workbench.chat.message import Message, ToolCall
from workbench.hermes.marks import HTML_ESCAPE, JSON_ESCAPE, PYTHON_ESCAPE, TURN_OPEN, Escape
from workbench.hermes.spelling.thoughts import ShowThought
from workbench.hermes.spelling.tools import python_repr, template_json
from workbench.toolspec.spec import OfferedTools


class RenderedResult(NamedTuple):
    """A tool result as the model sees it."""

    text: str
    escape: Escape | None
    """How to neutralise marks in it, or None to choose by the text."""


RenderResult = Callable[[Message], RenderedResult]
"""Writes a tool result."""


def verbatim(message: Message) -> RenderedResult:
    """Return the result's text unchanged. *Source:* chat templates of Hermes-3 and Qwen."""
    return RenderedResult(message.text, None)


def python_record(message: Message) -> RenderedResult:
    """Return `{"name": …, "content": …}`. Text is written unchanged, JSON as Python's `repr`.

    *Source:* README of Hermes-Function-Calling.
    """
    content, escape = message.text, None
    try:
        value = cast(JsonValue, json.loads(message.text))
        if isinstance(value, dict | list):
            content, escape = python_repr(value), PYTHON_ESCAPE
    except (ValueError, RecursionError):
        pass
    name = f'"name": "{message.name}", ' if message.name else ""
    return RenderedResult(f'{{{name}"content": {content}}}', escape)


class CallPiece(NamedTuple):
    """A part of a rendered call."""

    text: str
    escape: Escape | None
    """How to neutralise marks in it, or None if the family itself wrote it."""


RenderCall = Callable[[ToolCall], Iterator[CallPiece]]
"""Writes the body of a call."""


def json_call(call: ToolCall) -> Iterator[CallPiece]:
    """Write `{"name": …, "arguments": …}`. Arguments given as text are pasted unchanged.

    *Source:* chat templates of Hermes-3 (tool_use) and Qwen3.
    """
    arguments = call.arguments_text
    text = template_json(call.arguments) if arguments is None else arguments
    yield CallPiece(f'{{"name": "{call.name}", "arguments": {text}}}', JSON_ESCAPE)


def encoding_json_call(call: ToolCall) -> Iterator[CallPiece]:
    """Write a call like `json_call`, but encode arguments given as text again. *Source:* Qwen2.5 chat template."""
    arguments = call.arguments if call.arguments_text is None else call.arguments_text
    yield CallPiece(f'{{"name": "{call.name}", "arguments": {template_json(arguments)}}}', JSON_ESCAPE)


def sane_json_call(call: ToolCall) -> Iterator[CallPiece]:
    """Write a call like `json_call`, but always as valid JSON. Arguments that are not an object become a string."""
    yield CallPiece(template_json({"name": call.name, "arguments": _shown_arguments(call)}), JSON_ESCAPE)


def python_call(call: ToolCall) -> Iterator[CallPiece]:
    """Write a call as a Python dictionary, arguments first. *Source:* README of Hermes-Function-Calling."""
    yield CallPiece(python_repr({"arguments": _shown_arguments(call), "name": call.name}), PYTHON_ESCAPE)


def unread_arguments(call: ToolCall) -> str | None:
    """Return the text of arguments that are not a JSON object. None if they are one, or missing.

    >>> unread_arguments(ToolCall(name="f", arguments={}, arguments_text='{"city": "Os'))
    '{"city": "Os'
    """
    text = call.arguments_text
    if text is None or not text.strip():
        return None
    try:
        return None if isinstance(json.loads(text), dict) else text
    except (ValueError, RecursionError):
        return text


def _shown_arguments(call: ToolCall) -> JsonValue:
    """Return the arguments of a call in a history, or their text, so that a model sees what it wrote."""
    return unread_arguments(call) or call.arguments


def xml_call_python_values(call: ToolCall) -> Iterator[CallPiece]:
    """Write `<function=…>` with objects as JSON and other values as Python. *Source:* Qwen3-Coder chat template."""
    return _xml_call(call, _json_for_objects)


def xml_call_json_collections(call: ToolCall) -> Iterator[CallPiece]:
    """Write `<function=…>` with objects and lists as JSON, others as Python. *Source:* Qwen3.5 chat template."""
    return _xml_call(call, _json_for_collections)


def xml_call_json_values(call: ToolCall) -> Iterator[CallPiece]:
    """Write `<function=…>` with text unchanged and other values as JSON. *Source:* Qwen3.6 chat template."""
    return _xml_call(call, template_json)


def _xml_call(call: ToolCall, render: Callable[[JsonValue], str]) -> Iterator[CallPiece]:
    yield CallPiece("<function=", None)
    # Includes the end of the tag, so that a name such as `f<|im_start|` cannot form a mark together with it.
    yield CallPiece(f"{call.name}>\n", HTML_ESCAPE)
    for name, value in call.arguments.items():
        yield CallPiece("<parameter=", None)
        yield CallPiece(f"{name}>\n", HTML_ESCAPE)
        if isinstance(value, str):
            yield CallPiece(value, HTML_ESCAPE)
        else:
            yield CallPiece(render(value), JSON_ESCAPE)
        yield CallPiece("\n</parameter>\n", None)
    if text := unread_arguments(call):
        yield CallPiece(f"{text}\n", HTML_ESCAPE)
    yield CallPiece("</function>", None)


def _json_for_objects(value: JsonValue) -> str:
    return template_json(value) if isinstance(value, Mapping) else python_repr(value)


def _json_for_collections(value: JsonValue) -> str:
    return template_json(value) if isinstance(value, Mapping | list | tuple) else python_repr(value)


class SystemPlace(StrEnum):
    """Where the user's system text goes if the family writes the tools."""

    BEFORE_TOOLS = "before"
    """In the turn with the tools, before them."""
    AFTER_TOOLS = "after"
    """In the turn with the tools, after them."""
    OWN_TURN = "own turn"
    """In a second system turn."""


class TrimmedTexts(StrEnum):
    """Which texts are stripped of white space at both ends."""

    NONE = "none"
    BESIDE_CALLS = "beside calls"
    """An assistant's text before its calls."""
    ALL = "all"
    """The text of every message."""


class FamilyRequirements(StrEnum):
    """What a conversation needs so that the published template does not fail. The values are used in messages."""

    NOTHING = "nothing"
    MESSAGE = "a message"
    QUERY = "a user's message"


class HeaderGap(StrEnum):
    """Where the published template does not open a turn for results."""

    NOWHERE = "nowhere"
    AT_START = "at the start"
    """For a result that is the first message."""
    AFTER_SYSTEM = "after the system message"
    """For a result that is the first message, or the first one after the system message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFrame:
    """The family's own system turn. Not used with a contract."""

    tools_text: str
    """Introduces the tools; `{tools}` is replaced by them."""
    place: SystemPlace = SystemPlace.BEFORE_TOOLS
    """Where the user's system text goes."""
    writes_tools_always: bool = False
    """Whether `tools_text` is written even if no tools are offered."""
    default_with_tools: str | None = None
    """Replaces a missing system text if tools are offered, or None."""
    default_without_tools: str | None = None
    """Replaces a missing system text if no tools are offered, or None for no system turn."""
    allows_later_system: bool = True
    """False if the published template rejects a system message that is not the first message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFrame:
    """How tool results are written. Adjacent results share a turn."""

    open_turn: str
    """Written before the first of adjacent results."""
    open_result: str
    close_result: str
    close_last: str | None = None
    """Written after a result that ends the conversation, or None for `close_result`."""
    close_turn: str
    """Written after the last of adjacent results."""
    render: RenderResult = verbatim
    header_gap: HeaderGap = HeaderGap.NOWHERE
    """Where `open_turn` is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How a kind of model expects its prompts. `docs/reference/families.md` describes each family and its source."""

    name: str
    """Name in contracts and commands."""
    title: str
    """One line that says which models it is for."""
    dialect: Literal["json", "xml"] = "json"
    """The form of a call's body."""
    render_tools: Callable[[OfferedTools], str]
    """Writes the text between `<tools>` and `</tools>`."""
    tools_escape: Escape = JSON_ESCAPE
    """How to neutralise marks in tool specs."""
    check_tools: Callable[[OfferedTools], tuple[Finding, ...]] | None = None
    """Reports problems of the rendered tools, or None if there cannot be any."""
    system: SystemFrame
    render_call: RenderCall
    """Writes the body of a call."""
    pastes_calls: bool = False
    """Whether a name, or arguments given as text, can make the body invalid JSON."""
    encodes_text_arguments: bool = False
    """Whether arguments given as text are encoded a second time."""
    refuses_text_arguments: bool = False
    """Whether the published template crashes on arguments given as text."""
    refuses_null_content: bool = False
    """Whether a revision of the published template crashes on `content: null` beside calls."""
    between_text_and_call: str = "\n"
    """Written between an assistant's text and its first call."""
    keeps_text_beside_calls: bool = True
    """False if the text of a message with calls is lost."""
    show_thought: ShowThought
    trimmed: TrimmedTexts = TrimmedTexts.NONE
    results: ResultFrame
    needs: FamilyRequirements = FamilyRequirements.NOTHING
    """What the published template needs in a conversation."""
    generation_prompt: str = f"{TURN_OPEN}assistant\n"
    """Opens the assistant's turn."""
    no_thought_prompt: str = ""
    """Follows the opened turn if the model must not think. Empty if the family has no such text."""
    thought_prompt: str = ""
    """Follows the opened turn if the model may think."""
    sane_name: str | None = None
    """The variant without the published template's faults, or None."""
