"""Examples for contracts, made from sessions whose calls were labelled or recorded."""

from collections.abc import Iterator, Mapping
from typing import Final

from workbench.app.runs.session_suite import suite_from_sessions
from workbench.app.services import Services
from workbench.chat.json_value import JsonValue
from workbench.chat.message import ToolCall
from workbench.hermes.spelling.families import family_named
from workbench.suite.case import Case

MOST_EXAMPLES: Final = 12
_LONGEST: Final = 600
"""Characters of the longest example."""


def session_examples(services: Services, tag: str, family: str) -> tuple[str, ...]:
    """Return up to 12 examples from the owner's sessions with a tag, the shortest first.

    Raises:
        BadInput: No session has the tag.
        StoreError: The sessions cannot be read.
    """
    cases = suite_from_sessions(services, tag).suite.cases
    texts = {text for case in cases for text in _examples(case, family) if len(text) <= _LONGEST}
    return tuple(sorted(texts, key=lambda text: (len(text), text))[:MOST_EXAMPLES])


def _examples(case: Case, family: str) -> Iterator[str]:
    """Yield the example of a case with one message whose calls have known arguments."""
    patterns = next(iter(case.expectations)).calls
    if len(case.messages) != 1 or not patterns:
        return
    calls: list[str] = []
    for pattern in patterns:
        values = {name: _plain(value) for name, value in (pattern.arguments or {}).items()}
        if not isinstance(pattern.name, str) or pattern.arguments is None or None in values.values():
            return
        pieces = family_named(family).render_call(ToolCall(name=pattern.name, arguments=values))
        body = "".join(piece.text for piece in pieces)
        calls.append(f"<tool_call>\n{body.strip()}\n</tool_call>")
    yield f"User: {' '.join(case.messages[0].text.split())}\nAssistant: " + "\n".join(calls)


def _plain(condition: JsonValue) -> JsonValue:
    """Return the only value that meets a condition, or None if several do."""
    if not isinstance(condition, Mapping):
        return condition
    return condition["equals"] if set(condition) == {"equals"} else None
