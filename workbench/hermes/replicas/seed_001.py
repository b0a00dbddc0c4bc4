"""A replica of the inference parser that the page "Teaching a model to call tools" prints (seed 001).

*Source:* that page's `_TOOL_CALL_PATTERN` and `parse_tool_calls`. Its `_clean` is named there and not
printed; here it does what the comment beside it says: trailing commas and single quotes.
"""

import re
from bisect import bisect_left
from typing import Final

from workbench.chat.json_value import as_object
from workbench.hermes.replicas.attempt import OPEN, Attempt, TakenCall, load_json, refusal, unique
from workbench.toolspec.spec import OfferedTools

_BEGIN: Final = re.compile(r"<tool_call>\s*(?=\{)")
_END: Final = re.compile(r"\}\s*</tool_call>")
_TRAILING_COMMA: Final = re.compile(r",(\s*[}\]])")


def read_as_seed_001(text: str, _: OfferedTools | None) -> Attempt:
    r"""What `<tool_call>\s*(\{.*?\})\s*</tool_call>` matches is decoded, and dropped where it cannot be.

    The pattern itself takes quadratic time; here both ends are found in one pass each, with the same result.
    An object is handed on as it is: no name is asked for, no thought is known.
    """
    calls: list[TakenCall] = []
    notes: list[str] = []
    bodies = _bodies(text)
    if len(bodies) < text.count(OPEN):
        notes.append("an open tag with anything but { behind it, or without a } and a close tag, is no call")
    for body in bodies:
        reason = refusal(body)
        cleaned = _cleaned(body) if reason else body
        if reason and refusal(cleaned):
            notes.append(f"a body is dropped ({reason})")
            continue
        fields = as_object(load_json(cleaned))
        name = fields.get("name")
        if not isinstance(name, str) or "arguments" not in fields:
            notes.append("an object is handed on without its `name` or `arguments`")
        calls.append(TakenCall(name=name if isinstance(name, str) else "", arguments=fields.get("arguments")))
    return Attempt(calls=tuple(calls), notes=unique(notes))


def _bodies(text: str) -> list[str]:
    ends = [(match.start(), match.end()) for match in _END.finditer(text)]
    bodies: list[str] = []
    position = 0
    for match in _BEGIN.finditer(text):
        if match.start() < position:
            continue
        index = bisect_left(ends, (match.end() + 1, 0))
        if index == len(ends):
            break
        bodies.append(text[match.end() : ends[index][0] + 1])
        position = ends[index][1]
    return bodies


def _cleaned(body: str) -> str:
    return _TRAILING_COMMA.sub(r"\1", body.replace("'", '"'))
