"""Convert training rows to token sequences that equal what an engine sees, with the tokens to train on.

The idea: a model should be trained on exactly the tokens that it sees and writes when it is used. So each message of
the model follows the prompt that our own renderer makes for an engine, and prompt and answer are tokenized
separately, as an engine does. Tokenizing the whole text at once could merge the end of the prompt and the beginning
of the answer into one token. Only the answers and the tokens that end them are trained.

A row with several answers becomes one text, as long as each prompt begins with everything before it:

    <system> <user 1> ANSWER-1 <user 2> ANSWER-2          (capitals are trained)

Some families write the last tool result differently from earlier ones. Then the second prompt does not begin with the
first text, and the row becomes two texts: otherwise the model would be trained on a prompt that no engine sends.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from workbench.chat.message import Conversation, Message, Role
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.render import render
from workbench.trajectory.formats.shared.entry_keys import trained_stretches
from workbench.trajectory.hermes_text import spell_parts
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import RowMessage
from workbench.trajectory.writing.row_draft import DETAIL

IGNORED: Final = -100
"""Label of tokens that are not trained. *Source:* PyTorch, `CrossEntropyLoss.ignore_index`."""
FAMILY: Final = "hermes-lines"
"""Template family of rows that do not name one."""


class TextPiece(NamedTuple):
    """A piece of a text."""

    text: str
    is_trained: bool
    is_system: bool = False
    """Whether it is the complete system turn."""


Example = tuple[TextPiece, ...]
"""A text in pieces. Each piece is tokenized separately, as an engine does with prompt and completion."""


class Encode(Protocol):
    """Tokenizes a text without begin and end tokens. Special tokens in the text become single tokens."""

    def __call__(self, text: str) -> list[int]:
        """Return the tokens of `text`."""
        ...


class Tokens(NamedTuple):
    """The tokens of an example."""

    input_ids: list[int]
    labels: list[int]
    """The same tokens, with `IGNORED` for those that are not trained."""
    shared: int = 0
    """Number of tokens at the beginning that are the system turn, which other examples may share."""


def examples_of(row: TrainingRow, family: str = "") -> list[Example]:
    """Return the texts of a row: each message of the model after the prompt that an engine would get.

    Args:
        row: A valid row.
        family: Template family of the prompts. Empty uses the row's column `family`, or `FAMILY` without one.
    """
    trajectory = read_trajectory(row).trajectory
    column = row.columns.get("family")
    framing = family or (column if isinstance(column, str) and column else FAMILY)
    texts = _system_texts(row)
    messages = [_message(message, texts) for message in trajectory.messages]
    examples: list[list[TextPiece]] = []
    written = ""
    for place, message in enumerate(trajectory.messages):
        if not _is_trained(message):
            continue
        prompt = _prompt(messages[:place], framing)
        if not written or not prompt.startswith(written):
            examples.append([])
            written = ""
        answer = messages[place].text
        examples[-1] += [*_prompt_pieces(messages, prompt, written), *_answer_pieces(answer, message)]
        written = prompt + answer + TURN_CLOSE
    return [tuple(pieces) for pieces in examples]


def encode(example: Example, encoder: Encode, *, begin: Sequence[int] = ()) -> Tokens:
    """Return the tokens of an example.

    Args:
        encoder: Tokenizes a piece.
        begin: Tokens that this model has before every prompt.
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
    """Return the part of a prompt after `written`. At the beginning, the system turn is a piece of its own."""
    if written or messages[0].role is not Role.SYSTEM:
        return [TextPiece(prompt[len(written) :], False)]
    end = prompt.index(TURN_CLOSE) + len(TURN_CLOSE)
    return [TextPiece(prompt[:end], False, is_system=True), TextPiece(prompt[end:], False)]


def _answer_pieces(answer: str, message: RowMessage) -> Iterator[TextPiece]:
    """Yield an answer and the token that ends it; of a message with `train_detail`, only what that counts is trained.

    *Source:* Axolotl, `prompt_strategies/chat_template.py`: no other character is trained, but the end is.
    """
    stretches = message.others.get(DETAIL)
    if not isinstance(stretches, list):
        yield TextPiece(answer + TURN_CLOSE, True)
        return
    end = 0
    for begin, stop in trained_stretches(stretches):
        if begin > end:
            yield TextPiece(answer[end:begin], False)
        if stop > end:
            yield TextPiece(answer[max(begin, end) : stop], True)
            end = stop
    if answer[end:]:
        yield TextPiece(answer[end:], False)
    yield TextPiece(TURN_CLOSE, True)


def _is_trained(message: RowMessage) -> bool:
    return message.role is Role.ASSISTANT and message.is_trained is not False


def _system_texts(row: TrainingRow) -> Iterator[str]:
    """Return the system texts of a row, byte for byte, including the tools."""
    return iter([entry.text for entry in row.entries if entry.role is Role.SYSTEM])


def _message(message: RowMessage, systems: Iterator[str]) -> Message:
    if message.role is Role.SYSTEM:
        return Message(role=message.role, text=next(systems))
    if message.result is not None:
        return Message(role=message.role, text=message.result.text, name=message.result.name)
    text = spell_parts(message.parts) if message.text is None else message.text
    return Message(role=message.role, text=text)
