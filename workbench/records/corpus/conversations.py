"""Turn one session into conversations for rows: the displayed path, preference pairs, and judged answers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile
from typing import Final, NamedTuple

from workbench.chat.message import Message, Role
from workbench.records.comparisons import Preference, VotedAnswer
from workbench.records.corpus.label_summary import LabelSummary
from workbench.records.corpus.material import ExportBlocker, ExportMessage, SessionMaterial, not_ready
from workbench.records.corpus.session_rows import ExportSource, MessageRun
from workbench.trajectory.formats.known import format_named
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.trajectory import Trajectory


class PreferencePair(NamedTuple):
    """Two answers to one prompt."""

    prompt: Sequence[ExportMessage]
    chosen: Sequence[ExportMessage]
    rejected: Sequence[ExportMessage]
    """As it was: its correction is another answer."""
    leaf: ExportMessage | None = None
    """Of a vote: the last message of the chosen one, which says what model and contract the row is of."""
    contract_name: str = ""
    """Of a vote: the chosen one's contract."""


class _AnsweredPrompt(NamedTuple):
    before: tuple[ExportMessage, ...]
    """Up to the user's message."""
    answer: tuple[ExportMessage, ...]


def voted_pairs(source: ExportSource) -> Iterator[PreferencePair | ExportBlocker]:
    """A pair for each answer that a vote held another above; the better one's system text is the prompt's.

    What both answers begin with belongs to the prompt.
    """
    for one in source.material.preferences.pairs:
        told = _pair_of_vote(source.material, one)
        if told is not None:
            yield told


def voted_message_pairs(source: ExportSource) -> frozenset[frozenset[str]]:
    """The ids of the messages with which two answers part that were voted on."""
    pairs = (one for one in voted_pairs(source) if isinstance(one, PreferencePair))
    return frozenset(frozenset({one.chosen[0].id, one.rejected[0].id}) for one in pairs)


def voted_bad(source: ExportSource) -> Iterator[tuple[tuple[ExportMessage, ...], int]]:
    """Each answer of which a vote says that it is bad: its path, and where on it the answer begins."""
    for side in source.material.preferences.bad:
        told = _answered_prompt(source.material, side)
        if told is not None:
            yield (*told.before, *told.answer), len(told.before)


def _pair_of_vote(material: SessionMaterial, one: Preference) -> PreferencePair | ExportBlocker | None:
    chosen, rejected = _answered_prompt(material, one.chosen), _answered_prompt(material, one.rejected)
    if chosen is None or rejected is None:
        return None
    leaf = chosen.answer[-1]
    if _messages_of(chosen.before) != _messages_of(rejected.before):
        said = "the two answers that were voted on stand behind different conversations"
        return not_ready("no-preference", said, leaf.id)
    answers = zip(chosen.answer, rejected.answer, strict=False)
    shared = len(list(takewhile(lambda two: two[0].message == two[1].message, answers)))
    if shared == min(len(chosen.answer), len(rejected.answer)):
        return not_ready(
            "no-preference", "the two answers that were voted on say the same, as far as they go", leaf.id
        )
    return PreferencePair(
        prompt=(*chosen.before, *chosen.answer[:shared]),
        chosen=chosen.answer[shared:],
        rejected=rejected.answer[shared:],
        leaf=leaf,
        contract_name=one.chosen.contract_name,
    )


def _answered_prompt(material: SessionMaterial, side: VotedAnswer) -> _AnsweredPrompt | None:
    """The answer's messages; None where some are gone by now."""
    if side.leaf_id not in material.by_id:
        return None
    path = material.path(side.leaf_id)
    ids = [one.id for one in path]
    if side.asked_id not in ids:
        return None
    border = ids.index(side.asked_id) + 1
    return _AnsweredPrompt(path[:border], path[border:])


def _messages_of(path: Sequence[ExportMessage]) -> list[Message]:
    """What was said before the answer; contracts differ, and are left out."""
    return [one.message for one in path if one.message.role is not Role.SYSTEM]


GOOD_RATING: Final = 4
"""So much or more is a good answer, where no verdict was given."""
BAD_RATING: Final = 2
"""So much or less is a bad one."""
_NOTHING: Final = MessageRun((), ())


