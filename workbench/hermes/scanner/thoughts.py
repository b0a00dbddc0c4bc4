"""Decide what a thought is, and report the calls in it."""

import re
from collections.abc import Iterator
from typing import Final

from workbench.chat.finding import Finding
from workbench.hermes.dialects.find import find_foreign, may_hold_token
from workbench.hermes.marks import CALL_TAG
from workbench.hermes.text.completion import Completion, Tag
from workbench.hermes.text.notes import finding_of

_RECIPIENT: Final = re.compile(r"to=[\w.-]+\s?\Z")
_LONGEST_RECIPIENT: Final = 200


def calls_in_thought(completion: Completion, start: int, end: int) -> tuple[Finding, ...]:
    """Return a finding for each call inside the thought `[start, end)`, in any form that has tags or tokens."""
    found = [*_tagged_calls(completion.text, start, end)]
    if not may_hold_token(completion.text[start:end]):
        return tuple(found)
    found += (
        finding_of("call-in-reasoning", foreign.start, foreign.end)
        for foreign in find_foreign(completion, start, end)
        if foreign.drafts and not foreign.is_plain
    )
    return tuple(sorted(found, key=lambda finding: finding.span or (start, end)))


def _tagged_calls(text: str, start: int, end: int) -> Iterator[Finding]:
    opened: int | None = None
    for tag in CALL_TAG.finditer(text, start, end):
        if not tag.group(1):
            opened = tag.start()
        elif opened is not None:
            yield finding_of("call-in-reasoning", opened, tag.end())
            opened = None


def is_header_of_call(text: str, tag: Tag) -> bool:
    """Return whether gpt-oss' channel at `tag` belongs to a call: `to=functions.f<|channel|>analysis<|message|>{…}`."""
    return _RECIPIENT.search(text, max(0, tag.start - _LONGEST_RECIPIENT), tag.start) is not None
