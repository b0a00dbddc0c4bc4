"""What the votes of a session's comparisons come to: pairs of answers, and answers that nobody wants."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from workbench.chat.message import Message, Role
from workbench.records.comparisons import Preference, Side
from workbench.records.corpus.material import Material, ToldMessage
from workbench.records.corpus.obstacle import Obstacle, not_ready
from workbench.records.corpus.source import Source


class Pair(NamedTuple):
    """Two answers to one prompt."""

    prompt: Sequence[ToldMessage]
    chosen: Sequence[ToldMessage]
    rejected: Sequence[ToldMessage]
    """As it was: its correction is another answer."""
    leaf: ToldMessage | None = None
    """Of a vote: the last message of the chosen one, which says what model and contract the row is of."""
    contract_name: str = ""
    """Of a vote: the chosen one's contract."""


class _Told(NamedTuple):
    before: tuple[ToldMessage, ...]
    """Up to the user's message."""
    answer: tuple[ToldMessage, ...]


def voted_pairs(source: Source) -> Iterator[Pair | Obstacle]:
    """A pair for each answer that a vote held another above; the better one's system text is the prompt's.

    What both answers begin with belongs to the prompt.
    """
    for one in source.material.preferences.pairs:
        told = _pair(source.material, one)
        if told is not None:
            yield told


def voted_apart(source: Source) -> frozenset[frozenset[str]]:
    """The ids of the messages with which two answers part that were voted on."""
    pairs = (one for one in voted_pairs(source) if isinstance(one, Pair))
    return frozenset(frozenset({one.chosen[0].id, one.rejected[0].id}) for one in pairs)


def voted_bad(source: Source) -> Iterator[tuple[tuple[ToldMessage, ...], int]]:
    """Each answer of which a vote says that it is bad: its path, and where on it the answer begins."""
    for side in source.material.preferences.bad:
        told = _told(source.material, side)
        if told is not None:
            yield (*told.before, *told.answer), len(told.before)


def _pair(material: Material, one: Preference) -> Pair | Obstacle | None:
    chosen, rejected = _told(material, one.chosen), _told(material, one.rejected)
    if chosen is None or rejected is None:
        return None
    leaf = chosen.answer[-1]
    if _conversation(chosen.before) != _conversation(rejected.before):
        said = "the two answers that were voted on stand behind different conversations"
        return not_ready("no-preference", said, leaf.id)
    answers = zip(chosen.answer, rejected.answer, strict=False)
    shared = len(list(takewhile(lambda two: two[0].message == two[1].message, answers)))
    if shared == min(len(chosen.answer), len(rejected.answer)):
        return not_ready(
            "no-preference", "the two answers that were voted on say the same, as far as they go", leaf.id
        )
    return Pair(
        prompt=(*chosen.before, *chosen.answer[:shared]),
        chosen=chosen.answer[shared:],
        rejected=rejected.answer[shared:],
        leaf=leaf,
        contract_name=one.chosen.contract_name,
    )


def _told(material: Material, side: Side) -> _Told | None:
    """The answer's messages; None where some are gone by now."""
    if side.leaf_id not in material.by_id:
        return None
    path = material.path(side.leaf_id)
    ids = [one.id for one in path]
    if side.asked_id not in ids:
        return None
    border = ids.index(side.asked_id) + 1
    return _Told(path[:border], path[border:])


def _conversation(path: Sequence[ToldMessage]) -> list[Message]:
    """What was said before the answer; contracts differ, and are left out."""
    return [one.message for one in path if one.message.role is not Role.SYSTEM]
