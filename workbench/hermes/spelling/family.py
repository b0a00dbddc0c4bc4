"""A render family: how a kind of model spells prompts, tools, calls and results, with the functions for calls."""

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
from workbench.hermes.spelling.tools import spelled_json, spelled_python
from workbench.toolspec.spec import OfferedTools


class SpelledResult(NamedTuple):
    """A result as the model sees it."""

    text: str
    """Byte for byte."""
    escape: Escape | None
    """How marks in it are neutralised; None to choose by the text."""


SpellResult = Callable[[Message], SpelledResult]
"""Writes a result."""


def verbatim(message: Message) -> SpelledResult:
    """The result's own text. *Source:* chat templates of Hermes-3 and Qwen."""
    return SpelledResult(message.text, None)


def python_record(message: Message) -> SpelledResult:
    """`{"name": …, "content": …}`, content as Python's `str` writes it: text as it stands, JSON as `repr`.

    *Source:* README of Hermes-Function-Calling.
    """
    content, escape = message.text, None
    try:
        value = cast(JsonValue, json.loads(message.text))
        if isinstance(value, dict | list):
            content, escape = spelled_python(value), PYTHON_ESCAPE
    except (ValueError, RecursionError):
        pass
    name = f'"name": "{message.name}", ' if message.name else ""
    return SpelledResult(f'{{{name}"content": {content}}}', escape)


class CallPiece(NamedTuple):
    """A stretch of a spelled call."""

    text: str
    """Byte for byte."""
    escape: Escape | None
    """How marks in it are neutralised; None where the family itself wrote it."""


SpellCall = Callable[[ToolCall], Iterator[CallPiece]]
"""Writes a call's body."""


def json_call(call: ToolCall) -> Iterator[CallPiece]:
    """`{"name": …, "arguments": …}`; arguments that came as text are pasted as they came.

    *Source:* chat templates of Hermes-3 (tool_use) and Qwen3.
    """
    arguments = call.arguments_text
    spelled = spelled_json(call.arguments) if arguments is None else arguments
    yield CallPiece(f'{{"name": "{call.name}", "arguments": {spelled}}}', JSON_ESCAPE)


def encoding_json_call(call: ToolCall) -> Iterator[CallPiece]:
    """As `json_call`, but arguments given as text are encoded again. *Source:* template of Qwen2.5."""
    arguments = call.arguments if call.arguments_text is None else call.arguments_text
    yield CallPiece(f'{{"name": "{call.name}", "arguments": {spelled_json(arguments)}}}', JSON_ESCAPE)


def sane_json_call(call: ToolCall) -> Iterator[CallPiece]:
    """As `json_call`, and always valid JSON with an object of arguments."""
    yield CallPiece(spelled_json({"name": call.name, "arguments": call.arguments}), JSON_ESCAPE)


def python_call(call: ToolCall) -> Iterator[CallPiece]:
    """A Python dict, arguments first. *Source:* README of Hermes-Function-Calling."""
    yield CallPiece(spelled_python({"arguments": call.arguments, "name": call.name}), PYTHON_ESCAPE)


def xml_call_python_values(call: ToolCall) -> Iterator[CallPiece]:
    """`<function=…>`; objects are JSON, else Python's spelling. *Source:* template of Qwen3-Coder."""
    return _xml_call(call, _json_for_objects)


def xml_call_json_values(call: ToolCall) -> Iterator[CallPiece]:
    """`<function=…>`; all values but text are JSON. *Source:* chat template of Qwen3.6."""
    return _xml_call(call, spelled_json)


def _xml_call(call: ToolCall, spell: Callable[[JsonValue], str]) -> Iterator[CallPiece]:
    yield CallPiece("<function=", None)
    # With the tag's end, so that a name cannot borrow it to make a mark.
    yield CallPiece(f"{call.name}>\n", HTML_ESCAPE)
    for name, value in call.arguments.items():
        yield CallPiece("<parameter=", None)
        yield CallPiece(f"{name}>\n", HTML_ESCAPE)
        if isinstance(value, str):
            yield CallPiece(value, HTML_ESCAPE)
        else:
            yield CallPiece(spell(value), JSON_ESCAPE)
        yield CallPiece("\n</parameter>\n", None)
    yield CallPiece("</function>", None)


