"""What other parsers would have extracted from a completion, one row each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.hermes.parser_comparison import ParserRule, RuleResult, differ
from workbench.hermes.replicas.attempt import ReplicaCall
from workbench.toolspec.spec import OfferedTools
from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.words import count

NOTE: Final = (
    "Held against the tolerant reader, with the tools at the left, as a text that came to its end. "
    "All rows but strict are replicas: rules written anew from descriptions, not the programs themselves."
)
ROUND_NOTE: Final = NOTE.replace("with the tools at the left", "with the session's tools")
"""The same of a session's completion."""
NOTHING: Final = "What others would have read of a completion stands here once there is one."
"""Said before there is a completion."""
MAX_CALLS: Final = 12
"""A row names this many calls; of the others it tells the number."""
MAX_CALL_SIZE_CHARS: Final = 400
"""A call is shown up to here; the calls above the table have all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallWord:
    """A call that a rule loses, or gives though nobody made it."""

    word: str
    """`loses` or `runs`."""
    name: str
    arguments: str
    """JSON on one line; shortened where it is long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserRow:
    """What one rule gets."""

    rule: str
    is_replica: bool
    """False of our own strict reader."""
    got: str
    """How many of the calls it gets, and how many it runs that nobody made; `none` where there are none."""
    tone: str
    """Names a colour: `clean` where it gets them all and nothing else, else `error`."""
    calls: tuple[CallWord, ...]
    """What it loses, then what it runs although nobody called it so."""
    why: str
    """Clauses; `nothing` where nothing is to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserComparisonView:
    """The differ's table."""

    rows: tuple[ParserRow, ...] = ()
    """In the order of `ParserRule`; empty where there is no text."""
    columns: tuple[str, ...] = ("rule", "calls", "lost, and why")
    note: str = NOTE
    message_id: str = ""
    """The completion that it is of, where the pane asks for it; empty where it does not, or there is none."""
    is_known: bool = False
    """False: a pane with a message asks for the rows once it is seen."""
    hint: str = ""


def show_differ(taken: Sequence[RuleResult]) -> ParserComparisonView:
    """The table of one text."""
    return ParserComparisonView(rows=tuple(map(_row, taken)))


def ask_differ(one: ReadRound | None) -> ParserComparisonView:
    """The table of a round that nobody has looked at yet."""
    return ParserComparisonView(hint=NOTHING) if one is None else ParserComparisonView(message_id=one.kept.id)


def show_round_differ(one: ReadRound, tools: OfferedTools) -> ParserComparisonView:
    """The table of a round's completion."""
    rows = tuple(map(_row, differ(one.reading.text, tools)))
    return ParserComparisonView(rows=rows, note=ROUND_NOTE, message_id=one.kept.id, is_known=True)


def _row(taken: RuleResult) -> ParserRow:
    kept = len(taken.calls) - len(taken.invented)
    words = [
        *(_word("loses", call) for call in taken.lost),
        *(_word("runs", call) for call in taken.invented),
    ]
    left = len(words) - MAX_CALLS
    return ParserRow(
        rule=taken.rule.value,
        is_replica=taken.rule is not ParserRule.STRICT,
        got=_got(kept, lost=len(taken.lost), invented=len(taken.invented)),
        tone="error" if words else "clean",
        calls=tuple(words[:MAX_CALLS]),
        why="; ".join(filter(None, (taken.why, count(left, "further call") if left > 0 else "")))
        or "nothing",
    )


def _got(kept: int, *, lost: int, invented: int) -> str:
    """How many of how many, and how many that nobody made.

    >>> _got(1, lost=1, invented=0), _got(1, lost=0, invented=2), _got(0, lost=0, invented=0)
    ('1 of 2', '1 of 1 + 2', 'none')
    """
    if not kept + lost + invented:
        return "none"
    return f"{kept:,} of {kept + lost:,}" + (f" + {invented:,}" if invented else "")


def _word(word: str, call: ReplicaCall) -> CallWord:
    text = "" if call.arguments is None else _json(call)
    shown = text if len(text) <= MAX_CALL_SIZE_CHARS else text[: MAX_CALL_SIZE_CHARS - 1] + "…"
    return CallWord(word=word, name=call.name or "a call without a name", arguments=shown)


def _json(call: ReplicaCall) -> str:
    try:
        return json.dumps(call.arguments, ensure_ascii=False)
    except RecursionError:
        return "nested too deeply to be shown"
