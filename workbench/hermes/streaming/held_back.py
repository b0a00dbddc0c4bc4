"""What of a text that is still coming must wait, since it may become a tag."""

import re
from typing import Final

_TAG_STARTS: Final = (
    "</think>", "</scratch_pad>", "</REASONING_SCRATCHPAD>", "<think>", "<scratch_pad>",
    "<REASONING_SCRATCHPAD>",
    "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<tool_response>", "<tools>", "<function_call>",
    "<functioncall>",
    "<function=", "<function name=", "<tool_call name=",
)  # fmt: skip
_CALL_STARTS: Final = ("<tool_call>", "</tool_call>")
_OPEN_NAME: Final = re.compile(r'<(?:function=|function name="|tool_call name=")[^<>\n]*\Z')
_WAITING: Final = re.compile(
    r'<(?:tools|function_call|functioncall|function=[^<>\n]*|(?:function|tool_call) name="[^<>\n]*")>\s*\Z'
)
_CLOSED: Final = re.compile(r"</(?i:tool_call)>\Z")
_LONGEST_TAG: Final = 600
OVERLAP_CHARS: Final = 11
"""A close tag that came in pieces begins at most so far before the text that is new."""


def is_plain(piece: str) -> bool:
    """Whether nothing in `piece` can end a string, need a fix or belong to a tag."""
    return '"' not in piece and "\\" not in piece and "<" not in piece and piece.isprintable()


def is_closed(text: str, end: int) -> bool:
    """Whether a close tag stands directly before `end`."""
    return _CLOSED.search(text, max(0, end - OVERLAP_CHARS - 1), end) is not None


def held_from(text: str) -> int:
    """From where on `text` may become a mark with what comes; its length where nothing may."""
    waiting = _WAITING.search(text, max(0, len(text) - _LONGEST_TAG))
    if waiting:
        return waiting.start()
    start = text.rfind("<", max(0, len(text) - _LONGEST_TAG))
    if start < 0:
        return len(text)
    tail = text[start:]
    is_name = _OPEN_NAME.match(tail) is not None
    is_start = not tail.endswith(">") and (
        any(tag.startswith(tail) for tag in _TAG_STARTS)
        or any(tag.startswith(tail.lower()) for tag in _CALL_STARTS)
    )
    return start if is_name or is_start else len(text)


def held_of(text: str, tags: tuple[str, ...]) -> int:
    """From where on `text` may become one of `tags` with what comes; its length where nothing may."""
    start = text.rfind("<")
    return start if start >= 0 and any(tag.startswith(text[start:]) for tag in tags) else len(text)
