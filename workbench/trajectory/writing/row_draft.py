"""A trajectory being converted to a format: each step changes it and records what was lost or added."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from operator import is_
from typing import Final, Literal

from workbench.chat.message import Role
from workbench.trajectory.trajectory import RowMessage, Trajectory

DETAIL: Final = "train_detail"
"""Member of an entry that lists which characters of its text the loss counts. *Source:* Axolotl's
`message_field_training_detail`."""
SHARE: Final = "loss_weight"
"""Member of an entry that says how much the loss counts it. 0 and 1 are read as a mask, so that it is another number.
*Source:* LLaMA-Factory's version 1."""
PART_OF_CONTENT: Final = "content/"
"""Beginning of the names of members that a part of a content has, such as `content/0/cache_control`."""
PART_MASKS: Final = "content/masks"
"""Member of an entry whose parts have loss masks that neither a mask of the entry nor `train_detail` can say."""


class Loss(StrEnum):
    """What a format cannot hold; `docs/reference/formats.md` lists the same codes."""

    IDS = "ids"
    """Ids of calls and results; the order pairs them instead."""
    PREFACE = "preface"
    """Text in messages with calls."""
    REASONING = "reasoning"
    EMPTY_THOUGHTS = "empty-thoughts"
    """Thoughts without text, which tell a model not to think."""
    PART_ORDER = "part-order"
    """The order of thoughts, texts and calls within a message."""
    WHITE_SPACE = "white-space"
    """White space between a text and a call or thought."""
    RESULT_NAMES = "result-names"
    """The tool's name of a result that answers no call."""
    LOSS_MASK = "loss-mask"
    """Which messages the loss counts."""
    BIG_INTEGERS = "big-integers"
    """Integers beyond 64 bits, which Arrow cannot hold."""
    REJECTED = "rejected"
    """The answer that was not chosen."""
    LABEL = "label"
    """Whether the answer is good."""
    ANSWER_START = "answer-start"
    """Where the prompt ends and the answer begins."""
    TOOL_KEYS = "tool-keys"
    """Keys of a tool spec beside its function."""
    ENTRY_KEYS = "entry-keys"
    """Members of a message or result that the format has no place for; the detail is the name."""
    CALL_MEMBERS = "call-members"
    """Members of a call beside its name and arguments."""
    LOG_EVENTS = "log-events"
    """Events of an agent's log that are not in the row, or that summarized what is before them."""
    ENVELOPE = "envelope"
    """The exact text of the record around a result."""
    COLUMN = "column"
    """A column whose name the format needs for itself."""


class Addition(StrEnum):
    """What a conversion adds or rearranges without losing anything."""

    FIXED = "fixed"
    """Safe fixes were applied, so that the strict reader accepts the text."""
    IDS_MADE = "ids-made"
    """Calls got ids."""
    RESULTS_ORDERED = "results-ordered"
    """Results were reordered to match their calls."""
    RESULTS_SPLIT = "results-split"
    """A JSON list of the results of parallel calls became one result for each call."""
    TOOLS_TOLD = "tools-told"
    """A list of the tools was added to the system text."""
    TOOLS_TOLD_TWICE = "tools-told-twice"
    """The system text lists the tools itself, and the chat template will list them again."""
    TOOL_PROMPT_REMOVED = "tool-prompt-removed"
    """The list of tools in the system text, and the text that explains calls, were removed."""
    SCHEMA_TYPES = "schema-types"
    """Type names of Python in a tool's schema became those of JSON Schema."""
    SCHEMA_NULLS = "schema-nulls"
    """Keys of a tool's spec that were null were removed; Arrow fills them in."""
    REFUSAL_AS_TEXT = "refusal-as-text"
    """An answer without content became what it has as `refusal`."""
    NONE_FILLED = "none-filled"
    """Nulls for optional arguments that do not allow null were removed; Arrow fills them in."""
    TOOL_NAMES = "tool-names"
    """A tool's name got underscores in place of characters that model servers do not accept."""
    CALL_FORM = "call-form"
    """Calls were written in the form that the system text asks for: as JSON instead of XML, or the reverse."""
    SESSION_ID = "session-id"
    """The session got an id, which a session trace needs."""
    TIMESTAMPS = "timestamps"
    """Times became milliseconds since 1970."""
    ARGUMENTS_AS_TEXT = "arguments-as-text"
    """Arguments were written as JSON text, which some chat templates cannot read."""
    TOOLS_COLUMN = "tools-column"
    """A list of no tools was added, because LLaMA-Factory needs the column."""
    RESULTS_UNWRAPPED = "results-unwrapped"
    """The record around a result was removed; its id and name are in fields of their own."""


