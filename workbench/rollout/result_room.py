"""Cut the results of tools to what the context of the model has left, with a note for the model and for people.

A result that fills the context ends the turn: the next prompt is too long, and all that was done before is in vain. So
the results of a round may use half of the context that the prompt and an answer leave, in equal parts. What a short one
does not use, the next ones may. The other half is for the rounds that follow.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.rollout.ports import ToolRun

LEAST_TOKENS: Final = 200
"""A result of this length is never cut."""
_FRAME_TOKENS: Final = 16
"""Tokens of the tags around a result."""
_FRAME_CHARS: Final = 64
"""Characters reserved for the JSON around the beginning of a cut result."""
_MOST_ANSWER_SHARE: Final = 4
"""An answer gets at most one part in this many of the context."""
_ROUND_SHARE: Final = 2


class ResultRoom:
    """The room for the results of one round.

    Args:
        context_tokens: Size of the context; 0 if not known, which cuts nothing.
        answer_tokens: Longest answer.
        results: How many results there will be.
        count_prompt: Returns the number of tokens of the conversation so far. Only called for long results.
        count_tokens: Returns the number of tokens of a text.
    """

    def __init__(
        self,
        *,
        context_tokens: int,
        answer_tokens: int,
        results: int,
        count_prompt: Callable[[], int],
        count_tokens: Callable[[str], int],
    ) -> None:
        self._context_tokens = context_tokens
        self._reserved = min(answer_tokens, context_tokens // _MOST_ANSWER_SHARE)
        self._results = results
        self._count_prompt = count_prompt
        self._count = count_tokens
        self._room: int | None = None
        """What is left for results. None if it was not needed yet."""
        self._used = 0
        """What short results used before the room was needed, at most."""

    def fit(self, run: ToolRun) -> ToolRun:
        """Return a run with its result cut to the room that is left for it, and with the finding `result-cut` then."""
        text = run.result.text
        left, self._results = self._results, self._results - 1
        # A token has at least one byte, so this needs no tokenizer.
        most_bytes = len(text.encode(errors="replace"))
        if not self._context_tokens or most_bytes <= LEAST_TOKENS:
            self._use(most_bytes)
            return run
        share = max(LEAST_TOKENS, self._left() // left - _FRAME_TOKENS)
        tokens = self._count(text)
        if tokens <= share:
            self._use(tokens)
            return run
        cut = self._cut(text, share * len(text) // tokens, share)
        self._use(self._count(cut))
        shown = len(json.loads(cut)["beginning"])
        message = f"the model gets the first {shown:,} of {len(text):,} characters, which fit its context"
        finding = Finding(code="result-cut", message=message, severity=Severity.WARNING)
        return replace(run, result=replace(run.result, text=cut), findings=(*run.findings, finding))

    def _left(self) -> int:
        if self._room is None:
            free = self._context_tokens - self._count_prompt() - self._reserved
            self._room = free // _ROUND_SHARE - self._used
        return self._room

    def _use(self, tokens: int) -> None:
        if self._room is None:
            self._used += tokens + _FRAME_TOKENS
        else:
            self._room -= tokens + _FRAME_TOKENS

    def _cut(self, text: str, chars: int, most_tokens: int) -> str:
        """Return the longest tried beginning that fits. A beginning may have more tokens than its share of the text."""
        while True:
            cut = cut_text(text, chars)
            tokens = self._count(cut)
            if tokens <= most_tokens or chars <= _FRAME_CHARS:
                return cut
            chars = min(chars * most_tokens // tokens, chars - 1)


def cut_text(text: str, most_chars: int) -> str:
    """Return a long result as a JSON object with its size and its beginning, of at most `most_chars` characters.

    >>> cut_text("abc" * 1000, 75)
    '{"truncated": true, "size_chars": 3000, "beginning": "abcabc"}'
    """
    beginning = text[:most_chars].encode(errors="replace").decode()
    while True:
        value = {"truncated": True, "size_chars": len(text), "beginning": beginning}
        cut = json.dumps(value, ensure_ascii=False)
        if len(cut) <= most_chars or not beginning:
            return cut
        # Escapes can double the length.
        fits = len(beginning) * max(0, most_chars - _FRAME_CHARS) // len(cut)
        beginning = beginning[: min(fits, len(beginning) - 1)]