@dataclass(frozen=True, kw_only=True)
class ExportConversation:
    """One row to be."""

    trajectory: Trajectory
    ids: tuple[str, ...]
    """The session's message for each of the trajectory's."""
    rejected_ids: tuple[str, ...] = ()
    """The same for the rejected answer."""
    fixes: tuple[str, ...] = ()
    """Codes of the safe fixes that were made, one a message and code."""
    fixed_messages: int = 0
    corrected_messages: int = 0


def session_conversations(source: ExportSource) -> Iterator[ExportConversation | ExportBlocker]:
    """All rows of a session in the wanted format, or why there is none."""
    content = format_named(source.options.format).content
    export_message = {
        RowContent.PAIR: _pairs,
        RowContent.VERDICT: _verdicts,
        RowContent.CONVERSATION: _shown,
    }[content]
    yield from export_message(source)


def _shown(source: ExportSource) -> Iterator[ExportConversation | ExportBlocker]:
    """The open path."""
    path = source.material.path(source.material.leaf_id)
    if not any(one.message.role is Role.ASSISTANT for one in path):
        yield not_ready("not-answered", "the model has not said anything yet")
    elif path[-1].message.role is not Role.ASSISTANT:
        role, place = path[-1].message.role, len(path)
        said = f"message {place}: the last message is the {role}'s, not the model's"
        yield not_ready("not-answered", said, path[-1].id)
    else:
        stretch = source.export_path(path)
        yield stretch if isinstance(stretch, ExportBlocker) else _as_imported(source, stretch)


def _as_imported(source: ExportSource, stretch: MessageRun) -> ExportConversation:
    """A path as it is; with what the row said of its answer, where it is still that row's path."""
    row, imported = source.row, source.material.imported
    plain = _conversation(source, stretch)
    if row is None or imported is None or stretch.ids != imported.message_ids:
        return plain
    rejected = source.export_path([source.material.by_id[one] for one in imported.rejected_ids])
    if isinstance(rejected, ExportBlocker):
        rejected = _NOTHING
    return _conversation(source, stretch, rejected, row.answer_start, label=row.label)


def _pairs(source: ExportSource) -> Iterator[ExportConversation | ExportBlocker]:
    """Two answers to one prompt: siblings of which one is better, and originals with what should stand there."""
    has_rows = False
    for pair in chain(_imported_pair(source), _corrections(source), _siblings(source)):
        has_rows = True
        yield _pair(source, pair)
    for told in voted_pairs(source):
        has_rows = True
        yield told if isinstance(told, ExportBlocker) else _pair(source, told)
    if not has_rows:
        yield not_ready("no-preference", "no two answers to one prompt of which one is better")


def _imported_pair(source: ExportSource) -> Iterator[PreferencePair]:
    imported, row = source.material.imported, source.row
    if imported is None or row is None or not imported.rejected_ids:
        return
    own = [source.material.by_id[one] for one in imported.message_ids]
    rejected = [source.material.by_id[one] for one in imported.rejected_ids]
    start = row.answer_index
    if own[start:] and not _is_better(source, rejected[0], own[start]):
        yield PreferencePair(own[:start], own[start:], rejected)


def _corrections(source: ExportSource) -> Iterator[PreferencePair]:
    for message in _answers(source):
        if source.summary_of(message).is_corrected:
            path = source.material.path(message.id)
            yield PreferencePair(path[:-1], path[-1:], path[-1:])


def _siblings(source: ExportSource) -> Iterator[PreferencePair]:
    imported = source.material.imported
    known = {imported.message_ids[-1], *imported.rejected_ids[:1]} if imported else set[str]()
    voted = voted_message_pairs(source)
    by_parent: dict[str | None, list[ExportMessage]] = defaultdict(list)
    for message in _answers(source):
        by_parent[message.parent_id].append(message)
    for answers in by_parent.values():
        for other in answers:
            better = [one for one in answers if _is_better(source, one, other)]
            if better:
                best = max(better, key=lambda one: _rank(source.summary_of(one)))
                # A vote on just these two is nearer to them than what was said of each.
                if not {best.id, other.id} <= known and frozenset({best.id, other.id}) not in voted:
                    yield PreferencePair(source.material.path(best.parent_id), [best], [other])


def _rank(summary: LabelSummary) -> tuple[int, float]:
    return (0 if summary.is_good is None else 1 if summary.is_good else -1), summary.rating or 0


