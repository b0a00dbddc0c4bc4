"""Compare the loss mask of a row with the tokens that a trainer really trains on.

The trainer's own code says which tokens it trains on, but not to which message a token belongs, and every chat
template writes messages differently. So the trainer gets each row a second time, with invisible marks in it: two
characters that no text has, one in the first word of a message and one in its last word. In

    {"role": "user", "content": "Weather in Paris?"}

they are after the `W` and before the last `s`. The trainer renders the copy as it rendered the row, so the marks in its
text show where each message is. Without the marks, the text of the copy must begin with that of the row, which may be
cut off; if it does not, for example because a template shortens texts, nothing is claimed about the row.

The marks are within words because templates look for tags such as `<think>`, and strip white space at the edges. A
call is marked in its name, because templates may write arguments in any form.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from workbench.chat.finding import Severity, Span
from workbench.chat.json_value import JsonObject, pointer_parts
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.mask import MaskedText, TrainedToken
from workbench.trajectory.row import RowEntry, RowFinding, TrainingRow

_FIRST_MARK: Final = 0xF0000
"""The first character of a plane for private use. The entry with the index n has the marks 2n and 2n + 1."""
_MARK: Final = re.compile("[\U000f0000-\U000ffffd]")
_WORD: Final = re.compile(r"""(?<![\w<&|/\\])\w+(?![\w>;|]|['"]\s*:)""")
"""A word that is not the name of a tag, a special token, an escape or a key of JSON."""


class _Mark(NamedTuple):
    pointer: str
    """JSON pointer to a text."""
    offset: int
    """Where to insert the mark."""
    mark: str


def marked_row(row: TrainingRow) -> JsonObject | None:
    """Return a copy of the row's fields with marks in its messages. None if the row has such characters itself."""
    fields = deepcopy(dict(row.fields))
    marks = [mark for index, entry in enumerate(row.entries) for mark in _marks(entry, index, row.fields)]
    if _MARK.search(template_json(row.fields)) or 2 * len(row.entries) > 0xFFFD:
        return None
    # From the end, so that the other offsets stay valid.
    for pointer, offset, mark in sorted(marks, reverse=True):
        parent, key = _place(fields, pointer)
        text = parent[key]
        parent[key] = text[:offset] + mark + text[offset:]
    return fields


def _marks(entry: RowEntry, index: int, fields: JsonObject) -> Iterator[_Mark]:
    """Yield the marks of an entry: in the first and the last word of its text and of its calls' names."""
    spots: list[tuple[str, int]] = []
    for pointer, start, text in _texts(entry, fields):
        for word in _WORD.finditer(text):
            spots += [(pointer, start + word.start() + 1), (pointer, start + word.end() - 1)]
    for spot, number in zip((spots[0], spots[-1]) if spots else (), (0, 1), strict=False):
        yield _Mark(*spot, chr(_FIRST_MARK + 2 * index + number))


def _texts(entry: RowEntry, fields: JsonObject) -> Iterator[tuple[str, int, str]]:
    """Yield pointer, offset and content of the text and of the names of calls outside it."""
    parent, key = _place(fields, entry.text_pointer)
    whole = parent[key] if parent is not None else None
    if isinstance(whole, str) and entry.text and whole.startswith(entry.text, entry.text_start):
        yield entry.text_pointer, entry.text_start, entry.text
    for call in entry.calls:
        for pointer in (f"{call.pointer}/function/name", f"{call.pointer}/name", call.pointer):
            parent, key = _place(fields, pointer)
            text = parent[key] if parent is not None else None
            if isinstance(text, str) and call.name and call.name in text:
                yield pointer, text.index(call.name), call.name
                break


def _place(fields: Any, pointer: str) -> tuple[Any, Any]:
    """Return what holds the value at a pointer, and its key there. None if there is no such place."""
    parent: Any = None
    key: Any = None
    value = fields
    for part in pointer_parts(pointer):
        parent, key = value, int(part) if isinstance(value, list) and part.isdecimal() else part
        try:
            value = parent[key]
        except (KeyError, IndexError, TypeError):
            return None, None
    return parent, key


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerText:
    """A row as a trainer feeds it to the model."""

    text: str
    """All tokens, decoded."""
    tokens: tuple[TrainedToken, ...]

    @property
    def masked(self) -> MaskedText:
        """The text with the spans of neighbouring trained tokens."""
        spans: list[Span] = []
        for token, is_trained in self.tokens:
            if not is_trained:
                continue
            if spans and spans[-1].end == token.span.start:
                spans[-1] = Span(spans[-1].start, token.span.end)
            else:
                spans.append(token.span)
        return MaskedText(text=self.text, trained=tuple(spans))


def located_entries(text: str, marked: str) -> Mapping[int, Span] | None:
    """Return where each entry is in a text, from the whole text with marks.

    Returns:
        A span for each entry, from its first to its last mark, without those that are cut off. None if the text is not
        the marked text, or its beginning.

    >>> located_entries("a: Weather in Paris", "a: W\U000f0000eather in Pari\U000f0001s")
    {0: Span(start=4, end=18)}
    """
    # A character of several tokens may be cut in two.
    text = text.rstrip("\ufffd")
    if not _MARK.sub("", marked).startswith(text):
        return None
    found: dict[int, Span] = {}
    for before, match in enumerate(_MARK.finditer(marked)):
        index, position = (ord(match.group()) - _FIRST_MARK) // 2, match.start() - before
        if position < len(text):
            known = found.get(index, Span(position, position))
            found[index] = Span(min(known.start, position), max(known.end, position))
    return found


def compare_mask(
    row: TrainingRow, rendered: TrainerText | None, marked: str | None, *, ends: frozenset[int] = frozenset()
) -> tuple[RowFinding, ...]:
    """Return where the mask of a row and that of the trainer differ, in the order of the entries.

    Args:
        row: The row, as its format reads it.
        rendered: The row, as the trainer feeds it to the model. None if the trainer leaves it out.
        marked: The text of the marked row in the trainer's words. None if it has none.
        ends: Ids of tokens that can end a turn.
    """
    if rendered is None:
        message = "the trainer leaves out the row, because no token of it would be trained on"
        return (RowFinding(code="mask-dropped", message=message),)
    places = None if marked is None else located_entries(rendered.text, marked)
    if places is None:
        message = "messages cannot be found in the trainer's text, so their masks were not compared"
        return (RowFinding(code="mask-not-compared", message=message, severity=Severity.WARNING),)
    findings: list[RowFinding] = []
    starts = sorted(span.start for span in places.values())
    for index, entry in enumerate(row.entries):
        span = places.get(index)
        if span is None:
            if next(_marks(entry, index, row.fields), None):
                findings.append(
                    _finding("mask-left-out", entry, "is not in the trainer's text: left out or cut off")
                )
            elif entry.text.strip() or entry.calls:
                findings.append(_finding("mask-not-compared", entry, "cannot be found in the trainer's text"))
            continue
        inside = [
            is_trained
            for token, is_trained in rendered.tokens
            if token.span.start < max(span.end, span.start + 1) and span.start < token.span.end
        ]
        findings.extend(_differences(entry, inside))
        if entry.role is Role.ASSISTANT and any(inside) and ends:
            following = next((start for start in starts if start > span.start), len(rendered.text))
            end = next(
                (
                    is_trained
                    for token, is_trained in rendered.tokens
                    if token.id in ends and span.end <= token.span.start < following
                ),
                True,
            )
            if not end:
                findings.append(
                    _finding("mask-end-untrained", entry, "is trained, but not the token that ends it")
                )
    return tuple(findings)


def _differences(entry: RowEntry, inside: Sequence[bool]) -> Iterator[RowFinding]:
    """Yield how the row's mask of an entry differs from the trainer's mask of its tokens."""
    is_stated = entry.is_trained is not None
    expected = entry.is_trained if is_stated else entry.role is Role.ASSISTANT
    why = "as the row says" if is_stated else f"as is usual for {entry.speaker!r}"
    severity = Severity.ERROR if is_stated else Severity.WARNING
    if expected and not any(inside):
        yield _finding("mask-ignored", entry, f"is not trained on, though it should be, {why}", severity)
    elif expected and not all(inside):
        count = sum(inside)
        yield _finding("mask-partial", entry, f"is trained on only in part: {count} of {len(inside)} tokens")
    elif not expected and any(inside):
        yield _finding("mask-ignored", entry, f"is trained on, though it should not be, {why}", severity)


def _finding(code: str, entry: RowEntry, problem: str, severity: Severity = Severity.WARNING) -> RowFinding:
    return RowFinding(
        code=code,
        message=f"message {entry.place + 1} {problem}",
        severity=severity,
        entry=entry.place if entry.place >= 0 else None,
        pointer=entry.pointer,
    )
