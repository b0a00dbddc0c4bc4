r"""Pass prose on while it is written, without the white space and the code fence around the calls that were read.

Idea. What follows a text decides whether its end belongs to it: the line break in `I look.\n<tool_call>…` separates it
from the call, and the fence in "```json\n<tool_call>…</tool_call>\n```" would be left empty. So white space and the
line that opens a fence wait until something follows. Nothing else is held back or left out: a text that was not read as
a call arrives byte for byte, tags included, because the client may read what the reader could not.

Invariant. All pieces, joined with the calls that were taken out, are the text, except for a fence around calls, and for
white space that separates calls and thoughts from the start or the end of the content.
"""

import re
from typing import Final

_HELD: Final = re.compile(r"\s*+(?:(?:^|(?<=\n))(?:`{1,2}|```[\w+-]*[^\S\n]*(?:\r?\n\s*)?))?\Z")
"""The end of a text that may separate it from a call: white space, or the line that opens a fence."""
_FENCE: Final = re.compile(r"```[\w+-]*[^\S\n]*\r?\n\s*\Z")
_FENCE_END: Final = re.compile(r"[^\S\n]*\n\s*?```[^\S\n]*(?:\n|\Z)")
_FENCE_END_START: Final = re.compile(r"\s*`{0,3}[^\S\n]*\Z")
_LONGEST_HELD: Final = 400


class ContentFilter:
    r"""The prose around calls.

    >>> content = ContentFilter()
    >>> before = content.feed("I look.\n"), content.begin_call()
    >>> content.end_call()
    >>> before, content.feed("\nDone."), content.finish()
    (('I look.', ''), '\n\nDone.', '')
    """

    def __init__(self) -> None:
        self._held = ""
        """The end of the text, which is sent if more text follows."""
        self._before_call = ""
        """What was held when the call that is being written began."""
        self._fence = ""
        """What was held before the last call, if it opens a fence that may end after the call."""
        self._last = ""
        """The last character before what is held; empty at the start."""
        self._is_after_call = False
        """Whether a call or a thought came last, so that white space separates it from the text."""
        self._has_text = False

    def feed(self, text: str) -> str:
        """Add prose and return what is certain to be content now."""
        if not (self._held or self._is_after_call or "`" in text or text[-1:].isspace()):
            self._held = text
            return self._released(len(text))
        self._held += text
        if self._fence:
            end = _FENCE_END.match(self._held)
            if end is None or (end.end() == len(self._held) and not self._held.endswith("\n")):
                return "" if _FENCE_END_START.match(self._held) else self._without_fence()
            self._close_fence(end.end())
        if self._is_after_call:
            self._held = self._held if self._has_text else self._held.lstrip()
            self._is_after_call = not self._held.strip()
            if self._is_after_call:
                return ""
        joined = self._last + self._held
        held = _HELD.search(joined, max(len(self._last), len(joined) - _LONGEST_HELD))
        return self._released(held.start() - len(self._last) if held else len(self._held))

    def begin_call(self) -> str:
        """Note that a call or a thought begins, and return the content before it that had to wait."""
        released = self._without_fence() if self._fence and self._held.strip() else ""
        self._before_call, self._held = self._held, ""
        return released

    def end_call(self) -> None:
        """Note that the call or thought belongs to the answer and not to its content."""
        if _FENCE.search(self._before_call):
            self._fence = self._before_call
        elif not self._fence:
            self._held = self._before_call
        self._before_call, self._last = "", ">"
        self._is_after_call = True

    def restore(self, text: str) -> str:
        """Add the text of a call that could not be read, and return what is certain to be content now."""
        before, self._before_call = self._before_call, ""
        return self.feed(before + text)

    def finish(self) -> str:
        """Return the last piece of the content. White space alone is not content."""
        if self._fence and (end := _FENCE_END.fullmatch(self._held)):
            self._close_fence(end.end())
        elif self._fence:
            return self._without_fence() + self.finish()
        if not self._held.strip() and (self._is_after_call or not self._has_text):
            self._held = ""
        return self._released(len(self._held))

    def _close_fence(self, end: int) -> None:
        """Leave out the fence around the last calls, and keep the white space before it."""
        self._held = _FENCE.sub("", self._fence) + self._held[end:]
        self._fence = ""

    def _without_fence(self) -> str:
        """Return the fence before the last call, which turned out to be text, and what can follow it."""
        self._held, self._fence, self._is_after_call = self._fence + self._held, "", False
        return self.feed("")

    def _released(self, end: int) -> str:
        ready, self._held = self._held[:end], self._held[end:]
        self._has_text |= bool(ready)
        self._last = ready[-1:] or self._last
        return ready


class TrimmedText:
    r"""A text that arrives in pieces, without the white space at its ends.

    >>> thought = TrimmedText()
    >>> [thought.feed(piece) for piece in ("\n", "I ", "look.\n")]
    ['', 'I', ' look.']
    """

    def __init__(self) -> None:
        self._space = ""
        """White space that is sent if text follows."""
        self._has_text = False

    def feed(self, text: str) -> str:
        """Add a piece and return what is certain."""
        whole = self._space + text if self._has_text else text.lstrip()
        kept = whole.rstrip()
        self._space = whole[len(kept) :]
        self._has_text |= bool(kept)
        return kept
