"""Rules for numbers between two limits, digit by digit.

Example: the integers from 8 to 123 are `[8-9] | [1-9] [0-9] | "1" ([0-1] [0-9] | "2" [0-3])`.
"""

from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from workbench.toolspec.gbnf import counted

DIGITS: Final = 16
"""Digits of a number without limits. Otherwise a model may write digits forever."""
MAX_DIGITS: Final = 60
"""Limits with more digits are not enforced."""
_DECIMALS: Final = 6
"""Further decimal digits after those of a limit. More would be rounded to the limit by a computer."""


class Range(NamedTuple):
    """Limits of a number. None if there is no limit."""

    least: Decimal | None = None
    most: Decimal | None = None
    is_above: bool = False
    """Whether the number must be greater than `least`."""
    is_below: bool = False
    """Whether the number must be less than `most`."""

    def above(self, limit: Decimal, *, is_exclusive: bool) -> "Range":
        """Return the range of the numbers that also fit another lower limit."""
        if self.least is not None and (limit, is_exclusive) <= (self.least, self.is_above):
            return self
        return self._replace(least=limit, is_above=is_exclusive)

    def below(self, limit: Decimal, *, is_exclusive: bool) -> "Range":
        """Return the range of the numbers that also fit another upper limit."""
        if self.most is not None and (limit, not is_exclusive) >= (self.most, not self.is_below):
            return self
        return self._replace(most=limit, is_below=is_exclusive)


