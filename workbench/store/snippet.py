"""A piece of a text around the words that were found in it."""

from collections.abc import Sequence
from typing import Final

from workbench.chat.finding import Span
from workbench.records.session_tree import Snippet
from workbench.store.words import Term, places_of

BEFORE_CHARS: Final = 20
"""What is shown before the first word."""

SIZE_CHARS: Final = 160
"""What is shown at all."""


def snippet_of(text: str, terms: Sequence[Term]) -> Snippet:
    """The text around the first word, or its beginning where no word stands in it.

    >>> from workbench.store.words import terms_of
    >>> snippet_of("It is warm\\nin Cairo.", terms_of("cai"))
    Snippet(text='It is warm in Cairo.', spans=(Span(start=14, end=19),))
    """
    places = list(places_of(terms, text))
    start = max(0, places[0][0] - BEFORE_CHARS) if places else 0
    end = min(len(text), start + SIZE_CHARS)
    head = "…" if start else ""
    # One sign for one sign: the places hold.
    line = "".join(sign if sign.isprintable() else " " for sign in text[start:end])
    shift = len(head) - start
    spans = tuple(
        Span(first, last).shifted(shift) for first, last in places if start <= first and last <= end
    )
    return Snippet(text=f"{head}{line}{'…' if end < len(text) else ''}", spans=spans)