TEXT_BREAKS: Final = "Qwen2.5's template encodes text a second time, and Qwen3-Coder's, 3.5's and 3.6's crash"
"""What chat templates do with arguments that are text; see the faults in `docs/reference/families.md`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionChange:
    """One change that a conversion made to a row."""

    code: Loss | Addition
    entry: int | None = None
    """Index of the entry in the row that was read, from 0; None if the change is about the whole row."""
    detail: str = ""
    """Details, such as the name of a column."""

    @property
    def name(self) -> str:
        """The code. For members that the format has no place for: `key`, and the name of the member."""
        return f"key {self.detail}" if self.code is Loss.ENTRY_KEYS else str(self.code)

    @property
    def is_loss(self) -> bool:
        """Whether information was lost."""
        return isinstance(self.code, Loss)


SOURCE = "hermes-workbench"
"""Default value of the column `source`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOptions:
    """Choices in how rows are written, where a format allows several ways."""

    result_role: Literal["tool", "user"] = "tool"
    """Role of the entries that hold results, in formats with Hermes' texts."""
    frame: str = "hermes-array"
    """Frame for the list of tools in a system text; see `FRAMES` in `workbench.trajectory.system_text`."""
    arguments: Literal["object", "text"] = "object"
    """How to write arguments in TRL's formats: as objects, or as JSON text."""
    label: bool | None = None
    """Label for rows without one. None refuses such rows if the format needs a label."""
    source: str = SOURCE
    """Value of the column `source` for rows without one."""
    keeps_call_form: bool = False
    """Whether calls stay JSON or XML, whatever the system text asks for."""
    strips_tool_prompt: bool = False
    """Whether to remove the tool list from system texts in formats whose chat template lists the tools."""


@dataclass(slots=True)
class RowDraft:
    """A trajectory that is being converted to a format."""

    trajectory: Trajectory
    options: RowOptions
    changes: list[ConversionChange] = field(default_factory=list[ConversionChange])
    """Changes so far."""
    problems: list[str] = field(default_factory=list[str])
    """Reasons why the format cannot hold the trajectory."""

    def note(self, code: Loss | Addition, entry: int | None = None, detail: str = "") -> None:
        """Record a change, once per entry. An entry of -1 means none, as in `RowMessage.place`."""
        change = ConversionChange(code=code, entry=None if entry == -1 else entry, detail=detail)
        if change not in self.changes:
            self.changes.append(change)

    def refuse(self, problem: str, message: RowMessage | None = None) -> None:
        """Record a reason why the format cannot hold the trajectory."""
        where = f"entry {message.place}: " if message is not None and message.place >= 0 else ""
        self.problems.append(where + problem)

    def rewrite(self, change: Callable[[RowMessage], RowMessage]) -> None:
        """Change every message, including those of the rejected answer."""
        self.rebuild(lambda messages: map(change, messages))

    def rebuild(self, change: Callable[[tuple[RowMessage, ...]], Iterable[RowMessage]]) -> None:
        """Replace the list of messages. If prompt and answer are separated, each is changed on its own."""
        trajectory = self.trajectory
        start = trajectory.answer_start
        if start is None:
            messages = tuple(change(trajectory.messages))
        else:
            prompt = tuple(change(trajectory.messages[:start]))
            messages, start = (*prompt, *change(trajectory.messages[start:])), len(prompt)
        rejected = tuple(change(trajectory.rejected)) if trajectory.rejected else ()
        if _are_identical(messages, trajectory.messages) and _are_identical(rejected, trajectory.rejected):
            return
        self.trajectory = replace(trajectory, messages=messages, rejected=rejected, answer_start=start)

    def rounds(self) -> Iterator[tuple[RowMessage, tuple[RowMessage, ...]]]:
        """Yield each message of the model with the results that follow it."""
        for messages in (self.trajectory.messages, self.trajectory.rejected):
            for index, message in enumerate(messages):
                if message.role is Role.ASSISTANT:
                    yield message, results_after(messages, index)


def _are_identical(messages: tuple[RowMessage, ...], others: tuple[RowMessage, ...]) -> bool:
    return len(messages) == len(others) and all(map(is_, messages, others))


Step = Callable[[RowDraft], None]
"""Changes a draft so that the format can hold it."""


def results_after(messages: tuple[RowMessage, ...], index: int) -> tuple[RowMessage, ...]:
    """Return the tool messages that directly follow the message at `index`."""
    end = index + 1
    while end < len(messages) and messages[end].role is Role.TOOL:
        end += 1
    return messages[index + 1 : end]
