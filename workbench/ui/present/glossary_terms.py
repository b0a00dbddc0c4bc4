"""The terms of the glossary that the page explains in tooltips."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

TERMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "arm": "One combination that a suite run measures: a contract, a model, a sampling and a tool choice.",
        "contract": "The system prompt with its tool-calling rules: how calls are written and when to make them.",
        "decision": "Whether the model calls a tool, and which one, with the probability of each choice.",
        "ephemeral system text": "Text that is added to the system prompt when a message is sent and never exported.",
        "finding": "A problem that the reader or the validator reports, with a code, a severity and a position.",
        "fix": "A repair that the reader made in order to read a tool call, such as removing a trailing comma. "
        "The Fixes pane shows each one.",
        "reading": "What the reader found in a completion: prose, thoughts, tool calls, fixes and findings, each "
        "with its position.",
        "receipt": "A file beside exported rows or an adapter that records what it was made from, with counts and "
        "checksums.",
        "rollout": "The completions and tool results of one turn, from the user's message to the answer.",
        "stale": "Said of a message that follows from an earlier message that was corrected later.",
    }
)
"""The meaning of each term, in the words of `docs/reference/glossary.md`."""
