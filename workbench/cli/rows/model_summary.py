"""Summaries that a model writes."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from workbench.chat.message import Conversation, Message, Role
from workbench.errors import EngineError
from workbench.hermes.render import render
from workbench.hermes.spelling.chatml import TURN_CLOSE
from workbench.rollout.ports import Engine, FinishReason, GenerationRequest
from workbench.rollout.sampling import Sampling
from workbench.trajectory.compress.compress import Summarise
from workbench.trajectory.compress.settings import CompressionSettings
from workbench.trajectory.formats.shared.text_entries import TextEntry

_LONGEST: Final = 3000
"""Characters of an entry that a model is shown whole; beyond, its beginning and its end."""
_HEAD: Final = 1500
_TAIL: Final = 500
_TASK: Final = (
    "Sum up this part of a conversation between a person, an assistant and tools. The summary will stand in "
    "its place, so keep what later steps may need: what was done and called, what came back, names, values, "
    "decisions. Write in the language of the conversation, plainly, in about {tokens} tokens, and write "
    "nothing but the summary.\n\n{entries}"
)


def summarising(engine: Engine, settings: CompressionSettings, otherwise: Summarise) -> Summarise:
    """What asks `engine`. An answer that is empty or cut off counts as none; after the last attempt, and
    where the engine fails, `otherwise` is taken."""

    def summarise(entries: Sequence[TextEntry]) -> str:
        request = _request(entries, settings)
        for attempt in range(max(settings.max_retries, 1)):
            sampling = replace(request.sampling, seed=attempt)
            try:
                text = _ask(engine, replace(request, sampling=sampling))
            except EngineError as error:
                print(f"workbench: no summary by the model: {error}", file=sys.stderr)
                break
            if text:
                return text
        return otherwise(entries)

    return summarise


def _request(entries: Sequence[TextEntry], settings: CompressionSettings) -> GenerationRequest:
    shown = "\n\n".join(
        f"[{place} {entry.role}]\n{_shown(entry.text)}" for place, entry in enumerate(entries)
    )
    task = _TASK.format(tokens=settings.summary_target_tokens, entries=shown)
    conversation = Conversation(messages=(Message(role=Role.USER, text=task),))
    prompt = render(conversation, family="hermes-3", has_contract=True, neutralise=True)
    sampling = Sampling(temperature=settings.temperature, max_tokens=2 * settings.summary_target_tokens)
    return GenerationRequest(prompt=prompt.text, sampling=sampling, stop=(TURN_CLOSE,))


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_HEAD]}\n[…]\n{text[-_TAIL:]}"


def _ask(engine: Engine, request: GenerationRequest) -> str:
    """What the engine wrote; empty where it was cut off."""
    pieces: list[str] = []
    for delta in engine.generate(request, is_cancelled=lambda: False):
        pieces.append(delta.text)
        if delta.finish_reason is FinishReason.LENGTH:
            return ""
    return "".join(pieces).strip()
