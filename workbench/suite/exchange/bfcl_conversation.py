"""Convert BFCL's multi-turn questions to cases: sets `multi_turn_base`, `miss_func`, `miss_param`, `long_context`.

*Source:* the files `BFCL_v4_multi_turn_*.json` of the package `bfcl-eval` 2026.3.23.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

MORE_FUNCTIONS: Final = "I have updated some more functions you can choose from. What about now?"
"""What the person says in a turn in which the model gets functions that were withheld. BFCL's text."""
MOST_STEPS: Final = 20
"""Most completions of a turn, as in BFCL."""
PREFIX: Final = "bfcl:"
"""Begins the name of a tool that is a method of one of BFCL's classes, such as `bfcl:MathAPI.add`."""
FunctionDocs = Mapping[str, Sequence[Mapping[str, Any]]]
"""BFCL's function documents by the name of their class."""


def is_conversation(row: Mapping[str, Any]) -> bool:
    """Whether a question is of a multi-turn set, and not of `memory` or `web_search`."""
    return "initial_config" in row and isinstance(row.get("involved_classes"), list)


def conversation_case(
    row: Mapping[str, Any], truth: Sequence[Sequence[str]], docs: FunctionDocs
) -> dict[str, Any]:
    """Return the case of a question.

    Args:
        truth: The calls of each turn, as Python.
        docs: Give the names of the functions.
    """
    question_id, excluded = str(row["id"]), frozenset(cast(Sequence[str], row.get("excluded_function") or ()))
    names = [
        f"{PREFIX}{name}.{function['name']}"
        for name in cast(Sequence[str], row["involved_classes"])
        for function in docs.get(name, ())
        if function["name"] not in excluded
    ]
    said = [
        "\n".join(str(message["content"]) for message in turn) or MORE_FUNCTIONS
        for turn in cast(Sequence[Sequence[Mapping[str, Any]]], row["question"])
    ]
    expected: dict[str, Any] = {
        "classes": row["involved_classes"],
        "config": row["initial_config"],
        "ground_truth": truth,
        "missed": row.get("missed_function") or {},
        "is_long": "long_context" in question_id,
    }
    return {
        "id": question_id,
        "user": {"goal": said[0], "script": said},
        "tools": names,
        "tags": ["bfcl", question_id.rsplit("_", 1)[0]],
        "max_rounds": MOST_STEPS,
        "expect": [{"bfcl_conversation": expected}],
    }
