"""Helpers to ask the kinds of remote engines."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from workbench.chat.message import Conversation, Message, Role
from workbench.engines.remote.engine import RemoteEngine
from workbench.engines.remote.openai_api import open_hf_inference, open_openai
from workbench.engines.remote.server import Mode, Server
from workbench.rollout.ports import Delta, GenerationRequest
from workbench.rollout.sampling import Sampling
from workbench.settings import Secret
from workbench.toolspec.spec import OfferedTools, ToolSpec

KEY = "sk-very-secret-0123456789"
TOOLS = OfferedTools(
    specs=(
        ToolSpec.of_function(
            {"name": "now", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}}
        ),
    )
)
CONVERSATION = Conversation(messages=(Message(role=Role.USER, text="What time is it?"),))
REQUEST = GenerationRequest(
    prompt="<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    sampling=Sampling(max_tokens=32),
    conversation=CONVERSATION,
    tools=TOOLS,
)


def openai_engine(url: str, **changes: object) -> RemoteEngine:
    server = replace(Server(name="", base_url=url, key=Secret(KEY), timeout_s=5.0), **changes)
    return open_openai(server, "hermes", name="openai:hermes", wait=lambda _: None)


def raw_engine(url: str, **changes: object) -> RemoteEngine:
    return openai_engine(url, mode=Mode.RAW, **changes)


def hf_engine(url: str, *, timeout_s: float = 5.0) -> RemoteEngine:
    return open_hf_inference(
        "NousResearch/Hermes", name="hf-inference:NousResearch/Hermes", token=Secret(KEY),
        timeout_s=timeout_s, wait=lambda _: None, base_url=url,
    )  # fmt: skip


def ask(
    engine: RemoteEngine,
    request: GenerationRequest = REQUEST,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Sequence[Delta]:
    try:
        return list(engine.generate(request, is_cancelled=is_cancelled))
    finally:
        engine.close()


def asking_for(max_tokens: int) -> GenerationRequest:
    return replace(REQUEST, sampling=Sampling(max_tokens=max_tokens))


def text_of(deltas: Sequence[Delta]) -> str:
    return "".join(delta.text for delta in deltas)
