"""Show which calls other parsers would extract from a completion, one row per parser."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.hermes.parser_comparison import RuleResult, differ
from workbench.hermes.replicas.attempt import ReplicaCall
from workbench.toolspec.spec import OfferedTools
from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.words import count

NOTE: Final = (
    "Compared with the tolerant reader, with the tools on the left, as a complete text. All rows except strict "
    "are replicas: reimplementations of the parsers' rules, not the programs themselves."
)
ROUND_NOTE: Final = NOTE.replace("with the tools on the left", "with the session's tools")
"""The note for a completion of a session."""
NOTHING: Final = "What other parsers would read appears here once there is a completion."
"""Shown before there is a completion."""
MAX_CALLS: Final = 12
"""A row lists this many calls, and only the number of the others."""
MAX_CALL_SIZE_CHARS: Final = 400
"""Longer calls are cut. The list of calls above the table shows them whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallWord:
    """A call that a parser loses, or that it runs although the model did not make it."""

    word: str
    """`loses` or `runs`."""
    name: str
    arguments: str
    """JSON on one line, cut if it is long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserRow:
    """The result of one parser."""

    rule: str
    origin: str
    """`replica`, with the release if there is one. Empty for our own strict reader."""
    got: str
    """Number of calls that it finds, and of extra calls that it runs. `none` if there are no calls."""
    tone: str
    """`clean` if it finds exactly the calls of the tolerant reader, otherwise `error`."""
    calls: tuple[CallWord, ...]
    """The lost calls, then the extra calls."""
    why: str
    """The reasons, or `no difference`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserComparisonView:
    """The table of parsers."""

    rows: tuple[ParserRow, ...] = ()
    """In the order of `ParserRule`. Empty if there is no text."""
    columns: tuple[str, ...] = ("parser", "calls", "lost calls and reasons")
    note: str = NOTE
    message_id: str = ""
    """The completion whose rows the pane loads on demand. Empty if it does not, or if there is none."""
    is_known: bool = False
    """False if the rows have not been loaded. A pane with a message loads them once it is visible."""
    hint: str = ""


def show_differ(results: Sequence[RuleResult]) -> ParserComparisonView:
    """Show the table for one text."""
    return ParserComparisonView(rows=tuple(map(_row, results)))


def ask_differ(read_round: ReadRound | None) -> ParserComparisonView:
    """Show the table for a round before its rows are loaded."""
    if read_round is None:
        return ParserComparisonView(hint=NOTHING)
    return ParserComparisonView(message_id=read_round.stored.id)


def show_round_differ(read_round: ReadRound, tools: OfferedTools) -> ParserComparisonView:
    """Show the table for the completion of a round."""
    rows = tuple(map(_row, differ(read_round.reading.text, tools)))
    return ParserComparisonView(rows=rows, note=ROUND_NOTE, message_id=read_round.stored.id, is_known=True)


def _row(result: RuleResult) -> ParserRow:
    found = len(result.calls) - len(result.invented)
    words = [
        *(_word("loses", call) for call in result.lost),
        *(_word("runs", call) for call in result.invented),
    ]
    more = len(words) - MAX_CALLS
    return ParserRow(
        rule=result.rule.value,
        origin=result.rule.origin,
        got=_got(found, lost=len(result.lost), invented=len(result.invented)),
        tone="error" if words else "clean",
        calls=tuple(words[:MAX_CALLS]),
        why="; ".join(filter(None, (result.why, count(more, "more call") if more > 0 else "")))
        or "no difference",
    )


def _got(found: int, *, lost: int, invented: int) -> str:
    """Format the number of found calls, and of extra calls that the model did not make.

    >>> _got(1, lost=1, invented=0), _got(1, lost=0, invented=2), _got(0, lost=0, invented=1)
    ('1 of 2', '1 of 1 + 2', '1 extra')
    """
    if not found + lost:
        return f"{invented:,} extra" if invented else "none"
    return f"{found:,} of {found + lost:,}" + (f" + {invented:,}" if invented else "")


def _word(word: str, call: ReplicaCall) -> CallWord:
    text = "" if call.arguments is None else _json(call)
    shown = text if len(text) <= MAX_CALL_SIZE_CHARS else text[: MAX_CALL_SIZE_CHARS - 1] + "…"
    return CallWord(word=word, name=call.name or "a call without a name", arguments=shown)


def _json(call: ReplicaCall) -> str:
    try:
        return json.dumps(call.arguments, ensure_ascii=False)
    except RecursionError:
        return "nested too deeply to show"
