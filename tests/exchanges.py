"""Requests of clients and their answers, for tests of recording."""

from dataclasses import dataclass, field, replace

from tests.store.examples import GENERATION
from workbench.chat.message import Message, Role, ToolCall
from workbench.hermes.reading import Reading
from workbench.hermes.written_out import read_message
from workbench.records.exchanges import ClientAnswer, ClientRequest
from workbench.records.run_config import RunConfig
from workbench.rollout.ports import FinishReason

SETUP = RunConfig(
    contract_name="minimal",
    contract_text="---\nname: minimal\ntitle: Minimal\nfamily: hermes-3\n---\nCall tools.\n",
    tools_text='[{"type": "function", "function": {"name": "get_weather"}}]',
    model="scripted:tests/x.yaml",
)
SYSTEM = Message(role=Role.SYSTEM, text="Call tools.")
RAW_CALL = (
    "<think>\nThe user wants the weather.\n</think>\n"
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome", "days": 1.0,}}\n</tool_call>'
)
"""A completion with a thought and a fault that the reader fixes."""


def said(text: str) -> Message:
    """Return a user message."""
    return Message(role=Role.USER, text=text)


def sent_of(reading: Reading) -> Message:
    """Return a completion as a chat API sends it: the prose, and the calls as structured data."""
    calls = tuple(ToolCall(name=call.name, arguments=call.arguments) for call in reading.calls)
    return Message(role=Role.ASSISTANT, text="".join(reading.prose), calls=calls)


def answered(text: str, **changes: object) -> ClientAnswer:
    """Return an answer that a client got from the completion `text`. `changes` apply to its generation."""
    message = Message(role=Role.ASSISTANT, text=text)
    generation = replace(GENERATION, **{"prefill": "", "finish_reason": FinishReason.STOP, **changes})
    reading = read_message(message, tools=SETUP.offered_tools())
    return ClientAnswer(message=message, generation=generation, sent=sent_of(reading))


@dataclass
class Agent:
    """A client that sends the whole conversation with each request."""

    messages: list[Message] = field(default_factory=lambda: [SYSTEM])
    tag: str = ""
    name: str = ""
    setup: RunConfig = SETUP

    def request(self, *new: Message) -> ClientRequest:
        """Return the next request, after adding messages to the conversation."""
        self.messages += new
        return ClientRequest(
            messages=tuple(self.messages),
            setup=self.setup,
            client="agent/1.0",
            session_name=self.name,
            tag=self.tag,
        )

    def got(self, answer: ClientAnswer) -> None:
        """Add an answer to the conversation, as many clients do: other white space, arguments as text in another order."""
        calls = tuple(
            replace(call, arguments={}, arguments_text=_other_order(call)) for call in answer.sent.calls
        )
        self.messages.append(replace(answer.sent, text=answer.sent.text.strip(), calls=calls))


def _other_order(call: ToolCall) -> str:
    fields = ", ".join(
        f'"{name}" : {value!r}'.replace("'", '"')
        for name, value in sorted(call.arguments.items(), reverse=True)
    )
    return f"{{{fields} }}"
