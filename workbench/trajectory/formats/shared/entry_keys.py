"""Read the members of an entry that formats share: its loss mask, and what no reader uses.

A row says in one of several ways that the loss must not count an entry. All of them are one value here, and
`weight` is written.

| key | values | who reads it |
|---|---|---|
| `weight` | 0, 1 | OpenAI's fine-tuning, Axolotl |
| `train`, `training` | false, true | Axolotl's `message_field_training` |
| `loss` | false, true | ms-swift, XTuner |
| `loss_weight` | 0, 1; other numbers are kept as a key | LLaMA-Factory's v1 messages |
| `loss_mask`, `step_loss_mask` | 0, 1 | verl, slime |
| `masked` | true: not counted | torchtune |

`mask` is written with both meanings, so a value of it that could be a mask is an error.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.trajectory.writing.row_draft import DETAIL, PART_MASKS, PART_OF_CONTENT

_COUNTED_IF_TRUE: Final = (
    "weight",
    "train",
    "training",
    "loss",
    "loss_weight",
    "loss_mask",
    "step_loss_mask",
)
_COUNTED_IF_FALSE: Final = "masked"
_UNCLEAR: Final = "mask"
MASK_KEYS: Final = frozenset({*_COUNTED_IF_TRUE, _COUNTED_IF_FALSE, _UNCLEAR})
"""Names of members that say whether the loss counts an entry."""
_MARKED: Final = MASK_KEYS | {DETAIL}


class MaskProblem(NamedTuple):
    """Why a mask cannot be read."""

    key: str
    message: str


class EntryKeys(NamedTuple):
    """The members of an entry beside its role, text, calls and results."""

    is_trained: bool | None
    """Whether the loss counts the entry; None if the entry says nothing."""
    others: JsonObject
    """The members that no reader uses and that are not null, in order. `train_detail` is one of them."""
    problems: tuple[MaskProblem, ...]


_NOTHING: Final = EntryKeys(None, {}, ())
"""Its dictionary is shared; nobody changes a row."""


def read_keys(fields: JsonObject, used: frozenset[str]) -> EntryKeys:
    """Read the members of an entry that its format does not use.

    Args:
        fields: The entry.
        used: Names of the members that the format uses.

    >>> read_keys({"from": "gpt", "value": "Hi", "train": False, "rating": 5, "name": None}, {"from", "value"})
    EntryKeys(is_trained=False, others={'rating': 5}, problems=())
    """
    if fields.keys() <= used:
        return _NOTHING
    rest = {key: value for key, value in fields.items() if key not in used and value is not None}
    if _MARKED.isdisjoint(rest):
        return EntryKeys(None, rest, ())
    masks: dict[str, bool] = {}
    problems: list[MaskProblem] = []
    for key in [key for key in rest if key in MASK_KEYS]:
        value = rest[key]
        if not _is_of_mask(key, value):
            continue
        del rest[key]
        if key == _UNCLEAR:
            message = "`mask` does not say which value the loss counts; use `weight`, 0 or 1"
            problems.append(MaskProblem(key, message))
        elif not _is_flag(value):
            message = f"`{key}` is {json.dumps(value):.30}; a loss mask is 0, 1, false or true"
            problems.append(MaskProblem(key, message))
        else:
            masks[key] = bool(value) is not (key == _COUNTED_IF_FALSE)
    if len({*masks.values()}) > 1:
        names = " and ".join(f"`{key}`" for key in masks)
        problems.append(MaskProblem(next(iter(masks)), f"{names} contradict each other; remove one"))
    if DETAIL in rest and not _is_detail(rest[DETAIL]):
        message = f"`{DETAIL}` is not a list of begin_offset, end_offset and train"
        problems.append(MaskProblem(DETAIL, message))
    return EntryKeys(next(iter(masks.values()), None), rest, tuple(problems))


def with_part_keys(
    keys: EntryKeys, content: JsonValue, beside: Sequence[bool | None], *, usual: bool
) -> EntryKeys:
    """Add the masks of the parts of a message, and the other members of those of its content, which becomes one text.

    A mask that all parts share is that of the message. Otherwise the masks of texts become `train_detail`, as Axolotl
    does it. That says nothing about thoughts and calls, so beside those, different masks are lost. Other members get
    the name `content/0/…`, for which no entry has a place.

    Args:
        keys: The members of the message.
        content: Its content: a text, a list of parts with a text, or None.
        beside: Masks of its thoughts and calls; None for one that has none.
        usual: Whether the loss counts the message if the row does not say.
    """
    parts = content if isinstance(content, list) else [{"text": content}] if content else []
    others = {key: value for key, value in keys.others.items() if key != PART_MASKS}
    problems = list(keys.problems)
    texts: list[tuple[int, bool | None]] = []
    for place, part in enumerate(cast(list[JsonObject], parts)):
        own = read_keys(part, _PART)
        texts.append((len(cast(str, part["text"])), own.is_trained))
        problems += [
            MaskProblem(f"content/{place}/{problem.key}", problem.message) for problem in own.problems
        ]
        others |= {f"{PART_OF_CONTENT}{place}/{key}": value for key, value in own.others.items()}
    masks = {*beside, *(mask for _length, mask in texts)}
    is_trained = keys.is_trained
    if masks - {None}:
        usual = usual if is_trained is None else is_trained
        counted = {usual if mask is None else mask for mask in masks}
        if len(counted) == 1:
            is_trained = counted.pop()
        elif beside:
            others[PART_MASKS] = True
        else:
            others[DETAIL] = _detail(texts, usual=usual)
            # A message that is not counted has no part that is.
            is_trained = is_trained or None
    return EntryKeys(is_trained, others, tuple(problems))


def _detail(texts: Sequence[tuple[int, bool | None]], *, usual: bool) -> list[JsonValue]:
    """Return a `train_detail` for consecutive texts, each given as its length and its mask."""
    detail: list[JsonValue] = []
    begin = 0
    for length, mask in texts:
        if length:
            train = usual if mask is None else mask
            detail.append({"begin_offset": begin, "end_offset": begin + length - 1, "train": train})
        begin += length
    return detail


_PART: Final = frozenset({"type", "text"})


def trained_stretches(detail: Sequence[JsonValue]) -> list[tuple[int, int]]:
    """Return begin and end of each stretch of a text that a `train_detail` counts, in order.

    Args:
        detail: A list of `begin_offset`, `end_offset` (inclusive) and `train`.

    >>> trained_stretches([{"begin_offset": 4, "end_offset": 6, "train": True}])
    [(4, 7)]
    """
    stretches = [as_object(stretch) for stretch in detail]
    return sorted(
        (cast(int, stretch["begin_offset"]), cast(int, stretch["end_offset"]) + 1)
        for stretch in stretches
        if stretch["train"]
    )


def _is_flag(value: JsonValue) -> bool:
    """Whether a value is false, true, 0 or 1. pandas writes a column with gaps as 0.0 and 1.0."""
    return isinstance(value, int | float) and value in (0, 1)


def _is_of_mask(key: str, value: JsonValue) -> bool:
    """Whether the member is meant as a mask. `loss_weight` may be any number, and `mask` a file."""
    if key == "loss_weight":
        return not isinstance(value, int | float) or _is_flag(value) or not 0 <= value < float("inf")
    is_word = isinstance(value, str) and value.strip().lower() in (
        "",
        "0",
        "1",
        "0.0",
        "1.0",
        "false",
        "true",
    )
    return key != _UNCLEAR or isinstance(value, int | float) or is_word


def _is_detail(value: JsonValue) -> bool:
    return isinstance(value, list) and all(map(_is_stretch, value))


def _is_stretch(value: JsonValue) -> bool:
    if not isinstance(value, Mapping):
        return False
    begin, end = value.get("begin_offset"), value.get("end_offset")
    return (
        type(begin) is int and type(end) is int and 0 <= begin <= end and isinstance(value.get("train"), bool)
    )
