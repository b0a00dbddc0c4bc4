"""Make conversations for rows from a session: the displayed path, preference pairs, and judged answers."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Final

from workbench.chat.message import Role
from workbench.records.corpus.label_summary import LabelSummary
from workbench.records.corpus.material import (
    ExportBlocker,
    ExportMessage,
    ImportedRow,
    not_ready,
)
from workbench.records.corpus.session_rows import ExportSource, MessageRun, at_place
from workbench.records.corpus.voted_answers import PreferencePair, voted_bad, voted_message_pairs, voted_pairs
from workbench.records.label import Verdict
from workbench.records.sessions import MessageOrigin
from workbench.trajectory.formats.known import format_named
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.validate.check import CheckedRow
from workbench.trajectory.writing.row_draft import ConversionChange

GOOD_RATING: Final = 4
"""Minimum rating of a good answer, if there is no verdict."""
BAD_RATING: Final = 2
"""Maximum rating of a bad answer, if there is no verdict."""
_NOTHING: Final = MessageRun((), ())


@dataclass(frozen=True, kw_only=True)
class ExportConversation:
    """A conversation to be written as a row."""

    read: Callable[[], Trajectory]
    """Returns the trajectory. That of an unchanged row is only needed to split rows and to compare types."""
    ids: tuple[str, ...]
    """Id of the session's message for each message of the trajectory."""
    rejected_ids: tuple[str, ...] = ()
    """The same for the rejected answer."""
    fixes: tuple[str, ...] = ()
    """Codes of the applied safe fixes, one per message and code."""
    fixed_messages: int = 0
    corrected_messages: int = 0
    origins: tuple[MessageOrigin | None, ...] = ()
    """Who wrote each message of the trajectory; a person if it was corrected."""
    losses: tuple[ConversionChange, ...] = ()
    """What corrected messages of an imported row cannot have any more."""
    kept: ImportedRow | None = None
    """The imported row, if the entries that did not change are written with their original bytes."""
    person_messages: int = 0
    """Messages that a person wrote in place of the model or a tool: edited answers, and results by hand."""
    unchanged: CheckedRow | None = None
    """The imported row, if it is written with its original bytes; None for all other rows."""
    original: bytes | None = None
    """These bytes; None to write the fields of the unchanged row."""

    @cached_property
    def trajectory(self) -> Trajectory:
        """The conversation with its tools and columns."""
        return self.read()


def session_conversations(source: ExportSource) -> Iterator[ExportConversation | ExportBlocker]:
    """Yield all conversations of a session for the chosen format, or why there is none."""
    content = format_named(source.options.format).content
    make_conversations = {
        RowContent.PAIR: _pairs,
        RowContent.VERDICT: _verdicts,
        RowContent.CONVERSATION: _shown,
    }[content]
    yield from make_conversations(source)


def _shown(source: ExportSource) -> Iterator[ExportConversation | ExportBlocker]:
    """Yield the displayed path."""
    path = source.material.path(source.material.leaf_id)
    if source.is_written_as_imported:
        yield _unchanged(source)
    elif not any(message.message.role is Role.ASSISTANT for message in path):
        yield not_ready("not-answered", "the model has not answered yet")
    elif path[-1].message.role is not Role.ASSISTANT and not source.options.is_raw:
        role, place = path[-1].message.role, len(path)
        problem = f"message {place}: the last message has the role {role}, not assistant"
        yield not_ready("not-answered", problem, path[-1].id)
    else:
        run = source.export_path(path)
        yield run if isinstance(run, ExportBlocker) else _as_imported(source, run)


def _unchanged(source: ExportSource) -> ExportConversation:
    """Return the imported row itself."""
    imported, row = source.material.imported, source.checked_row
    assert imported is not None and row is not None
    return ExportConversation(
        read=lambda: source.row or Trajectory(messages=()),
        ids=imported.message_ids,
        rejected_ids=imported.rejected_ids,
        origins=(MessageOrigin.IMPORT,) * len(imported.message_ids),
        unchanged=row,
        original=imported.original,
    )


def _as_imported(source: ExportSource, run: MessageRun) -> ExportConversation:
    """Convert a path. If it is still the path of the imported row, use the row's rejected answer and label too."""
    row, imported = source.row, source.material.imported
    if row is None or imported is None or run.own_ids != imported.message_ids:
        return _conversation(source, run)
    rejected = source.export_path([source.material.by_id[message_id] for message_id in imported.rejected_ids])
    if isinstance(rejected, ExportBlocker):
        rejected = _NOTHING
    start = row.answer_start
    # A call that was added before a message is counted as a part of it.
    if start is not None and start < len(imported.message_ids):
        start = run.ids.index(imported.message_ids[start])
    return _conversation(source, run, rejected, start, label=row.label, kept=source.kept_row)


def _pairs(source: ExportSource) -> Iterator[ExportConversation | ExportBlocker]:
    """Yield pairs: imported ones, originals with their corrections, siblings of which one is better, and votes."""
    has_rows = False
    for pair in _imported_pair(source):
        has_rows = True
        yield _unchanged(source) if source.is_written_as_imported else _kept(source, _pair(source, pair))
    for pair in chain(_corrections(source), _siblings(source)):
        has_rows = True
        yield _pair(source, pair)
    for voted in voted_pairs(source):
        has_rows = True
        yield voted if isinstance(voted, ExportBlocker) else _pair(source, voted)
    if not has_rows:
        yield not_ready("no-preference", "there are no two answers to the same prompt of which one is better")


def _kept(
    source: ExportSource, conversation: ExportConversation | ExportBlocker
) -> ExportConversation | ExportBlocker:
    """Keep the entries of the imported row that nobody corrected."""
    if isinstance(conversation, ExportBlocker):
        return conversation
    return replace(conversation, kept=source.kept_row)


