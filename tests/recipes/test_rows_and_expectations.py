"""The recipes for a row format, a finding and an expectation, followed in a copy of the checkout."""

from collections.abc import Callable

import pytest

from tests.recipes.checkout_copy import CheckoutCopy

pytestmark = [pytest.mark.slow, pytest.mark.long]

CONVERSATIONS = '''"""Rows of `dialogue` and `functions`, and rows of two dialogues of which the first is preferred."""

from collections.abc import Sequence
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.trajectory.declared_tools import read_column
from workbench.trajectory.formats.openai import CHAT_STEPS
from workbench.trajectory.formats.row_format import RowContent, RowFormat
from workbench.trajectory.formats.shared.chat_rows import Shape, read_messages, spell_messages, render_tools
from workbench.trajectory.row import RowEntry, RowFinding, TrainingRow
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.argument_columns import report_big_integers
from workbench.trajectory.writing.losses import drop_columns, drop_mask, drop_preference
from workbench.trajectory.writing.row_draft import Loss, RowDraft, RowOptions

_OWN: Final = ("dialogue", "worse", "functions")


def _read(row: JsonObject, name: str) -> TrainingRow:
    findings: list[RowFinding] = []
    entries = _entries(row, "dialogue", findings)
    worse = _entries(row, "worse", findings) if name == "dialogue-pair" else ()
    return TrainingRow(
        format=name,
        fields=row,
        entries=entries,
        rejected=worse,
        answer_start=len(entries) - 1 if worse else None,
        declarations=tuple(read_column(row.get("functions"), "/functions", findings)),
        columns={key: value for key, value in row.items() if key not in _OWN},
        findings=tuple(findings),
    )


def _entries(row: JsonObject, key: str, findings: list[RowFinding]) -> Sequence[RowEntry]:
    given = row.get(key)
    if not isinstance(given, list):
        findings.append(RowFinding(code="missing-field", message=f"no list `{key}`", pointer=f"/{key}"))
        return ()
    return read_messages(given, f"/{key}", findings)


def _spell(trajectory: Trajectory, options: RowOptions) -> JsonObject:
    shape = Shape(options.arguments, names_results=True)
    row: dict[str, JsonValue] = {"dialogue": spell_messages(trajectory.messages, shape)}
    if trajectory.rejected:
        row["worse"] = spell_messages(trajectory.rejected, shape)
    if trajectory.tools.specs:
        row["functions"] = render_tools(trajectory.tools)
    return {**row, **trajectory.columns}


def _need_worse(draft: RowDraft) -> None:
    if not draft.trajectory.rejected:
        draft.refuse("there is no rejected answer")
    if draft.trajectory.label is not None:
        draft.note(Loss.LABEL)


_STEPS: Final = (drop_columns(*_OWN), *CHAT_STEPS, drop_mask, report_big_integers)
DIALOGUE: Final = RowFormat(
    name="dialogue",
    title="an example: dialogues with functions",
    fits=lambda row: "dialogue" in row,
    read=lambda row: _read(row, "dialogue"),
    steps=(drop_preference, *_STEPS),
    spell=_spell,
    has_object_arguments=True,
)
DIALOGUE_PAIR: Final = RowFormat(
    name="dialogue-pair",
    title="an example: a preferred dialogue and the end of a worse one",
    fits=lambda row: "dialogue" in row and "worse" in row,
    read=lambda row: _read(row, "dialogue-pair"),
    steps=(_need_worse, *_STEPS),
    spell=_spell,
    content=RowContent.PAIR,
    has_object_arguments=True,
)
'''
SECTIONS = """## `dialogue`

Messages under `dialogue`.

Loses: `part-order`, `loss-mask`, `big-integers`, `rejected`, `label`, `answer-start`, `column`.

## `dialogue-pair`

As `dialogue`, with the end of a worse dialogue under `worse`.

Loses: `part-order`, `loss-mask`, `big-integers`, `label`, `column`.

"""
CODE = """    _warning("short-answer", "the last answer has fewer than 50 words"),
"""
FINDER = '''def short_answer_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `short-answer`."""
    last = parsed.entries[-1] if parsed.entries else None
    if last and last.entry.role is Role.ASSISTANT and 0 < len(last.entry.text.split()) < 50:
        yield row_finding("short-answer", "the last answer is short; write more", entry=last.entry)


'''
RULE = """    _rule("short-answer", short_answer_findings),
"""
SECTION = """## short-answer

*Warning.* The last answer has fewer than 50 words.

Before:

```json
{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
```

After:

```json
{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "WORDS"}]}
```

**Why:** an example. **Fix:** write more.

"""
DEFECT = """    ("short-answer", SHAREGPT, ENDS, "/conversations/4"),
"""
EVERY_FORMAT = """
from tests.trajectory.validate.rows import SHAREGPT
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.validate.check import check_rows
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

for name, row_format in FORMATS.items():
    row = convert_row(SHAREGPT, FORMATS["sharegpt"], row_format, RowOptions()).row if row_format.spell else None
    if row is not None:
        found = [found.finding.code for found in check_rows([row], format=name)]
        assert found == ["short-answer"], (name, found)
        print(name)
"""
KIND = """    "words_at_most": "maximum number of words of the answer",
"""
FIELD = """    words_at_most: int | None = Field(default=None, ge=0)
"""
LIMIT = """    "words_at_most": (lambda rollout: len(rollout.answer.split()), "words"),
"""
SCORED = """    ({"words_at_most": 7}, [ANSWER], [ANSWER + " Or so."], "9 words, expected at most 7"),
"""


