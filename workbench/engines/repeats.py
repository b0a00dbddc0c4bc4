"""Ends a stream of blocks where one says again what an earlier one said."""


class Repeats:
    """Passes blocks on; holds one back while an earlier one begins the same.

    A small model that may go on with further calls writes the same one for ever.

    >>> repeats = Repeats(between="|")
    >>> [repeats.feed(piece) for piece in ("ab", "|a", "c", "|a", "b")]
    [('ab', False), ('', False), ('|ac', False), ('', False), ('', True)]
    """

    def __init__(self, *, between: str) -> None:
        self._between = between
        self._text = ""
        self._shown = 0

    def feed(self, piece: str) -> tuple[str, bool]:
        """What may be shown now, and whether the last block is an earlier one over again: it is left out."""
        self._text += piece
        *earlier, last = (block.strip() for block in self._text.split(self._between))
        if last in earlier:
            return "", True
        if any(one.startswith(last) for one in earlier):
            return "", False
        return self._show(len(self._text) - self._beginning()), False

    def flush(self) -> str:
        """What was held back, and is no block over again."""
        return self._show(len(self._text))

    def _show(self, end: int) -> str:
        text = self._text[self._shown : end]
        self._shown = max(self._shown, end)
        return text

    def _beginning(self) -> int:
        """Length of what may be the beginning of what stands between blocks."""
        sizes = range(min(len(self._between) - 1, len(self._text)), 0, -1)
        return next((size for size in sizes if self._text.endswith(self._between[:size])), 0)