def _is_better(source: ExportSource, one: ExportMessage, other: ExportMessage) -> bool:
    """Whether labellers said so: one is good and the other bad, or else it was rated higher."""
    left, right = source.summary_of(one), source.summary_of(other)
    if left.is_good is not None and right.is_good is not None and left.is_good is not right.is_good:
        return left.is_good
    return left.rating is not None and right.rating is not None and left.rating > right.rating


def _pair(source: ExportSource, pair: PreferencePair) -> ExportConversation | ExportBlocker:
    told = source.export_path([*pair.prompt, *pair.chosen])
    if isinstance(told, ExportBlocker):
        return told
    other = source.export_path(pair.rejected, is_original=True)
    if isinstance(other, ExportBlocker):
        return replace(other, is_defect=False)
    return _conversation(source, told, other, len(pair.prompt), pair=pair)


def _verdicts(source: ExportSource) -> Iterator[ExportConversation | ExportBlocker]:
    """Each answer that was judged; a corrected one as it was, a bad answer, and as it should be, a good one."""
    has_rows = False
    row, imported = source.row, source.material.imported
    if row is not None and imported is not None and row.label is not None:
        path = [source.material.by_id[one] for one in imported.message_ids]
        if path[-1:] and _label(source.summary_of(path[-1])) is None:
            has_rows = True
            yield _labelled(source, path, row.answer_index, is_good=row.label)
    for message in _answers(source):
        summary, path = source.summary_of(message), source.material.path(message.id)
        is_good = _label(summary)
        if is_good is not None:
            has_rows = True
            yield _labelled(source, path, len(path) - 1, is_good=is_good, is_original=summary.is_corrected)
        if summary.is_corrected:
            has_rows = True
            yield _labelled(source, path, len(path) - 1, is_good=True)
    for path, start in voted_bad(source):
        if all(_label(source.summary_of(one)) is None for one in path[start:]):
            has_rows = True
            yield _labelled(source, path, start, is_good=False)
    if not has_rows:
        yield not_ready("not-judged", "no answer has a verdict, or a rating other than 3")


def _label(summary: LabelSummary) -> bool | None:
    if summary.is_corrected:
        return False
    if summary.is_good is not None or summary.rating is None:
        return summary.is_good
    return True if summary.rating >= GOOD_RATING else False if summary.rating <= BAD_RATING else None


def _labelled(
    source: ExportSource,
    path: Sequence[ExportMessage],
    start: int,
    *,
    is_good: bool,
    is_original: bool = False,
) -> ExportConversation | ExportBlocker:
    prompt = source.export_path(path[:start])
    answer = source.export_path(path[start:], is_original=is_original)
    if isinstance(prompt, ExportBlocker):
        return prompt
    if isinstance(answer, ExportBlocker):
        return replace(answer, is_defect=is_good)
    run = MessageRun((*prompt.ids, *answer.ids), (*prompt.exported, *answer.exported))
    return _conversation(source, run, _NOTHING, start, label=is_good)


def _answers(source: ExportSource) -> Iterator[ExportMessage]:
    """The model's messages of all branches; copies are their originals' again."""
    for message in source.material.messages:
        if message.message.role is Role.ASSISTANT and message.original_id == message.id:
            yield message


def _conversation(
    source: ExportSource,
    run: MessageRun,
    rejected: MessageRun = _NOTHING,
    answer_start: int | None = None,
    *,
    label: bool | None = None,
    pair: PreferencePair | None = None,
) -> ExportConversation:
    exported = (*run.exported, *rejected.exported)
    rejected_messages = tuple(
        replace(message, place=place)
        for place, message in enumerate(rejected.messages, start=len(run.exported))
    )
    return ExportConversation(
        trajectory=Trajectory(
            messages=run.messages,
            tools=source.tools,
            rejected=rejected_messages,
            answer_start=answer_start,
            label=label,
            columns=source.columns(leaf=pair.leaf, contract_name=pair.contract_name)
            if pair and pair.leaf
            else source.columns(),
        ),
        ids=run.ids,
        rejected_ids=rejected.ids,
        fixes=tuple(code for message in exported for code in message.fixes),
        fixed_messages=sum(1 for message in exported if message.fixes),
        corrected_messages=sum(1 for message in exported if message.is_corrected),
    )
