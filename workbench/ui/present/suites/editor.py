"""Show a suite in the editor: its problems and its cases."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.app.runs.session_suite import SessionSuite
from workbench.app.runs.suites import CheckedSuite
from workbench.chat.json_value import JsonObject
from workbench.suite.case import Case
from workbench.suite.exchange.bfcl import ImportedSuite
from workbench.suite.row_table import read_csv
from workbench.suite.suite_text import SuiteFault
from workbench.toolspec.yaml_text import dump_yaml
from workbench.ui.present.words import count

MOST_SHOWN: Final = 200
"""Maximum number of cases to list."""
BLANK: Final = """suite: {name}
description: What this suite measures.
defaults:
  tools: [weather]
cases:
  - id: rome
    prompt: What is the weather in Rome?
    tags: [simple]
    expect:
      - calls:
          - name: get_weather
            arguments: {{city: {{regex: "(?i)rome"}}}}
            optional: {{unit: celsius}}
"""
"""The text of a new suite."""


_ENTRY: Final = re.compile(r"^cases:[^\S\n]*\n(?:[^\S\n]*(?:#.*)?\n)*([^\S\n]*)- ", re.MULTILINE)
"""Matches the first case of a suite text. The group is its indentation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultView:
    """A problem that keeps a suite from running."""

    line: int | None
    """Line of the text, from 1, or None if unknown."""
    place: str
    """The case and the pointer in it. May be empty."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLine:
    """A case as a row of the list."""

    id: str
    user_text: str
    """The last user message."""
    expectations: str
    """Kinds of the expectations."""
    note: str
    """Tags, tools and repetitions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteTextView:
    """The parsed suite of the editor."""

    name: str
    note: str
    """Number of cases."""
    faults: tuple[FaultView, ...]
    """By line. Empty if the suite can run."""
    cases: tuple[CaseLine, ...]
    """Cases that can be parsed, with their templates filled in."""


def show_suite_text(checked: CheckedSuite) -> SuiteTextView:
    """Show a parsed suite."""
    cases = checked.suite.cases
    more = f" · showing the first {MOST_SHOWN}" if len(cases) > MOST_SHOWN else ""
    return SuiteTextView(
        name=checked.suite.name,
        note=count(len(cases), "case") + more,
        faults=tuple(map(_fault, checked.faults)),
        cases=tuple(map(_case, cases[:MOST_SHOWN])),
    )


def with_rows(text: str, rows_text: str, *, file_name: str) -> str:
    """Append a case template over the rows of a CSV file to the text of a suite, as a starting point.

    Args:
        text: Text of the suite, whose last key is `cases`.
        rows_text: Text of the CSV file.
        file_name: Name of the CSV file, which becomes the id of the case.

    Raises:
        BadInput: The text is not CSV with a header line.
    """
    columns = read_csv(rows_text, where=f"file {file_name}").columns
    names = [name for name in columns if name.isidentifier()]
    found = _ENTRY.search(text)
    entry = [
        f"- id: {json.dumps(file_name.rsplit('.', 1)[0], ensure_ascii=False)}",
        f"  prompt: {json.dumps(' '.join(f'{{{{ {name} }}}}' for name in names))}",
        "  expect: [{no_call: true}]",
        "  rows: |",
        *(f"    {line}" for line in rows_text.removeprefix("\ufeff").splitlines()),
    ]
    indent = found.group(1) if found else "  "
    return "\n".join([text.rstrip("\n"), *(indent + line for line in entry)]) + "\n"


def with_cases(text: str, imported: ImportedSuite) -> str:
    """Append the cases of an imported suite to the text of a suite, whose last key is `cases`."""
    found = _ENTRY.search(text)
    indent = found.group(1) if found else "  "
    # The suite's default tools are not added to those that a case brings along.
    no_others: JsonObject = {"tools": []}
    cases = [
        {**no_others, **case.document} if "tool_specs" in case.document else case.document
        for case in imported.suite.cases
    ]
    entries = dump_yaml(cases).rstrip("\n").split("\n")
    return "\n".join([text.rstrip("\n"), *(indent + line if line else line for line in entries)]) + "\n"


def imported_note(imported: ImportedSuite) -> str:
    """Describe the cases that were added from a file."""
    note = f"Added {count(len(imported.suite.cases), 'case')} after the existing ones."
    if imported.left_out:
        note += f" Skipped {count(len(imported.left_out), 'part')}. The first one: {imported.left_out[0]}."
    return note


def sessions_note(made: SessionSuite) -> str:
    """Describe a suite that was made from sessions, before it is saved."""
    cases = f"{count(len(made.suite.cases), 'case')} from {count(made.sessions, 'session')}"
    note = f"{cases}, {made.labelled} labelled. Save it as a version to run it."
    if made.left_out:
        note += f" Skipped {count(len(made.left_out), 'turn')}. The first one: {made.left_out[0].reason}."
    return note


def _fault(fault: SuiteFault) -> FaultView:
    place = " · ".join(filter(None, (fault.case, fault.pointer)))
    return FaultView(
        line=fault.line, place=place, text=fault.problem + (f" ({fault.remedy})" if fault.remedy else "")
    )


def _case(case: Case) -> CaseLine:
    return CaseLine(
        id=case.id,
        user_text=case.messages[-1].text,
        expectations=", ".join(dict.fromkeys(expectation.kind for expectation in case.expectations)),
        note=" · ".join(filter(None, (_listed(case.tags), _listed(case.tools), _repeated(case)))),
    )


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)


def _repeated(case: Case) -> str:
    return f"{case.repeat} repetitions" if case.repeat > 1 else ""
