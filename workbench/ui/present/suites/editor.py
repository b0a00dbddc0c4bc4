"""A suite in the editor: its problems and its cases."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.app.runs.suites import CheckedSuite
from workbench.suite.case import Case
from workbench.suite.suite_text import SuiteFault, read_csv
from workbench.ui.present.words import count

MOST_SHOWN: Final = 200
"""Cases that are listed."""
BLANK: Final = """suite: {name}
description: What it measures, for a person.
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
"""What a new suite begins with."""


_ENTRY: Final = re.compile(r"^cases:[^\S\n]*\n(?:[^\S\n]*(?:#.*)?\n)*([^\S\n]*)- ", re.MULTILINE)
"""The first case in a text; its indent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultView:
    """One thing for which it cannot be played."""

    line: int | None
    """In the text, from 1; None where it has no place."""
    place: str
    """The case, and the pointer in it; may be empty."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLine:
    """A case, in a line."""

    id: str
    said: str
    """What the user says last."""
    wants: str
    note: str
    """Tags, tools, repetitions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteTextView:
    """The suite in the editor, as it is read."""

    name: str
    note: str
    """How many cases it has."""
    faults: tuple[FaultView, ...]
    """By line; none: it can be played."""
    cases: tuple[CaseLine, ...]
    """Those that can be read, templates filled."""


def show_suite_text(checked: CheckedSuite) -> SuiteTextView:
    """The suite as it is read."""
    cases = checked.suite.cases
    more = f" · the first {MOST_SHOWN} are listed" if len(cases) > MOST_SHOWN else ""
    return SuiteTextView(
        name=checked.suite.name,
        note=count(len(cases), "case") + more,
        faults=tuple(map(_fault, checked.faults)),
        cases=tuple(map(_case, cases[:MOST_SHOWN])),
    )


def with_rows(text: str, rows_text: str, *, file_name: str) -> str:
    """A suite's text with a template of cases over the rows of a CSV file behind it, to be gone on with.

    Args:
        text: Of the suite; it ends in its cases.
        rows_text: Of the CSV file.
        file_name: What it is called.

    Raises:
        BadInput: It is no CSV file with a line of names.
    """
    names = [name for name in read_csv(rows_text, where=f"file {file_name}")[0] if name.isidentifier()]
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


def _fault(fault: SuiteFault) -> FaultView:
    place = " · ".join(filter(None, (fault.case, fault.pointer)))
    return FaultView(
        line=fault.line, place=place, text=fault.problem + (f" ({fault.remedy})" if fault.remedy else "")
    )


def _case(case: Case) -> CaseLine:
    return CaseLine(
        id=case.id,
        said=case.messages[-1].text,
        wants=", ".join(dict.fromkeys(one.kind for one in case.expectations)),
        note=" · ".join(filter(None, (_listed(case.tags), _listed(case.tools), _repeated(case)))),
    )


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)


def _repeated(case: Case) -> str:
    return f"{case.repeat} plays" if case.repeat > 1 else ""
