"""Expectations of the answer's text."""

import json
from typing import Final, Literal, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.suite.played import Played
from workbench.suite.scoring.calls import Answer, score_no_call
from workbench.toolspec.conditions import first_break
from workbench.toolspec.patterns import is_found, pattern_problem

_QUESTION_MARKS: Final = ("?", "？", "؟")
_LONGEST_SHOWN: Final = 60


def score_asks(wanted: "Literal[True] | str", played: Played) -> Answer:
    """Nothing is called, and the answer asks, about what `wanted` finds where it is a pattern."""
    holds, reason = score_no_call(played)
    if not holds:
        return False, f"it asks nothing: {reason}"
    answer = played.answer
    if not any(mark in answer for mark in _QUESTION_MARKS):
        return False, f"no question in {_shown(answer)}"
    if isinstance(wanted, str) and not _finds(wanted, answer):
        return False, f"it asks, and not about /{wanted}/: {_shown(answer)}"
    return True, f"it asks: {_shown(answer)}"


def score_contains(wanted: str | list[str], played: Played) -> Answer:
    """The answer has each of the texts, whatever the case of letters."""
    answer = played.answer
    for text in [wanted] if isinstance(wanted, str) else wanted:
        if text.casefold() not in answer.casefold():
            return False, f"{text!r} is not in {_shown(answer)}"
    return True, f"{wanted!r} is in the answer"


def score_matches(pattern: str, played: Played) -> Answer:
    """The pattern is found in the answer."""
    answer = played.answer
    return _finds(pattern, answer), f"/{pattern}/ in {_shown(answer)}"


def score_answer_schema(schema: JsonObject, played: Played) -> Answer:
    """The answer is JSON of the schema."""
    try:
        value = cast(JsonValue, json.loads(played.answer))
    except (ValueError, RecursionError):
        return False, f"the answer is no JSON: {_shown(played.answer)}"
    broken = first_break(schema, value)
    return not broken, broken or "the answer holds the schema"


def _finds(pattern: str, text: str) -> bool:
    """Whether it is found; nothing is found by a pattern that cannot be run."""
    return not pattern_problem(pattern) and is_found(pattern, text)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 1] + "…")
