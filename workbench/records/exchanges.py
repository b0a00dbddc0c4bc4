"""Requests of clients and their answers, and how a later request of the same conversation is recognized.

A client of a chat API sends the whole conversation with each request. What it sends is often not byte for byte what was
recorded: answers come back as `content` and `tool_calls`, without reasoning, with other ids, white space or order of
arguments. So a message is compared by its key, which leaves all of this out, and a conversation by a chain of hashes:

    path hash 0 = hash of nothing
    path hash n = hash(path hash n-1, key of message n)

Equal path hashes mean equal conversations up to that message. So one lookup of the hashes of a request finds the
longest part of it that is recorded, however long the conversation is.

The system messages at the beginning are not part of the chain. Many agents put the date or their memory into it, so it
may change in the middle of a conversation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import takewhile
from typing import Final, cast

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Message, Role, ToolCall
from workbench.hermes.written_out import decoded_arguments
from workbench.records.run_config import RunConfig
from workbench.rollout.events import Generation
from workbench.toolspec.spec import canonical_json

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
    """Tag of recorded sessions. Requests with different tags never share a session."""

    @cached_property
    def system(self) -> tuple[Message, ...]:
        """The system messages at the beginning."""
        return tuple(takewhile(lambda message: message.role is Role.SYSTEM, self.messages))

    @cached_property
    def talk(self) -> tuple[Message, ...]:
        """The messages after the system messages."""
        return self.messages[len(self.system) :]

    @cached_property
    def path(self) -> "RequestPath":
        """The hashes by which the request is found."""
        hashes = [_hash("")]
        for message in self.talk:
            hashes.append(next_hash(hashes[-1], message))
        roles = [message.role for message in self.talk]
        return RequestPath(
            system_hash=_hash("\n".join(map(message_key, self.system))),
            hashes=tuple(hashes),
            first_user=roles.index(Role.USER) + 1 if Role.USER in roles else min(1, len(roles)),
            first_answer=roles.index(Role.ASSISTANT) + 1 if Role.ASSISTANT in roles else len(roles) + 1,
        )


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
    first_answer: int
    """The same for the first answer of a model. With another system text, a shorter part does not show
    that the conversation is the same."""

    @property
    def request_hash(self) -> str:
        """Hash of the whole request."""
        return self.hashes[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPart:
    """The session that a request belongs to."""

    session_id: str
    depth: int
    """Index in `RequestPath.hashes` of the last message that is stored there; 0 if the request names the session."""


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


def message_key(message: Message) -> str:
    """Return what identifies a message in a conversation that a client sends again.

    >>> call = ToolCall(name="add", arguments={"a": 1.0, "b": 2})
    >>> again = ToolCall(name="add", arguments={}, arguments_text='{"b": 2, "a": 1}')
    >>> first = Message(role=Role.ASSISTANT, text="I add.\\n", calls=(call,), thought="Hm.")
    >>> message_key(first) == message_key(Message(role=Role.ASSISTANT, text="I add.", calls=(again,)))
    True
    """
    # White space within texts is reduced to single spaces, so a line break separates the parts.
    parts = [message.role.value, " ".join(message.text.split())]
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
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner) for inner in value]
    return value


def _hash(text: str) -> str:
    # Text that cannot be encoded is refused when it is stored.
    return sha256(text.encode(errors="surrogatepass")).hexdigest()
