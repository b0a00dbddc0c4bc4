"""Values for the tests of the store."""

from dataclasses import replace

from workbench.chat.message import Message, Role
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage, StoredToolRun
from workbench.rollout.events import Generation, Timing
from workbench.rollout.ports import FinishReason
from workbench.rollout.sampling import Sampling

SETUP = RunConfig(
    contract_name="minimal",
    contract_text="---\nname: minimal\n---\n  {{ tools }}\r\n🦉",
    tools_text='[{"type": "function", "function": {"name": "now"}}]',
    disabled_tools=frozenset({"now", "then"}),
    model="scripted:tests/x.yaml",
    tool_choice="required",
    sampling=Sampling(temperature=0.7, seed=2**40),
    max_rounds=3,
)

GENERATION = Generation(
    prompt_text="<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n",
    is_exact=True,
    prefill="<tool_call>\n",
    sampling=Sampling(temperature=0.1 + 0.2),
    tool_choice="now",
    finish_reason=FinishReason.LENGTH,
    timing=Timing(
        prompt_tokens=40, cached_tokens=20, completion_tokens=9, time_to_first_token_s=0.1, seconds=1 / 3
    ),
    engine_name="embedded",
    engine_fingerprint="e" * 64,
    tools_fingerprint="f" * 64,
)


def user(text: str) -> NewMessage:
    """Return a user message."""
    return NewMessage(message=Message(role=Role.USER, text=text), origin=MessageOrigin.PERSON)


def completion(text: str, **changes: object) -> NewMessage:
    """Return a model's message. `changes` apply to its generation."""
    return NewMessage(
        message=Message(role=Role.ASSISTANT, text=text),
        origin=MessageOrigin.MODEL,
        generation=replace(GENERATION, **changes),
    )


def tool_result(text: str, *, rule: str | None = "mock rule 2") -> NewMessage:
    """Return the result of a mock tool."""
    return NewMessage(
        message=Message(role=Role.TOOL, text=text, name="now"),
        origin=MessageOrigin.MOCK,
        tool_run=StoredToolRun(call_index=1, is_error=True, milliseconds=1.1, rule=rule),
    )
