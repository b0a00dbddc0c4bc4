"""Find text that is not a tag but was probably meant as one, in prose and in contracts."""

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from itertools import accumulate
from typing import Final

from workbench.chat.finding import Finding, Severity, Span
from workbench.hermes.reading import Reading, SegmentKind

_TAG_LIKE: Final = re.compile(r"[<＜‹〈]([^<>＜＞‹›〈〉\n]{1,80})[>＞›〉]")
_UNSEEN: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_FILLER: Final = re.compile(r"[\s_|-]+")
_EXACT: Final = re.compile(
    r"</?(?:(?i:tool_call)|think|scratch_pad|REASONING_SCRATCHPAD|tool_response|tools|function|parameter)>"
    r'|<(?:function|parameter)=[^\s\u200b-\u200d\u2060\ufeff][^<>]*>|<(?:function|tool_call) name="[^"<>]*">'
)
_MEANT: Final = {
    "toolcall": "tool_call",
    "toolcalls": "tool_call",
    "toolresponse": "tool_response",
    "toolresponses": "tool_response",
    "think": "think",
    "scratchpad": "scratch_pad",
    "reasoningscratchpad": "REASONING_SCRATCHPAD",
}
_MISSPELLED: Final = ("toolcall", "toolresponse")
"""Words whose misspellings are recognized by their distance; the others are too short or too common."""
_NAMED: Final = re.compile(r"(function|parameter)[=:].")


def check_tags(text: str) -> tuple[Finding, ...]:
    """Return a `near-miss-tag` finding for each text that looks like a tag of the format but is not one.

    Examples: a misspelling (`<tool-call>`), white space (`< tool_call >`), full-width brackets (`＜tool_call＞`), or an
    invisible character inside the tag. A tag between backticks is a mention and is ignored.

    >>> [finding.message for finding in check_tags("Write <toolcall> first.")]
    ["'<toolcall>' is not a tag; did you mean '<tool_call>'?"]
    """
    return tuple(_near_misses(text))


def check_prose(reading: Reading) -> tuple[Finding, ...]:
    """Run `check_tags` on the prose of a completion. Spans refer to the whole completion."""
    starts = accumulate((len(segment.text) for segment in reading.segments), initial=0)
    return tuple(
        replace(finding, span=finding.span.shifted(start))
        for start, segment in zip(starts, reading.segments, strict=False)
        if segment.kind is SegmentKind.PROSE
        for finding in _near_misses(segment.text)
        if finding.span
    )


def _near_misses(text: str) -> Iterator[Finding]:
    for match in _TAG_LIKE.finditer(text):
        written = match.group()
        if _EXACT.fullmatch(written) or _is_quoted(text, match):
            continue
        meant = meant_tag(match.group(1))
        if meant:
            message = f"{written[:30]!r} is not a tag; did you mean {meant!r}?"
            yield Finding(
                code="near-miss-tag", message=message, severity=Severity.NOTE, span=Span(*match.span())
            )


def _is_quoted(text: str, match: "re.Match[str]") -> bool:
    return text.startswith("`", match.end()) and text[match.start() - 1 : match.start()] == "`"


def meant_tag(inside: str) -> str:
    """Return the tag that the text between two brackets was probably meant as, or an empty string.

    >>> meant_tag("tool-call"), meant_tag("/tool_cal"), meant_tag("table")
    ('<tool_call>', '</tool_call>', '')
    """
    squeezed = _FILLER.sub("", inside.translate(_UNSEEN).lower())
    slash = "/" if squeezed.startswith("/") else ""
    word = squeezed.strip("/")
    named = _NAMED.match(word)
    if named and not slash:
        return f"<{named.group(1)}=…>"
    nearest = get_close_matches(word, _MISSPELLED, n=1, cutoff=0.87) if len(word) < 20 else []
    known = word if word in _MEANT else next(iter(nearest), "")
    return f"<{slash}{_MEANT[known]}>" if known else ""
