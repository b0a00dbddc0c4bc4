"""Predict how much an operation of a template would write or compute, and refuse too much before it starts.

One filter or method can fill the memory or take hours: `{{ 'x'|center(10**10) }}`, `{{ 1|round(10**8, 'ceil') }}`. Such
a step cannot be interrupted. So the result is estimated from the operands.
"""

import re
from collections.abc import Mapping, Sequence, Sized
from typing import Any, Final, cast

from jinja2 import TemplateError

from workbench.toolspec.budget import spend

MAX_TEXT_CHARS: Final = 4_000_000
"""Limit on the length of a text or list that an operation writes."""
MAX_DECIMALS: Final = 20
"""Most decimals in `round`; Python would compute 10 to the power of any number."""
_CHARS_A_STEP: Final = 100
"""Characters that are written in about a microsecond."""
_OPERATION_STEPS: Final = 5
_VALUE_CHARS: Final = 8
"""What a value counts in addition to its characters: looking at it takes as long."""
_SLOW: Final = frozenset({"urlize", "wordwrap", "striptags", "wordcount", "pprint"})
_SLOW_STEPS: Final = 2
"""Steps of the slow filters for each character or item."""
_CHARS_A_COMPARISON_STEP: Final = 20
"""Characters that are weighed and compared in about a microsecond."""
_COMPARING: Final = frozenset({"sort", "dictsort", "unique", "min", "max", "groupby"})
"""Filters that compare items with each other."""
_WIDTH: Final = re.compile(r"\d+")
_WIDTH_OPERAND: Final = re.compile(r"%[^A-Za-z%]*\*|\{[^{}]*\{")
_DEEP: Final = frozenset({"tojson", "string", "pprint", "join", "format", "format_map", "%", "~"})
"""Operations that write all values in their operands."""


def weight_of(value: object, most_chars: int, *, each: int = 2) -> int:
    """Return the size of a value in characters, including nested values, once for each occurrence.

    Args:
        each: What each value counts in addition to its characters.

    Raises:
        TemplateError: The value is larger than `most_chars`.
    """
    weight, pending = 0, [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str | bytes):
            weight += len(item)
        elif isinstance(item, Mapping):
            fields = cast("Mapping[Any, Any]", item)
            pending += [*fields, *fields.values()]
        elif isinstance(item, list | tuple):
            pending += cast("list[Any]", item)
        elif isinstance(item, int):
            weight += item.bit_length() // 3
        weight += each
        if weight > most_chars or len(pending) > most_chars:
            raise TemplateError(f"a value of over {most_chars:,} characters")
    return weight


def charge(length: int) -> None:
    """Count an operation that writes a text or list of this length.

    Raises:
        TemplateError: It is too long.
        BudgetExceeded: The current budget is used up.
    """
    if length > MAX_TEXT_CHARS:
        raise TemplateError(f"a text of more than {MAX_TEXT_CHARS:,} characters")
    spend(_OPERATION_STEPS + length // _CHARS_A_STEP)


_SIZED: Final = (str, bytes, list, tuple, range, Mapping)


def length_of(value: object) -> int:
    """Return the length of a text, list or object. Other values count as one character."""
    return len(cast(Sized, value)) if isinstance(value, _SIZED) else 1


def charge_operation(name: str, subject: Any, options: Sequence[Any]) -> None:
    """Count a filter or method before it runs.

    Args:
        name: Its name, or `%` or `~`.
        subject: What it is applied to.
        options: Its other arguments.

    Raises:
        TemplateError: It would write too much.
        BudgetExceeded: The current budget is used up.
    """
    if name == "round" and any(isinstance(option, int) and abs(option) > MAX_DECIMALS for option in options):
        raise TemplateError(f"round keeps {MAX_DECIMALS} digits at most")
    if name == "sum" and any(isinstance(option, list | tuple) for option in options):
        raise TemplateError("sum is for numbers")
    operands = [subject, *options]
    total = (
        weight_of(operands, MAX_TEXT_CHARS, each=_VALUE_CHARS)
        if name in _DEEP
        else sum(map(length_of, operands))
    )
    charge(total)
    charge(total + _growth(name, subject, options, total))
    if name in _COMPARING:
        charge_comparison(operands, times=length_of(subject).bit_length())
    if name in _SLOW:
        spend(total * _SLOW_STEPS)


def charge_comparison(values: Sequence[Any], *, times: int = 1) -> None:
    """Count a comparison of values before it runs. Lists that contain one list twice, 60 levels deep, never end.

    Args:
        times: How often each value is compared.

    Raises:
        TemplateError: The values are too large.
        BudgetExceeded: The current budget is used up.
    """
    weight = weight_of(values, MAX_TEXT_CHARS, each=_VALUE_CHARS)
    spend(_OPERATION_STEPS + weight * times // _CHARS_A_COMPARISON_STEP)


def _growth(name: str, subject: Any, options: Sequence[Any], total: int) -> int:
    """Return an upper bound on what is written in addition to the operands."""
    texts = [option for option in options if isinstance(option, str | bytes)]
    longest = max(map(length_of, options), default=0)
    if name in ("format", "format_map", "%"):
        # Each field may repeat the longest operand, and have a width.
        fields = sum(subject.count(sign) for sign in "{%") if isinstance(subject, str) else 1
        return fields * (total - length_of(subject)) + _widths(subject, options)
    if name == "replace":
        # A filter also accepts other values, and replaces in their text.
        is_text = len(texts) > 1 and isinstance(subject, type(texts[0]))
        return longest * (cast(str, subject).count(cast(str, texts[0])) if is_text else total)
    if name == "translate":
        values = (value for table in options for value in _values(table))
        return length_of(subject) * max(map(length_of, values), default=1)
    if name == "join":
        # As a method, the text between the items is the subject.
        items = max((subject, *options), key=length_of)
        between = [text for text in (subject, *texts) if isinstance(text, str | bytes)]
        return length_of(items) * max(map(length_of, between), default=0)
    # What remains repeats nothing more often than its numbers say, for each line, tab or value.
    numbers = sum(abs(option) for option in options if isinstance(option, int))
    if name == "tojson":
        return numbers * total
    places = subject.count("\n") + subject.count("\t") if isinstance(subject, str) else 0
    return (numbers + longest) * (1 + places)


def _widths(subject: Any, options: Sequence[Any]) -> int:
    """Return an upper bound on the widths and decimals of a format, also on those that are operands, as in `%*d`."""
    if not isinstance(subject, str):
        return 0
    written = sum(int(width[:12]) for width in _WIDTH.findall(subject))
    if not _WIDTH_OPERAND.search(subject):
        return written
    values = [value for option in options for value in _values(option)]
    largest = max((abs(value) for value in values if isinstance(value, int)), default=0)
    return written + (subject.count("*") + subject.count("{")) * largest


def _values(option: Any) -> Sequence[Any]:
    if isinstance(option, Mapping):
        return list(cast("Mapping[Any, Any]", option).values())
    return cast("Sequence[Any]", option) if isinstance(option, list | tuple) else [option]
