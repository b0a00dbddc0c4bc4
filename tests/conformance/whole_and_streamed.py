"""Check that each text of the other suites reads the same whole and in pieces."""

import hashlib
from collections.abc import Iterable, Iterator

from tests.conformance.outcome import Completion, Outcome
from tests.conformance.readings import offered, read
from tests.hermes.laws import assert_events_match, streamed

STREAMED = "The texts of all suites, streamed"
SPLITS = 64
"""A text is split everywhere if it has at most this many places, otherwise at this many, evenly spread."""


def stream_outcomes(completions: Iterable[Completion]) -> Iterator[Outcome]:
    """Stream each text in single characters, and in two pieces, split at every place."""
    for completion in sorted(set(completions), key=repr):
        name = hashlib.sha256(repr(completion).encode()).hexdigest()[:12]
        yield Outcome(id=name, agrees=not (details := _difference(completion)), details=details)


def _difference(completion: Completion) -> str:
    text = completion.text
    options = {
        "tools": offered(completion.tools),
        "level": completion.level,
        "starts_in_thought": completion.starts_in_thought,
    }
    whole = read(completion)
    for pieces in _splits(text):
        events, reading = streamed(pieces, **options)
        if reading != whole:
            return f"{completion}\nin pieces {pieces}: another reading"
        try:
            assert_events_match(events, reading)
        except AssertionError as error:
            return f"{completion}\nin pieces {pieces}: the events differ from the reading: {error}"
    return ""


def _splits(text: str) -> Iterator[list[str]]:
    yield list(text)
    step = max(1, len(text) // SPLITS)
    for place in range(1, len(text), step):
        yield [text[:place], text[place:]]
