"""What a render family is: how a kind of model spells prompts, tools, calls and results."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from workbench.chat.finding import Finding
from workbench.hermes.spelling.calls import SpellCall
from workbench.hermes.spelling.chatml import JSON_ESCAPE, TURN_OPEN, Escape
from workbench.hermes.spelling.results import SpellResult, verbatim
from workbench.hermes.spelling.thoughts import ShowThought
from workbench.toolspec.spec import OfferedTools


class SystemPlace(StrEnum):
    """Where the user's system text goes when the family writes the tools."""

    BEFORE_TOOLS = "before"
    """Into the tools' turn, before them."""
    AFTER_TOOLS = "after"
    """Into the tools' turn, after them."""
    OWN_TURN = "own turn"
    """Into a second system turn."""


class Trimmed(StrEnum):
    """Which texts lose the white space at their ends."""

    NONE = "none"
    BESIDE_CALLS = "beside calls"
    """An assistant's text that stands before calls."""
    ALL = "all"
    """Every message's."""


class Needs(StrEnum):
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
    """Before each."""
    close_result: str
    """After each."""
    close_last: str | None = None
    """After the one that ends the conversation; None for `close_result`."""
    close_turn: str
    """After the last."""
    spell: SpellResult = verbatim
    """What is written of a result."""
    header_gap: HeaderGap = HeaderGap.NOWHERE
    """Where `open_turn` is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How a kind of model spells its prompts. *Source:* `docs/reference/families.md`, by name."""

    name: str
    """As contracts and verbs name it."""
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
    """The beginning."""
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
    """What of a thought stands in history."""
    trimmed: Trimmed = Trimmed.NONE
    """Which texts are stripped."""
    results: ResultFrame
    """Results of tools."""
    needs: Needs = Needs.NOTHING
    """What a conversation must have for the published template."""
    generation_prompt: str = f"{TURN_OPEN}assistant\n"
    """Opens the turn that the model is to write."""
    no_thought_prompt: str = ""
    """Follows the opened turn where the model must not think; empty where there is no such thing."""
    thought_prompt: str = ""
    """Follows the opened turn where the model may think."""
    sane_name: str | None = None
    """The variant that mends what the published template gets wrong; None where there is none."""
