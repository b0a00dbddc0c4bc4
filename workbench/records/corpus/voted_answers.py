"""Make preference pairs and bad examples from the votes on a session's answers."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from workbench.chat.message import Message, Role
from workbench.records.comparisons import Preference, VotedAnswer
from workbench.records.corpus.material import ExportBlocker, ExportMessage, SessionMaterial, not_ready
from workbench.records.corpus.session_rows import ExportSource


class PreferencePair(NamedTuple):
    """Two answers to the same prompt."""

    prompt: Sequence[ExportMessage]
    chosen: Sequence[ExportMessage]
    rejected: Sequence[ExportMessage]
    """Without corrections, because a corrected text is a different answer."""
    leaf: ExportMessage | None = None
    """For a vote: last message of the chosen answer, which determines the row's model and contract."""
    contract_name: str = ""
    """For a vote: contract of the chosen answer."""


class _AnsweredPrompt(NamedTuple):
    before: tuple[ExportMessage, ...]
    """Messages up to the user's message."""
    answer: tuple[ExportMessage, ...]


def voted_pairs(source: ExportSource) -> Iterator[PreferencePair | ExportBlocker]:
    """Yield a pair for each answer that lost a vote. The prompt has the system text of the chosen answer.

    Messages that both answers begin with belong to the prompt.
    """
    for preference in source.material.preferences.pairs:
        pair = _pair_of_vote(source.material, preference)
        if pair is not None:
            yield pair


def voted_message_pairs(source: ExportSource) -> frozenset[frozenset[str]]:
    """Return the ids of the first different messages of each voted pair."""
    pairs = (pair for pair in voted_pairs(source) if isinstance(pair, PreferencePair))
    return frozenset(frozenset({pair.chosen[0].id, pair.rejected[0].id}) for pair in pairs)


def voted_bad(source: ExportSource) -> Iterator[tuple[tuple[ExportMessage, ...], int]]:
    """Yield the path of each answer that was voted bad, with the index where the answer begins."""
    for side in source.material.preferences.bad:
        prompt = _answered_prompt(source.material, side)
        if prompt is not None:
            yield (*prompt.before, *prompt.answer), len(prompt.before)


def _pair_of_vote(material: SessionMaterial, preference: Preference) -> PreferencePair | ExportBlocker | None:
    chosen, rejected = (
        _answered_prompt(material, preference.chosen),
        _answered_prompt(material, preference.rejected),
    )
    if chosen is None or rejected is None:
        return None
    leaf = chosen.answer[-1]
    if _messages_of(chosen.before) != _messages_of(rejected.before):
        problem = "the two voted answers follow different conversations"
        return not_ready("no-preference", problem, leaf.id)
    answers = zip(chosen.answer, rejected.answer, strict=False)
    shared = len(
        list(takewhile(lambda answer_pair: answer_pair[0].message == answer_pair[1].message, answers))
    )
    if shared == min(len(chosen.answer), len(rejected.answer)):
        return not_ready("no-preference", "the two voted answers are the same, as far as they go", leaf.id)
    return PreferencePair(
        prompt=(*chosen.before, *chosen.answer[:shared]),
        chosen=chosen.answer[shared:],
        rejected=rejected.answer[shared:],
        leaf=leaf,
        contract_name=preference.chosen.contract_name,
    )


def _answered_prompt(material: SessionMaterial, side: VotedAnswer) -> _AnsweredPrompt | None:
    """Return the prompt and the answer, or None if some of the messages no longer exist."""
    if side.leaf_id not in material.by_id:
        return None
    path = material.path(side.leaf_id)
    ids = [message.id for message in path]
    if side.asked_id not in ids:
        return None
    answer_start = ids.index(side.asked_id) + 1
    return _AnsweredPrompt(path[:answer_start], path[answer_start:])


def _messages_of(path: Sequence[ExportMessage]) -> list[Message]:
    """Return the messages before an answer, without system texts, because contracts may differ."""
    return [
        exported_message.message
        for exported_message in path
        if exported_message.message.role is not Role.SYSTEM
    ]
