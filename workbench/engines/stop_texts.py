"""Ends a stream at a stop text, though it may come in pieces."""

from collections.abc import Sequence


class StopTexts:
    """Passes text on until one of the stop texts stands in it; holds back what may begin one.

    >>> stops = StopTexts(["END"])
    >>> stops.feed("a E"), stops.feed("Nx"), stops.feed("END b")
    (('a ', False), ('ENx', False), ('', True))
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = [stop for stop in stops if stop]
        self._held = ""

    def feed(self, piece: str) -> tuple[str, bool]:
        """What may be shown now, and whether a stop text ended the stream."""
        text = self._held + piece
        found = [text.find(stop) for stop in self._stops if stop in text]
        if found:
            self._held = ""
            return text[: min(found)], True
        keep = max((_overlap(text, stop) for stop in self._stops), default=0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep], False

    def flush(self, piece: str = "") -> str:
        """What was held back, and is no stop text after all."""
        text, self._held = self._held + piece, ""
        return text


def _overlap(text: str, stop: str) -> int:
    """Length of the longest beginning of `stop` that `text` ends with, the whole of it left out."""
    for size in range(min(len(stop) - 1, len(text)), 0, -1):
        if text.endswith(stop[:size]):
            return size
    return 0