def decimal_of(value: object) -> Decimal | None:
    """Return a limit as a decimal number, or None if it is not a number or has too many digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        # `repr` of a float is the shortest decimal number for it, and the number that a schema wrote.
        number = Decimal(repr(value))
    except (InvalidOperation, ValueError):
        return None
    is_short = number.is_finite() and number.adjusted() < MAX_DIGITS
    return number if is_short and len(format(number, "f")) <= 2 * MAX_DIGITS else None


def integer_bounds(limits: Range) -> tuple[int | None, int | None]:
    """Return the first and the last integer within limits.

    >>> integer_bounds(Range(Decimal("1.5"), Decimal(7), is_below=True))
    (2, 6)
    """
    least = most = None
    if limits.least is not None:
        least = _ceiling(limits.least)
        least += limits.is_above and least == limits.least
    if limits.most is not None:
        most = -_ceiling(limits.most.copy_negate())
        most -= limits.is_below and most == limits.most
    return least, most


def integers(least: int | None, most: int | None) -> list[str]:
    """Return the alternatives for the integers from `least` to `most`. Empty if there are none.

    >>> integers(8, 123)
    ['[8-9]', '[1-9] [0-9]', '"1" ([0-1] [0-9] | "2" [0-3])']
    >>> integers(None, -1)
    ['"-" [1-9] [0-9]{0,15}']
    """
    far = 10**DIGITS - 1
    least = min(-far, _more_digits(most)) if least is None else least
    most = max(far, _more_digits(least)) if most is None else most
    found = [f'"-" {text}' for text in _natural(max(1, -most), -least)]
    return [*found, *_natural(max(0, least), most)]


def decimals(limits: Range) -> list[str]:
    """Return the alternatives for decimal numbers within limits, without exponents. Empty if there are none.

    >>> decimals(Range(Decimal(0), Decimal("0.5"), is_above=True))
    ['"0" "." ("0" "0"{0,5} [1-9] [0-9]{0,6} | "5" ("0"{1,6})? | [1-4] [0-9]{0,6})']
    """
    least, most, is_above, is_below = limits
    zero = Decimal(0)
    found: list[str] = []
    if least is None or least < 0:
        # The numbers below zero are those from `-most` to `-least` after a minus sign.
        nearest = (
            (zero, is_below and most == 0) if most is None or most >= 0 else (most.copy_negate(), is_below)
        )
        farthest = None if least is None else (least.copy_negate(), is_above)
        found += [f'"-" {text}' for text in _magnitudes(nearest, farthest)]
    if most is None or most >= 0:
        nearest = (zero, is_above and least == 0) if least is None or least <= 0 else (least, is_above)
        found += _magnitudes(nearest, None if most is None else (most, is_below))
    return found


def _magnitudes(least: tuple[Decimal, bool], most: tuple[Decimal, bool] | None) -> list[str]:
    """Return the alternatives for numbers that are not negative. Each limit says whether it is excluded itself."""
    first, low = _split(least[0])
    last, high = _split(most[0]) if most is not None else (max(10**DIGITS - 1, _more_digits(first)), None)
    limits = _Digits(low, high, least[1], most is not None and most[1])
    if first > last:
        return []
    if first == last:
        parts = [(first, limits)]
    else:
        parts = [(first, limits._replace(high=None)), (last, limits._replace(low=None))]
    between = [f'{text} ("." [0-9]{{1,{_DECIMALS}}})?' for text in _natural(first + 1, last - 1)]
    ends = [
        f'"{whole}" {fraction}'.rstrip()
        for whole, inner in parts
        if (fraction := _optional(inner, point='"." ')) is not None
    ]
    return ends + between


def _split(number: Decimal) -> tuple[int, str]:
    """Return the integer part and the decimal digits of a number."""
    whole, _, digits = format(number, "f").partition(".")
    return int(whole), digits.rstrip("0")


class _Digits(NamedTuple):
    """Limits of the digits after a decimal point. Their last digit is not zero. Empty is zero, None is unlimited."""

    low: str | None
    high: str | None
    is_above: bool = False
    """Whether the digits must be greater than `low`."""
    is_below: bool = False
    """Whether the digits must be less than `high`."""


def _optional(limits: _Digits, point: str = "") -> str | None:
    """Return the rule for a point and digits, which may be missing if zero fits; None if no number fits."""
    may_end = (limits.low is None or (limits.low == "" and not limits.is_above)) and (
        limits.high != "" or not limits.is_below
    )
    digits = _digits(limits)
    if digits is None:
        return "" if may_end else None
    return f"({point}{digits})?" if may_end else f"{point}{digits}"


def _digits(limits: _Digits) -> str | None:
    """Return the rule for one or more digits within limits, or None if there are none."""
    low = None if limits.low == "" and not limits.is_above else limits.low
    high = limits.high
    if high == "":
        return None if limits.is_below or low is not None else f'"0"{{1,{_DECIMALS}}}'
    if high is None and low is None:
        return f"[0-9]{{1,{_DECIMALS}}}"
    if high is None and low == "":
        return f'"0"{{0,{_DECIMALS - 1}}} [1-9] [0-9]{{0,{_DECIMALS}}}'
    first, last = int((low or "0")[0]), int((high or "9")[0])
    ends: list[tuple[int, _Digits]] = []
    if low is not None:
        ends.append((first, limits._replace(low=low[1:], high=high[1:] if high and first == last else None)))
    if high is not None and (low is None or last > first):
        ends.append((last, limits._replace(low=None, high=high[1:])))
    options = [
        f'"{digit}" {tail}'.rstrip() for digit, inner in ends if (tail := _optional(inner)) is not None
    ]
    begin, end = first + (low is not None), last - (high is not None)
    if begin <= end:
        options.append(f"[{begin}-{end}] [0-9]{{0,{_DECIMALS}}}")
    return f"({' | '.join(options)})" if options else None


def _ceiling(number: Decimal) -> int:
    whole = int(number)
    return whole + (number > whole)


def _more_digits(limit: int | None) -> int:
    """Return the farthest number with one digit more than a limit, on the same side of zero."""
    if limit is None:
        return 0
    far = 10 ** (len(str(abs(limit))) + 1) - 1
    return far if limit > 0 else -far


def _natural(least: int, most: int) -> list[str]:
    """Return the alternatives for the integers from `least`, which is not negative, to `most`."""
    found: list[str] = []
    while least <= most:
        size = len(str(least))
        last = 10**size - 1
        if least == 10 ** (size - 1) and last <= most:
            # All numbers of this size, and of further sizes up to that of `most`.
            longest = len(str(most)) - (most < 10 ** len(str(most)) - 1)
            rest = counted(size - 1, longest - 1)
            found.append(f"[1-9] [0-9]{rest}" if longest > 1 else "[1-9]")
            least = 10**longest
            continue
        found.append(_between(str(least), str(min(last, most))))
        least = last + 1
    return found


def _between(low: str, high: str) -> str:
    """Return the rule for the texts of digits from `low` to `high`, which have the same length."""
    if not low:
        return '""'
    zeros, nines = "0" * (len(low) - 1), "9" * (len(low) - 1)
    first, last = int(low[0]), int(high[0])
    if first == last:
        return f'"{low}"' if low == high else f'"{low[0]}" {_between(low[1:], high[1:])}'
    options: list[str] = []
    if low[1:] != zeros:
        options.append(f'"{first}" {_between(low[1:], nines)}')
        first += 1
    is_cut = high[1:] != nines
    if first <= last - is_cut:
        options.append(
            f"[{first}-{last - is_cut}]" + (f" [0-9]{counted(len(zeros), len(zeros))}" if zeros else "")
        )
    if is_cut:
        options.append(f'"{last}" {_between(zeros, high[1:])}')
    return options[0] if len(options) == 1 else f"({' | '.join(options)})"
