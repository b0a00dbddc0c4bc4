"""Format numbers, positions and statuses the same way on the whole page."""

from dataclasses import dataclass
from typing import Final

from workbench.app.samples import MOST_SAMPLES
from workbench.chat.figures import NONE
from workbench.hermes.reading import CallStatus, ReadCall
from workbench.records.sessions import StoredToolRun
from workbench.rollout.sampling import number_range
from workbench.rollout.setting_field import NumberRange


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBadge:
    """The status of a call, as shown on its badge."""

    word: str
    """`ready`, `not run`, `fixed`, `guessed`, `invalid arguments` or `unknown tool`, with the number of fixes."""
    tone: str
    """Selects a colour of `page.css`: `clean`, `fix`, `guess` or `error`."""


def call_status(call: ReadCall, *, is_refused: bool = False) -> CallBadge:
    """Return the most severe status of a call, with its number of fixes.

    Args:
        is_refused: True if the call could be run, but was not, because the tool choice was `none`.
    """
    fixes = f" · {count(len(call.fixes), 'fix', 'fixes')}" if call.fixes else ""
    if call.status is CallStatus.UNKNOWN_TOOL:
        return CallBadge(word="unknown tool" + fixes, tone="error")
    if call.status is CallStatus.INVALID_ARGUMENTS:
        return CallBadge(word="invalid arguments" + fixes, tone="error")
    if is_refused:
        return CallBadge(word="not run" + fixes, tone="fix")
    if any(fix.is_guess for fix in call.fixes):
        return CallBadge(word="guessed" + fixes, tone="guess")
    if call.fixes:
        return CallBadge(word="fixed" + fixes, tone="fix")
    return CallBadge(word="ready", tone="clean")


def count(number: int, singular: str, plural: str = "") -> str:
    """Format a number with its noun.

    >>> count(1, "token"), count(1204, "token")
    ('1 token', '1,204 tokens')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def ordinal(number: int) -> str:
    """Format an ordinal number.

    >>> [ordinal(number) for number in (1, 2, 3, 11, 22)]
    ['1st', '2nd', '3rd', '11th', '22nd']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def milliseconds(value: float) -> str:
    """Format a time given in milliseconds.

    >>> milliseconds(0.2), milliseconds(41.4), milliseconds(2410.0)
    ('0 ms', '41 ms', '2.4 s')
    """
    return f"{value / 1000:.1f} s" if value >= 1000 else f"{value:.0f} ms"


def run_note(run: StoredToolRun | None) -> str:
    """Return what to show beside a tool's result: the rule that answered, the time, and what was changed."""
    if run is None:
        return ""
    messages = (finding.message for finding in run.findings)
    return " · ".join(filter(None, (run.rule, milliseconds(run.milliseconds), *messages)))


def seconds(value: float | None) -> str:
    """Format a time given in seconds.

    >>> seconds(0.0412), seconds(12.34), seconds(None)
    ('41 ms', '12.3 s', '–')
    """
    return NONE if value is None else milliseconds(value * 1000)


def place_of(text: str, start: int, end: int) -> str:
    """Format the position of a span: line and column, from 1, and the span itself.

    >>> place_of("ab\\ncd", 4, 5)
    'line 2, column 2 [4, 5)'
    """
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return f"line {line}, column {column} [{start}, {end})"


TEMPERATURE: Final = number_range("temperature")
TOP_P: Final = number_range("top_p")
SEED: Final = number_range("seed")
MAX_TOKENS: Final = number_range("max_tokens")
SAMPLES: Final = NumberRange("Samples", 1, MOST_SAMPLES)
CALL_NUMBER: Final = NumberRange("Call number", 1, 1000)