def _imported_pair(source: ExportSource) -> Iterator[PreferencePair]:
    imported, row = source.material.imported, source.row
    if imported is None or row is None or not imported.rejected_ids:
        return
    messages = [source.material.by_id[message_id] for message_id in imported.message_ids]
    rejected = [source.material.by_id[message_id] for message_id in imported.rejected_ids]
    prompt, chosen = messages[: row.answer_index], messages[row.answer_index :]
    if not chosen:
        return
    verdict = source.summary_of(chosen[0]).pair
    if verdict is None and _is_better(source, rejected[0], chosen[0]):
        verdict = Verdict.SECOND_BETTER
    if verdict in (None, Verdict.FIRST_BETTER):
        yield PreferencePair(prompt, chosen, rejected)
    elif verdict is Verdict.SECOND_BETTER:
        yield PreferencePair(prompt, rejected, chosen)


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
            better = [answer for answer in answers if _is_better(source, answer, other)]
            if better:
                best = max(better, key=lambda answer: _rank(source.summary_of(answer)))
                # A vote on exactly these two answers takes precedence over separate labels.
                if not {best.id, other.id} <= known and frozenset({best.id, other.id}) not in voted:
                    yield PreferencePair(source.material.path(best.parent_id), [best], [other])


def _rank(summary: LabelSummary) -> tuple[int, float]:
    return (0 if summary.is_good is None else 1 if summary.is_good else -1), summary.rating or 0


def _is_better(source: ExportSource, answer: ExportMessage, other: ExportMessage) -> bool:
    """Whether labels say that an answer is better: it is good and the other bad, or it has a higher rating."""
    of_answer, of_other = source.summary_of(answer), source.summary_of(other)
    if (
        of_answer.is_good is not None
        and of_other.is_good is not None
        and of_answer.is_good is not of_other.is_good
    ):
        return of_answer.is_good
    return of_answer.rating is not None and of_other.rating is not None and of_answer.rating > of_other.rating


def _pair(source: ExportSource, pair: PreferencePair) -> ExportConversation | ExportBlocker:
    chosen = source.export_path([*pair.prompt, *pair.chosen])
    if isinstance(chosen, ExportBlocker):
        return chosen
    rejected = source.export_path(pair.rejected, is_original=True, is_bad=True)
    if isinstance(rejected, ExportBlocker):
        return replace(rejected, is_defect=False)
    start = chosen.ids.index(pair.chosen[0].id)
    return _conversation(source, chosen, rejected, start, pair=pair)


def _verdicts(source: ExportSource) -> Iterator[ExportConversation | ExportBlocker]:
    """Yield each judged answer. A corrected one gives two: the original as bad, the correction as good."""
    has_rows = False
    row, imported = source.row, source.material.imported
    if row is not None and imported is not None and row.label is not None:
        path = [source.material.by_id[message] for message in imported.message_ids]
        if path[-1:] and _label(source.summary_of(path[-1])) is None:
            has_rows = True
            if source.is_written_as_imported:
                yield _unchanged(source)
            else:
                yield _kept(source, _labelled(source, path, row.answer_index, is_good=row.label))
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
        if all(_label(source.summary_of(message)) is None for message in path[start:]):
            has_rows = True
            yield _labelled(source, path, start, is_good=False)
    if not has_rows:
        yield not_ready("not-judged", "no answer has a verdict or a rating other than 3")


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
    answer = source.export_path(path[start:], is_original=is_original, is_bad=not is_good)
    if isinstance(prompt, ExportBlocker):
        return prompt
    if isinstance(answer, ExportBlocker):
        return replace(answer, is_defect=is_good)
    run = MessageRun((*prompt.ids, *answer.ids), (*prompt.exported, *answer.exported))
    return _conversation(source, run, _NOTHING, len(prompt.ids), label=is_good)


_BY_PERSON: Final = {Role.ASSISTANT: "answers", Role.TOOL: "results"}
"""What a person wrote, as the column `written_by_person` counts it."""


def _answers(source: ExportSource) -> Iterator[ExportMessage]:
    """Yield the model's messages on all branches, without copies."""
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
    kept: ImportedRow | None = None,
) -> ExportConversation:
    exported = (*run.exported, *rejected.exported)
    rejected_messages = tuple(
        at_place(message, place) for place, message in enumerate(rejected.messages, start=len(run.exported))
    )
    columns = (
        source.columns(leaf=pair.leaf, contract_name=pair.contract_name)
        if pair and pair.leaf
        else source.columns()
    )
    # An added message has no message of the session.
    written = [source.material.by_id.get(message_id) for message_id in (*run.ids, *rejected.ids)]
    by_person = [_BY_PERSON[message.message.role] for message in written if message and message.is_by_person]
    trajectory = Trajectory(
        messages=run.messages,
        tools=source.tools,
        rejected=rejected_messages,
        answer_start=answer_start,
        label=label,
        columns={
            **columns,
            **({"written_by_person": dict(Counter(by_person))} if by_person and not source.row else {}),
        },
    )
    return ExportConversation(
        read=lambda: trajectory,
        ids=run.ids,
        rejected_ids=rejected.ids,
        fixes=tuple(code for message in exported for code in message.fixes),
        fixed_messages=sum(1 for message in exported if message.fixes),
        corrected_messages=sum(1 for message in exported if message.is_corrected),
        origins=tuple(
            MessageOrigin.PERSON if message.is_corrected else source.material.by_id[message_id].origin
            for message_id, message in zip(run.ids, run.exported, strict=True)
        ),
        losses=tuple(
            replace(loss, entry=place) for place, message in enumerate(exported) for loss in message.losses
        ),
        person_messages=len(by_person),
        kept=kept,
    )
