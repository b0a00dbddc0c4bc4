"""Helpers for tests of comparisons."""

import json

from workbench.app.comparisons.opened import find_comparison, open_comparison
from workbench.app.comparisons.planning import ColumnRequest, compare_question
from workbench.app.comparisons.running import run_comparison

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "%s"}}\n</tool_call>'


def column(services, **changes):
    """Return a column with the settings' model and contract, except for the changes."""
    return ColumnRequest(**{"model": services.settings.model, **changes})


def script(folder, name, *completions):
    """Write a script for another scripted model and return the model's name."""
    file = folder / f"{name}.yaml"
    file.write_text(
        "completions:\n" + "".join(f"  - {json.dumps(text)}\n" for text in completions), encoding="utf-8"
    )
    return f"scripted:{file}"


def create(services, *columns, question="Cairo?", tools=("nonsense",)):
    """Create a comparison on a question, without answers."""
    return compare_question(services, question, tools, services.setup_for(), columns)


def run_all(services, stored, is_cancelled=lambda: False):
    """Run a comparison, and return it with its events."""
    events = list(run_comparison(services, stored, is_cancelled=is_cancelled))
    return find_comparison(services, stored.id), events


def texts(services, stored):
    """Return the texts of each answer's messages, by turn and column."""
    return [
        {place: [stored.message.text for stored in answer.path] for place, answer in turn.answers.items()}
        for turn in open_comparison(services, stored).turns
    ]
