"""Convert training rows to token sequences: the bytes of the prompts an engine gets, and which are trained.
them the loss counts."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from workbench.chat.message import Conversation, Message, Role
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.render import render
from workbench.trajectory.hermes_text import spell_parts
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import RowMessage

IGNORED: Final = -100
"""The label of a token that the loss does not count. *Source:* PyTorch, `CrossEntropyLoss.ignore_index`."""
FAMILY: Final = "hermes-lines"
"""In whose framing rows stand that name no family."""


class TextPiece(NamedTuple):
    """A stretch of a text."""

    text: str
    is_trained: bool
    """Whether the loss counts it."""
    is_system: bool = False
    """Whether it is the system turn, from its first mark to its last."""


Example = tuple[TextPiece, ...]
"""One text in stretches; each is made into tokens by itself, as an engine does with prompt and completion."""


class Encode(Protocol):
    """Makes tokens of a text; control marks are the single tokens they are, none is put before or behind."""

    def __call__(self, text: str) -> list[int]:
        """The tokens of `text`."""
        ...


class Tokens(NamedTuple):
    """An example as numbers."""

    input_ids: list[int]
    labels: list[int]
    """The same, `IGNORED` where the loss does not count."""
    shared: int = 0
    """So many tokens at the beginning are the system text, which other examples may begin with too."""


def examples_of(row: TrainingRow, family: str = "") -> list[Example]:
    """What a row teaches: each of the model's messages behind the prompt that an engine would be given.

    Messages of which one's prompt begins with all that the one before it came to share a text. A family that
    frames a last result otherwise than an earlier one breaks that, and a further text begins.

    Args:
        row: A sound row.
        family: In whose framing; empty takes the row's column `family`, else `FAMILY`.
    """
    trajectory = read_trajectory(row).trajectory
    named = row.columns.get("family")
    framing = family or (named if isinstance(named, str) and named else FAMILY)
    texts = _system_texts(row)
    messages = [_message(message, texts) for message in trajectory.messages]
    found: list[list[TextPiece]] = []
    written = ""
    for place, message in enumerate(trajectory.messages):
        if not _is_counted(message):
            continue
        prompt = _prompt(messages[:place], framing)
        if not written or not prompt.startswith(written):
            found.append([])
            written = ""
        answer = messages[place].text + TURN_CLOSE
        found[-1] += [*_prompt_pieces(messages, prompt, written), TextPiece(answer, True)]
        written = prompt + answer
    return [tuple(pieces) for pieces in found]


def encode(example: Example, encoder: Encode, *, begin: Sequence[int] = ()) -> Tokens:
    """The tokens of an example.

    Args:
        example: In stretches.
        encoder: Makes tokens.
        begin: Tokens that begin every prompt of this model.
    """
    ids, labels = list(begin), [IGNORED] * len(begin)
    shared = 0
    for piece in example:
        tokens = encoder(piece.text)
        ids += tokens
        labels += tokens if piece.is_trained else [IGNORED] * len(tokens)
        shared = len(ids) if piece.is_system else shared
    return Tokens(ids, labels, shared)


def _prompt(messages: Sequence[Message], family: str) -> str:
    return render(Conversation(messages=tuple(messages)), family=family, has_contract=True).text


def _prompt_pieces(messages: Sequence[Message], prompt: str, written: str) -> list[TextPiece]:
    """What a prompt adds to what is written; at the beginning the system turn stands by itself."""
    if written or messages[0].role is not Role.SYSTEM:
        return [TextPiece(prompt[len(written) :], False)]
    end = prompt.index(TURN_CLOSE) + len(TURN_CLOSE)
    return [TextPiece(prompt[:end], False, is_system=True), TextPiece(prompt[end:], False)]


def _is_counted(message: RowMessage) -> bool:
    return message.role is Role.ASSISTANT and message.is_trained is not False


def _system_texts(row: TrainingRow) -> Iterator[str]:
    """System texts byte for byte, tools and all."""
    return iter([entry.text for entry in row.entries if entry.role is Role.SYSTEM])


def _message(message: RowMessage, systems: Iterator[str]) -> Message:
    if message.role is Role.SYSTEM:
        return Message(role=message.role, text=next(systems))
    if message.result is not None:
        return Message(role=message.role, text=message.result.text, name=message.result.name)
    text = spell_parts(message.parts) if message.text is None else message.text
    return Message(role=message.role, text=text)
