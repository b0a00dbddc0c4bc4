"""Requests of clients and their answers, and how a later request of the same conversation is recognized.

A client of a chat API sends the whole conversation with each request. What it sends is often not byte for byte what was
recorded: answers come back as `content` and `tool_calls`, without reasoning, with other ids, white space or order of
arguments. So a message is compared by its key, which leaves all of this out, and a conversation by a chain of hashes:

    path hash 0 = hash of nothing
    path hash n = hash(path hash n-1, key of message n)

Equal path hashes mean equal conversations up to that message. So one lookup of the hashes of a request finds the
longest part of it that is recorded, however long the conversation is.

The system messages at the beginning are not part of the chain. Many agents put the date or their memory into it, so it
may change in the middle of a conversation. Clocks and dates in it never count, and stamps around user messages do not
either: see `workbench.records.stamps`.

A client that compacts its conversation replaces the beginning with a summary, so that no part of the chain is found.
Then the conversation is recognized by what the client kept: its last answer, with the message before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate, takewhile
from typing import Final, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonValue
from workbench.chat.message import Message, Role, ToolCall
from workbench.chat.short_text import shortened
from workbench.hermes.written_out import decoded_arguments
from workbench.records.run_config import RunConfig
from workbench.records.stamps import first_difference, mask_moments, mask_numbers, without_stamp
from workbench.rollout.events import Generation
from workbench.toolspec.spec import canonical_json

STAMP_IGNORED: Final = "stamp-ignored"
"""Code of the finding that a request belongs to a session although a time, date or counter differs."""
HISTORY_COMPACTED: Final = "history-compacted"
"""Code of the finding that a request was recognized by what the client kept of a longer conversation."""
LONGEST_NAME: Final = 200
"""Longer names of sessions, and longer names of clients, are cut to this many characters."""


@dataclass(frozen=True, kw_only=True)
class ClientRequest:
    """A client's request for an answer, before it is answered."""

    messages: tuple[Message, ...]
    """The conversation as the model gets it, the oldest first. The composed system text, if there is one, is the first
    message. Calls of earlier answers are structured; ids of calls are left out."""
    setup: RunConfig
    """Contract, offered tools, model, tool choice and sampling of the request."""
    client: str = ""
    """Name of the client, as in its `User-Agent` header."""
    session_name: str = ""
    """The client's own name for the session, or a session's id. Empty to recognize the session by its messages."""
    tag: str = ""
    """Tag of recorded sessions. Requests with different tags never share a session, and neither do requests with
    different models or contracts."""

    @cached_property
    def system(self) -> tuple[Message, ...]:
        """The system messages at the beginning."""
        return tuple(takewhile(lambda message: message.role is Role.SYSTEM, self.messages))

    @cached_property
    def conversation(self) -> tuple[Message, ...]:
        """The messages after the system messages."""
        return self.messages[len(self.system) :]

    @cached_property
    def path(self) -> "RequestPath":
        """The hashes by which the request is found."""
        hashes = [_hash("")]
        for message in self.conversation:
            hashes.append(next_hash(hashes[-1], message))
        roles, assistant = [message.role for message in self.conversation], Role.ASSISTANT
        return RequestPath(
            system_hash=_hash("\n".join(mask_moments(message_key(message)) for message in self.system)),
            hashes=tuple(hashes),
            first_user=roles.index(Role.USER) + 1 if Role.USER in roles else min(1, len(roles)),
            answers=(0, *accumulate([role is assistant for role in roles])),
        )

    def kept_hash(self, index: int) -> str | None:
        """Return the hash by which a message of the conversation is found if the client replaces all that is above it.

        Args:
            index: Index of an answer, or 0 for a first message that may be a summary: the next one is the user's, too.

        Returns:
            None if it is another message.
        """
        message, after = self.conversation[index], self.conversation[index + 1 : index + 2]
        if index > 0:
            return (
                kept_hash(self.conversation[index - 1], message) if message.role is Role.ASSISTANT else None
            )
        is_summary = bool(after) and message.role is after[0].role is Role.USER
        return _hash("summary\n" + mask_numbers(message_key(message))) if is_summary else None

    @cached_property
    def kept_hashes(self) -> tuple[str, ...]:
        """The hashes by which the request is found if the client replaced the beginning: of the last answer, and of a
        summary."""
        last = next(
            (
                at
                for at in reversed(range(len(self.conversation)))
                if self.conversation[at].role is Role.ASSISTANT
            ),
            0,
        )
        found = map(self.kept_hash, sorted({0, last} if self.conversation else ()))
        return tuple(value for value in found if value is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientAnswer:
    """A finished answer to a client's request."""

    message: Message
    """Role assistant. The text is what the model wrote, byte for byte."""
    generation: Generation
    """Prompt, sampling, timing, finish reason, engine, and tokens if they were requested."""
    sent: Message
    """The answer as the client got it: the text without call blocks and thoughts, and structured calls. The client
    sends this with its next request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPath:
    """The hashes by which a request is found."""

    system_hash: str
    """Hash of the system messages."""
    hashes: tuple[str, ...]
    """One for the beginning of the conversation, then one for each message after the system messages."""
    first_user: int
    """Index in `hashes` of the first user message. A shorter part does not show that the conversation is the same,
    because conversations of one agent begin alike."""
    answers: tuple[int, ...]
    """For each of the hashes, the number of answers of a model up to there."""

    @property
    def first_answer(self) -> int:
        """Index in `hashes` of the first answer of a model, or their number if there is none. With another system text,
        a shorter part does not show that the conversation is the same."""
        return self.answers.index(1) if self.answers[-1] else len(self.hashes)

    @property
    def request_hash(self) -> str:
        """Hash of the whole request."""
        return self.hashes[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPart:
    """The session that a request belongs to."""

    session_id: str
    depth: int
    """Index in `RequestPath.hashes` of the last message that is stored there. 0 if the request names the session, or is
    recognized by what the client kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswer:
    """Where an answer is stored."""

    session_id: str
    message_id: str
    stored: int
    """How many messages were stored; 0 if the same request with the same answer was recorded before."""


def next_hash(path_hash: str, message: Message) -> str:
    """Return the path hash of a message that follows the message with the given path hash."""
    return _hash(path_hash + message_key(message))


def kept_hash(before: Message, answer: Message) -> str:
    """Return the hash of an answer and the message before it, whatever is above them."""
    return _hash(f"kept\n{message_key(before)}\n{message_key(answer)}")


def stamp_note(messages: Sequence[Message]) -> Finding | None:
    """Return a finding about the stamp of the last user message. None if it has no stamp."""
    texts = [message.text for message in messages if message.role is Role.USER]
    stamp = without_stamp(texts[-1]).stamp if texts else ""
    return (
        _note(STAMP_IGNORED, f"the user message is compared without its stamp {stamp!r}") if stamp else None
    )


def system_note(before: str, after: str) -> Finding | None:
    """Return a finding about two system texts that count as equal. None if they are equal.

    Args:
        before: The system text of the session.
        after: The system text of the request.
    """
    changed = first_difference(before, after)
    if changed is None:
        return None
    return _note(
        STAMP_IGNORED, f"the system text has {changed[1]!r} instead of {changed[0]!r}; it counts as the same"
    )


def compaction_note(kept: int) -> Finding:
    """Return a finding about a request that was recognized by what the client kept.

    Args:
        kept: Number of recorded answers that the request has.
    """
    what = f"{kept} recorded answer{'' if kept == 1 else 's'}" if kept else "a summary like the one before"
    return _note(HISTORY_COMPACTED, f"the client replaced the beginning of the conversation and kept {what}")


def _note(code: str, message: str) -> Finding:
    return Finding(code=code, message=shortened(message), severity=Severity.NOTE)


_USER: Final = Role.USER


def message_key(message: Message) -> str:
    """Return what identifies a message in a conversation that a client sends again.

    >>> call = ToolCall(name="add", arguments={"a": 1.0, "b": 2})
    >>> again = ToolCall(name="add", arguments={}, arguments_text='{"b": 2, "a": 1}')
    >>> first = Message(role=Role.ASSISTANT, text="I add.\\n", calls=(call,), thought="Hm.")
    >>> message_key(first) == message_key(Message(role=Role.ASSISTANT, text="I add.", calls=(again,)))
    True
    """
    # White space within texts is reduced to single spaces, so a line break separates the parts.
    role, text = message.role, message.text
    if role is _USER:
        text = without_stamp(text).text
    # A role is a text. Its `value` would take as long as the rest.
    parts: list[str] = [role, " ".join(text.split())]
    parts += (canonical_json([call.name, _arguments(call)]) for call in message.calls)
    return "\n".join(parts)


def _arguments(call: ToolCall) -> JsonValue:
    decoded = call.arguments if call.arguments_text is None else decoded_arguments(call.arguments_text)
    # A text that is not a JSON object is compared as a text.
    return (
        " ".join((call.arguments_text or "").split()) if decoded is None else _plain(cast(JsonValue, decoded))
    )


def _plain(value: JsonValue) -> JsonValue:
    """Return the value with whole floats as integers, because JavaScript writes 1.0 as 1."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict | Mapping):  # `dict` comes first: the other takes much longer
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence):
        return [_plain(inner) for inner in value]
    return value


def _hash(text: str) -> str:
    # Text that cannot be encoded is refused when it is stored.
    return sha256(text.encode(errors="surrogatepass")).hexdigest()
