"""Comparisons played in tests."""

import json

from workbench.app.comparisons.opened import find_comparison, open_comparison
from workbench.app.comparisons.planning import ColumnRequest, compare_question
from workbench.app.comparisons.running import run_comparison

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "%s"}}\n</tool_call>'


def column(services, **changes):
    """A column of the settings' model and contract, unless it is said otherwise."""
    return ColumnRequest(**{"model": services.settings.model, **changes})


def script(folder, name, *completions):
    """A model of its own."""
    file = folder / f"{name}.yaml"
    file.write_text(
        "completions:\n" + "".join(f"  - {json.dumps(one)}\n" for one in completions), encoding="utf-8"
    )
    return f"scripted:{file}"


def asked(services, *columns, question="Cairo?", tools=("nonsense",)):
    """A comparison on a question, not played yet."""
    return compare_question(services, question, tools, services.setup_for(), columns)


def played(services, kept, is_cancelled=lambda: False):
    """The comparison once it is played, and what happened."""
    events = list(run_comparison(services, kept, is_cancelled=is_cancelled))
    return find_comparison(services, kept.id), events


def texts(services, kept):
    """By turn and column, what the messages of each answer say."""
    return [
        {place: [one.message.text for one in answer.path] for place, answer in turn.answers.items()}
        for turn in open_comparison(services, kept).turns
    ]
