"""A summary without a model: what each entry begins with, as much as there is room for."""

from collections.abc import Callable, Sequence
from typing import Final

from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.formats.shared.text_entries import TextEntry
from workbench.trajectory.trajectory import Call, Part, Prose, Result, Thought

TITLE: Final = "[CONTEXT SUMMARY]:"
"""What a summary begins with. *Source:* `trajectory_compressor.py` of hermes-agent."""
_WIDTHS: Final = (2000, 1000, 500, 300, 200, 120, 80, 50, 30, 0)
"""Characters an item may have, tried from the widest on."""

CountTokens = Callable[[str], int]
"""Length of a text in tokens."""


def quarter_tokens(text: str) -> int:
    """Tokens by rule of thumb, four characters each. *Source:* the fallback of hermes-agent's compressor."""
    return len(text) // 4


def extract_summary(entries: Sequence[TextEntry], count: CountTokens, most_tokens: int) -> str:
    """A line for each thing that was said, called or answered; the same entries give the same text.

    Lines are cut evenly until the summary has at most `most_tokens`; where even their beginnings are too
    many, the middle ones are left out and counted.
    """
    for width in _WIDTHS:
        lines = [line for entry in entries for line in _lines(entry, width)]
        text = "\n".join([TITLE, *lines])
        if count(text) <= most_tokens:
            return text
    lines = [line for entry in entries for line in _lines(entry, _WIDTHS[-2])]
    kept = len(lines)
    while kept > 2 and count(_without_middle(lines, kept)) > most_tokens:
        kept = kept * 3 // 4
    return _without_middle(lines, kept)


def _without_middle(lines: Sequence[str], kept: int) -> str:
    head, tail = kept - kept // 2, kept // 2
    left_out = f"… {len(lines) - kept} more steps …"
    return "\n".join([TITLE, *lines[:head], left_out, *lines[len(lines) - tail :]])


def _lines(entry: TextEntry, width: int) -> list[str]:
    parts = [part for message in entry.messages for part in message.parts]
    return [line for part in parts if (line := _line(str(entry.role), part, width))]


def _line(role: str, part: Part, width: int) -> str:
    match part:
        case Thought():
            return ""
        case Prose():
            return f"- {role}: {_cut(part.text, width)}"
        case Call():
            return f"- called {part.name}({_cut(spelled_json(part.arguments), width)})"
        case Result():
            return f"- {part.name or 'the tool'} gave: {_cut(part.text, width)}"


def _cut(text: str, width: int) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: max(width - 1, 0)].rstrip() + "…"
