"""Sentences with slots and optional parts, as families write them.

`{city}` is a slot. `{city.2}` is the second value of a slot, for a second call. `{day:on}` is a value in another
style or form. `[ for {guests}]` may be left out, and of `[please|kindly]`, one is used.
"""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonValue
from workbench.training.everyday.spoken import Spoken
from workbench.training.synth.phrasing import protected
from workbench.training.synth.words import Dice

_PIECES: Final = re.compile(r"(\{[^{}]*\}|\[[^\[\]]*\])")
_MENTION: Final = re.compile(r"\{([a-z][a-z_ ]*)(?:\.([2-4]))?(?::([a-z_ ]+))?\}")


class SentenceProblem(Exception):
    """A sentence is not written correctly."""


class Mention(NamedTuple):
    """A place in a sentence for a value."""

    slot: str
    number: int = 1
    """1, or the number of the call that the value belongs to."""
    style: str = ""
    """Style or form of the value; empty for the usual words."""


_Run = tuple[str | Mention, ...]


class _Choice(NamedTuple):
    """A part in brackets: one of several runs, or a run that may be left out."""

    runs: tuple[_Run, ...]


Values = Mapping[tuple[str, int], Spoken]
"""Values by slot and number."""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence with slots."""

    text: str
    parts: tuple[str | Mention | _Choice, ...]
    pinned: Mapping[tuple[str, int], JsonValue] = field(
        default_factory=dict[tuple[str, int], JsonValue], hash=False
    )
    """Default forms of values that the sentence implies without naming them, by slot and number."""

    @cached_property
    def needed(self) -> frozenset[str]:
        """Slots outside brackets, and those that the sentence implies."""
        return frozenset(part.slot for part in self.parts if isinstance(part, Mention)) | self.implied

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """All mentions, those in brackets included."""
        runs = [run for part in self.parts if isinstance(part, _Choice) for run in part.runs]
        outside = [part for part in self.parts if isinstance(part, Mention)]
        return (*outside, *(piece for run in runs for piece in run if isinstance(piece, Mention)))

    @cached_property
    def slots(self) -> frozenset[str]:
        """All slots, those that the sentence implies included."""
        return frozenset(mention.slot for mention in self.mentions) | self.implied

    def reachable(self, allowed: Set[str]) -> frozenset[str]:
        """Return the slots that the sentence can have if only `allowed` ones may occur in brackets."""
        return self.needed.union(*(slots for slots in self._bracketed if slots <= allowed))

    @cached_property
    def _bracketed(self) -> tuple[frozenset[str], ...]:
        """The slots of each text that may be in brackets."""
        return tuple(_slots(run) for part in self.parts if isinstance(part, _Choice) for run in part.runs)

    @cached_property
    def implied(self) -> frozenset[str]:
        """Slots whose values the sentence implies."""
        return frozenset(slot for slot, _ in self.pinned)

    def drawn(
        self, dice: Dice, allowed: Set[str], *, forced: Set[str] = frozenset(), share: float = 0.5
    ) -> _Run:
        """Decide which parts in brackets are used.

        Args:
            allowed: Slots that may occur.
            forced: Slots that must occur if a part in brackets has them.
            share: Probability of a part that may be left out.
        """
        pieces: list[str | Mention] = []
        for part in self.parts:
            if not isinstance(part, _Choice):
                pieces.append(part)
                continue
            fitting = [run for run in part.runs if _slots(run) <= allowed]
            best = max((len(_slots(run) & forced) for run in fitting), default=0)
            fitting = [run for run in fitting if len(_slots(run) & forced) == best]
            is_used = len(part.runs) > 1 or best > 0 or dice.chance(share)
            if fitting and is_used:
                pieces += dice.pick(fitting)
        return tuple(pieces)


def _slots(run: _Run) -> frozenset[str]:
    return frozenset(piece.slot for piece in run if isinstance(piece, Mention))


def parse_sentence(text: str, pinned: Mapping[str, JsonValue] | None = None) -> Sentence:
    """Parse a sentence.

    Args:
        pinned: Default forms of values that it implies, by slot, or slot and number as in `room.2`.

    Raises:
        SentenceProblem: A slot or bracket is not written correctly.
    """
    parts: list[str | Mention | _Choice] = []
    for piece in _PIECES.split(text):
        if piece.startswith("["):
            parts.append(_Choice(tuple(tuple(_run(run, text)) for run in piece[1:-1].split("|"))))
        elif piece:
            parts += _run(piece, text)
    implied: dict[tuple[str, int], JsonValue] = {}
    for key, value in (pinned or {}).items():
        slot, _, number = key.partition(".")
        if number not in ("", "2", "3", "4"):
            raise SentenceProblem(f"{text!r}: {key!r} is not a slot, or a slot and a number from 2 to 4")
        implied[slot, int(number or 1)] = value
    return Sentence(text=text, parts=tuple(parts), pinned=implied)


def _run(text: str, whole: str) -> list[str | Mention]:
    pieces: list[str | Mention] = []
    for piece in re.split(r"(\{[^{}]*\})", text):
        match = _MENTION.fullmatch(piece)
        if match:
            pieces.append(Mention(match[1], int(match[2] or 1), match[3] or ""))
        elif any(sign in piece for sign in "{}[]"):
            remedy = "write {slot}, {slot.2}, {slot:style}, [optional part] or [one|other]"
            raise SentenceProblem(f"{whole!r}: {piece!r} is not a slot or a part in brackets; {remedy}")
        elif piece:
            pieces.append(piece)
    return pieces


def write_request(run: _Run, values: Values) -> str:
    """Write a drawn sentence as the user says it. Values are protected from slips of typing."""
    texts: list[str] = []
    for place, piece in enumerate(run):
        following = run[place + 1] if place + 1 < len(run) else ""
        is_measured = isinstance(following, str) and _SHORT_UNIT.match(following) is not None
        texts.append(_request_piece(piece, values, is_measured=is_measured))
    return _tidied("".join(texts))


_SHORT_UNIT: Final = re.compile(
    r"[a-z%°]| (?:ml|mm|cm|km|m|g|kg|l|h|min|mins|s|sec|%|°|mb|gb|px|k|x)\b", re.IGNORECASE
)
"""What follows a number that people write in digits, as in "40g" and "40 km"."""
_ADDRESS: Final = re.compile(r"\S*[@/\\]|[\w-]+\.\w")
"""The beginning of an email address, a path or a website."""


def write_answer(run: _Run, values: Values) -> str:
    """Write a drawn sentence as an answer. It begins with a capital letter, unless an address or a path comes first."""
    text = _tidied("".join(_answer_piece(piece, values) for piece in run))
    return text if _ADDRESS.match(text) else text[:1].upper() + text[1:]


def _request_piece(piece: str | Mention, values: Values, *, is_measured: bool) -> str:
    if isinstance(piece, str):
        return piece
    value = values[piece.slot, piece.number]
    if is_measured and isinstance(value.forms["is"], int | float) and value.request_text[:1].isalpha():
        return protected(str(value.forms["is"]))
    return protected(_styled(value, piece.style) if piece.style else value.request_text)


def _answer_piece(piece: str | Mention, values: Values) -> str:
    if isinstance(piece, str):
        return piece
    value = values[piece.slot, piece.number]
    if not piece.style:
        return value.answer_text
    return value.styles.get(f"answer {piece.style}") or _styled(value, piece.style)


def _styled(value: Spoken, style: str) -> str:
    return value.styles.get(style) or _written(value.forms[style])


def _written(value: JsonValue) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _tidied(text: str) -> str:
    return re.sub(r" +([.,?!;:])(?=\s|$)", r"\1", re.sub(r"  +", " ", text)).strip()
