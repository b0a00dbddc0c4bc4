"""A row with what is trained of it marked."""

from collections.abc import Iterator, Sequence

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.paint import Paint, Tone, shown
from workbench.trajectory.mask import MaskedText, TrainedToken

BEGIN, END = "⟦", "⟧"
"""Around trained text where there is no colour."""


def mask_lines(masked: MaskedText, tokens: Sequence[TrainedToken], paint: Paint) -> Iterator[str]:
    """The text with its trained stretches marked, then how much that is."""
    pieces: list[str] = []
    position = 0
    for span in masked.trained:
        pieces.append(_painted(masked.text[position : span.start], Tone.QUIET, paint))
        trained = _painted(span.of(masked.text), Tone.CALL, paint)
        pieces.append(trained if paint.is_coloured else BEGIN + trained + END)
        position = span.end
    pieces.append(_painted(masked.text[position:], Tone.QUIET, paint))
    yield "".join(pieces)
    counted = sum(span.end - span.start for span in masked.trained)
    yield f"{counted:,} of {len(masked.text):,} characters are trained"
    if tokens:
        yield f"{sum(one.is_trained for one in tokens):,} of {len(tokens):,} tokens are trained"
        if straddling := _straddling(masked.trained, tokens):
            yield f"{straddling:,} tokens stand half inside a trained stretch, and are not trained"


def mask_json(masked: MaskedText, tokens: Sequence[TrainedToken]) -> JsonObject:
    """The same for a program: text, spans, and tokens where something makes them."""
    found: JsonObject = {"text": masked.text, "trained": [list(span) for span in masked.trained]}
    if not tokens:
        return found
    listed = [{"id": one.token.id, "span": list(one.token.span), "trained": one.is_trained} for one in tokens]
    return {**found, "tokens": listed}


def _painted(text: str, tone: Tone, paint: Paint) -> str:
    """Each line by itself: a colour should not run over the end of a line."""
    return "\n".join(paint(line, tone) for line in shown(text).split("\n"))


def _straddling(trained: Sequence[Span], tokens: Sequence[TrainedToken]) -> int:
    return sum(
        1
        for one in tokens
        if not one.is_trained
        and one.token.span.start < one.token.span.end
        and any(span.start < one.token.span.end and one.token.span.start < span.end for span in trained)
    )
