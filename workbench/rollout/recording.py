"""Recorded generations: what was asked, and what came; a replay answers the same question with the same answer."""

from dataclasses import asdict
from hashlib import sha256
from typing import cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message
from workbench.rollout.events import Generation
from workbench.rollout.sampling import Sampling
from workbench.toolspec.spec import canonical_json


def fingerprint(prompt: str, sampling: Sampling) -> str:
    """SHA-256 (hex) of what an engine is asked.

    Args:
        prompt: The text to go on from, a prefill included.
        sampling: How tokens are chosen.
    """
    return sha256(
        canonical_json({"prompt": prompt, "sampling": sampling_document(sampling)}).encode()
    ).hexdigest()


def sampling_document(sampling: Sampling) -> JsonObject:
    """The fields of a sampling as JSON."""
    return cast(JsonObject, asdict(sampling))


def recording_row(generation: Generation, message: Message) -> JsonObject:
    """One line of a recording: `fingerprint`, the question, and the answer as it was kept.

    `text` is what came behind the `prefill`, which the question holds already.
    """
    prompt = generation.prompt_text + generation.prefill
    calls: list[JsonValue] = [
        {
            "name": call.name,
            "arguments": call.arguments if call.arguments_text is None else call.arguments_text,
        }
        for call in message.calls
    ]
    return {
        "fingerprint": fingerprint(prompt, generation.sampling),
        "prompt": prompt,
        "is_exact": generation.is_exact,
        "sampling": sampling_document(generation.sampling),
        "text": message.text.removeprefix(generation.prefill),
        "thought": message.thought,
        "calls": calls,
        "finish_reason": generation.finish_reason.value,
        "engine": generation.engine_name,
    }
