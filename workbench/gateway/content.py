"""Turn prose into the `content` of an answer: without stray tags, and without white space at its ends."""

import re
from typing import Final

_NAME: Final = r"(?i:tool_call)|think|scratch_pad|REASONING_SCRATCHPAD|tool_response"
_TAG: Final = re.compile(
    rf"</?(?:{_NAME})>|<tool_call name=\"[^<>\n]*\">|<(?:function|parameter)=[^<>\n]*>"
    r"|<\|(?:im_start|im_end|endoftext|eot_id)\|>"
)
"""Tags that cannot be anything else. `<tools>` or `<parameter name="…">` may belong to XML that the user asked for."""
_CLOSER: Final = re.compile(r"</(function|parameter)>")
"""Closing tags that belong to the format only after an opening tag of the format."""
_STARTS: Final = (
    "<tool_call>", "</tool_call>", "<think>", "</think>", "<scratch_pad>", "</scratch_pad>",
    "<REASONING_SCRATCHPAD>", "</REASONING_SCRATCHPAD>", "<tool_response>", "</tool_response>",
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<function=", "<parameter=",
    '<tool_call name="', "</function>", "</parameter>",
)  # fmt: skip
_OPEN_NAME: Final = re.compile(r'<(?:(?:function|parameter)=|tool_call name=")[^<>\n]{0,500}\Z')
_LONGEST: Final = 600


def _held_from(text: str) -> int:
    """Return where a tag may start that later text completes, or the length of `text`.

    A tag directly after a backtick is held until the next character shows whether it is quoted.
    """
    start = text.rfind("<", max(0, len(text) - _LONGEST))
    if start < 0:
        return len(text)
    tail = text[start:]
    if tail.endswith(">"):
        is_quoted = text[start - 1 : start] == "`" and _TAG.fullmatch(tail) is not None
        return start if is_quoted else len(text)
    lower = tail.lower()
    is_start = any(tag.startswith((tail, lower)) for tag in _STARTS)
    return start if is_start or _OPEN_NAME.match(tail) else len(text)


class ContentFilter:
    r"""Pass prose on as soon as it is certain, without tags of the format and without white space at the ends.

    A tag in backticks is text, as in "Use `<tool_call>`". White space waits for the text after it, so that nothing
    follows the last word: the template adds its own line break before a call.

    >>> content = ContentFilter()
    >>> [content.feed(piece) for piece in ("\n I am ", "here </too", "l_call>", "\n")], content.finish()
    (['I am', ' here', '', ''], '')
    """

    def __init__(self) -> None:
        self._pending = ""
        self._before = ""
        """The last character that was looked at."""
        self._space = ""
        """White space that is sent if text follows."""
        self._has_text = False
        self._opened: set[str] = set()

    def feed(self, text: str) -> str:
        """Add prose and return what is certain to be content now."""
        if text and "<" not in text and not self._pending:
            self._before = text[-1]
            return self._trimmed(text)
        self._pending += text
        held = _held_from(self._before + self._pending) - len(self._before)
        ready, self._pending = self._pending[: max(0, held)], self._pending[max(0, held) :]
        return self._released(ready)

    def interrupt(self) -> str:
        """Return what waits for more prose, because something other than prose follows."""
        ready, self._pending = self._pending, ""
        released = self._released(ready)
        self._before = ""
        return released

    def finish(self) -> str:
        """Return the last piece of the content."""
        return self.interrupt()

    def _released(self, ready: str) -> str:
        if not ready:
            return ""
        joined = self._before + ready
        start = len(self._before)
        cleaned = self._without_tags(joined, start)
        self._before = joined[-1]
        return self._trimmed(cleaned)

    def _trimmed(self, text: str) -> str:
        """Return the next text of the content without the white space at its end, which waits for more."""
        text = self._space + text
        kept = text.rstrip()
        self._space = text[len(kept) :]
        if not self._has_text:
            kept = kept.lstrip()
            self._has_text = bool(kept)
            self._space = self._space if self._has_text else ""
        return kept

    def _without_tags(self, text: str, position: int) -> str:
        pieces: list[str] = []
        while found := _next_tag(text, position, self._opened):
            pieces.append(text[position : found.start()])
            quoted = text[found.start() - 1 : found.start()] == "`" and text[found.end() :][:1] == "`"
            if quoted:
                pieces.append(found.group())
            elif opening := re.match(r"<(function|parameter)=", found.group()):
                self._opened.add(opening.group(1))
            position = found.end()
        pieces.append(text[position:])
        return "".join(pieces)


def _next_tag(text: str, position: int, opened: set[str]) -> "re.Match[str] | None":
    found = _TAG.search(text, position)
    if not opened:
        return found
    closer = _CLOSER.search(text, position)
    while closer and closer.group(1) not in opened:
        closer = _CLOSER.search(text, closer.end())
    return min((match for match in (found, closer) if match), key=lambda match: match.start(), default=None)