def test_a_row_format(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("A row format")
    known = "workbench/trajectory/formats/known.py"
    copy.write("workbench/trajectory/formats/dialogue.py", CONVERSATIONS)
    importing = "from workbench.trajectory.formats.dialogue import DIALOGUE, DIALOGUE_PAIR\n"
    copy.insert(known, importing, before="from workbench.trajectory.formats.glaive")
    copy.insert(known, "    DIALOGUE_PAIR,\n    DIALOGUE,\n", before="    TRL,\n")
    copy.insert("docs/reference/formats.md", SECTIONS, before="## `llamafactory`")
    tests = ("tests/docs/test_formats.py", "tests/trajectory/writing/test_convert.py")
    assert copy.run_tests(*tests, "-k", "dialogue or section") > 4


def test_a_finding_of_the_validator(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("A finding of the validator")
    rules = "workbench/trajectory/validate/rules.py"
    copy.insert("workbench/trajectory/validate/codes.py", CODE, before='    _error("secret",')
    copy.insert("workbench/trajectory/validate/pairing.py", FINDER, before="def answer_findings")
    copy.insert(
        rules, "    short_answer_findings,\n", before=")\nfrom workbench.trajectory.validate.parsed_row"
    )
    copy.insert(rules, RULE, before="    SECRETS,\n)")
    section = SECTION.replace("WORDS", "Hello. " * 50)
    copy.insert("docs/reference/row-codes.md", section, before="## secret\n")
    copy.insert(
        "tests/trajectory/validate/test_rules.py",
        DEFECT,
        before='    ("control-mark", speak(ASKS, "Stop here',
    )
    tests = "tests/trajectory/validate/"
    assert (
        copy.run_tests(f"{tests}test_rules.py", f"{tests}test_glance.py", "-k", "short-answer or belongs") > 2
    )
    assert copy.run_tests(f"{tests}test_codes.py", "-k", "short-answer or section_for") > 1
    assert {"sharegpt", "openai", "trl", "llamafactory"} <= set(copy.python("-c", EVERY_FORMAT).split())


def test_an_expectation(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("An expectation")
    expectation = "workbench/suite/expectation.py"
    copy.insert(expectation, KIND, before='    "judge": "a rubric')
    copy.insert(expectation, FIELD, before="    judge: str | None")
    copy.insert("workbench/suite/call_score.py", LIMIT, before='    "cost_at_most"')
    copy.insert(
        "docs/reference/suites.md",
        "| `words_at_most` | maximum number of words of the answer |\n",
        before="| `judge` |",
    )
    copy.insert("tests/suite/test_score.py", SCORED, before='    ({"cost_at_most": 1.0}')
    assert (
        copy.run_tests("tests/suite/test_score.py", "tests/docs/test_suites_page.py", "-k", "words or table")
        > 2
    )
