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
from workbench.trajectory.writing.row_draft import DETAIL, PART_OF_CONTENT

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


def with_part_keys(keys: EntryKeys, content: JsonValue) -> EntryKeys:
    """Add the members of the parts of a content, which becomes one text.

    A mask of a part becomes `train_detail`, as Axolotl does it; if it masks all of the text, that is the mask of the
    message. Other members get the name `content/0/…`, for which no
    entry has a place.

    Args:
        keys: The members of the message.
        content: Its content.
    """
    if not isinstance(content, list) or not all(isinstance(part, Mapping) for part in content):
        return keys
    others, problems, detail = {**keys.others}, list(keys.problems), list[JsonValue]()
    is_masked, begin = False, 0
    for place, part in enumerate(cast(list[JsonObject], content)):
        own = read_keys(part, _PART)
        text = part.get("text")
        end = begin + (len(text) if isinstance(text, str) else 0)
        is_masked |= own.is_trained is not None
        if end > begin:
            detail.append(
                {"begin_offset": begin, "end_offset": end - 1, "train": own.is_trained is not False}
            )
        problems += [
            MaskProblem(f"content/{place}/{problem.key}", problem.message) for problem in own.problems
        ]
        others |= {f"{PART_OF_CONTENT}{place}/{key}": value for key, value in own.others.items()}
        begin = end
    is_trained = keys.is_trained
    if is_masked and is_trained is None and detail and not any(as_object(span)["train"] for span in detail):
        is_trained = False
    elif is_masked:
        others[DETAIL] = detail
    return EntryKeys(is_trained, others, tuple(problems))


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