def _json_for_objects(value: JsonValue) -> str:
    return spelled_json(value) if isinstance(value, Mapping) else spelled_python(value)


class SystemPlace(StrEnum):
    """Where the user's system text goes when the family writes the tools."""

    BEFORE_TOOLS = "before"
    """Into the tools' turn, before them."""
    AFTER_TOOLS = "after"
    """Into the tools' turn, after them."""
    OWN_TURN = "own turn"
    """Into a second system turn."""


class TrimmedTexts(StrEnum):
    """Which texts lose the white space at their ends."""

    NONE = "none"
    BESIDE_CALLS = "beside calls"
    """An assistant's text that stands before calls."""
    ALL = "all"
    """Every message's."""


class FamilyRequirements(StrEnum):
    """Without what the published template refuses a conversation, or crashes."""

    NOTHING = "nothing"
    MESSAGE = "a message"
    QUERY = "a user's message"


class HeaderGap(StrEnum):
    """Where the published template forgets to open a turn for results."""

    NOWHERE = "nowhere"
    AT_START = "at the start"
    """For a result that is the very first message."""
    BEHIND_SYSTEM = "behind the system message"
    """For a result that is the first message but for a leading system message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFrame:
    """How the family itself begins a prompt; not used with a contract."""

    tools_text: str
    """What introduces the tools; `{tools}` is where they are."""
    place: SystemPlace = SystemPlace.BEFORE_TOOLS
    """Where the user's system text goes."""
    writes_tools_always: bool = False
    """True: also where no tool is offered."""
    default_with_tools: str | None = None
    """Stands in for a missing system text where tools are offered; None for nothing."""
    default_without_tools: str | None = None
    """Stands in for a missing system text where none is; None for no system turn."""
    allows_later_system: bool = True
    """False: the published template refuses a system message that is not the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFrame:
    """How results of tools are written; those that follow each other share a turn."""

    open_turn: str
    """Before the first."""
    open_result: str
    close_result: str
    close_last: str | None = None
    """After the one that ends the conversation; None for `close_result`."""
    close_turn: str
    """After the last."""
    spell: SpellResult = verbatim
    header_gap: HeaderGap = HeaderGap.NOWHERE
    """Where `open_turn` is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How a kind of model spells its prompts. *Source:* `docs/reference/families.md`, by name."""

    name: str
    """As contracts and commands name it."""
    title: str
    """One line for people: which models."""
    dialect: Literal["json", "xml"] = "json"
    """The form of a call's body."""
    spell_tools: Callable[[OfferedTools], str]
    """What stands between `<tools>` and `</tools>`."""
    tools_escape: Escape = JSON_ESCAPE
    """How marks in tool specs are neutralised."""
    check_tools: Callable[[OfferedTools], tuple[Finding, ...]] | None = None
    """What is wrong with the spelled tools; None where nothing can be."""
    system: SystemFrame
    spell_call: SpellCall
    """A call's body."""
    pastes_calls: bool = False
    """True: a name, or arguments given as text, can make the body something that is not JSON."""
    encodes_text_arguments: bool = False
    """True: arguments given as text are encoded a second time."""
    refuses_text_arguments: bool = False
    """True: the published template crashes on arguments given as text."""
    between_text_and_call: str = "\n"
    """Between an assistant's text and its first call."""
    keeps_text_beside_calls: bool = True
    """False: the text of a message with calls is lost."""
    show_thought: ShowThought
    trimmed: TrimmedTexts = TrimmedTexts.NONE
    results: ResultFrame
    needs: FamilyRequirements = FamilyRequirements.NOTHING
    """What a conversation must have for the published template."""
    generation_prompt: str = f"{TURN_OPEN}assistant\n"
    """Opens the turn that the model is to write."""
    no_thought_prompt: str = ""
    """Follows the opened turn where the model must not think; empty where there is no such thing."""
    thought_prompt: str = ""
    """Follows the opened turn where the model may think."""
    sane_name: str | None = None
    """The variant that mends what the published template gets wrong; None where there is none."""
