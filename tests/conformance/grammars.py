"""Grammars compared with the JSON Schema Test Suite and with llama.cpp's tests of its own converter.

Both suites are read from folders outside of the repository. A row is a case, whether our grammar agrees with it, and
what it does:

- `agrees`: it allows a valid value, or forbids an invalid one.
- `reported`: it allows an invalid value, and a finding names the keyword.
- `narrower`: it forbids a valid value, and allows another one. Grammars may do so: keys have one order, objects that do
  not mention other keys are closed, and a schema without `type` has the type to which its keywords apply.
- `wrong`: it allows an invalid value and reports nothing, or allows no valid value.
- `refused`: no grammar is made, with the reason.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.toolspec.gbnf_texts import Gbnf
from workbench.chat.json_value import JsonValue
from workbench.errors import ConstraintFailed
from workbench.toolspec.gbnf import GrammarRules
from workbench.toolspec.normal_schema import normal_schema
from workbench.toolspec.schema_rules import SchemaRules

Schema = JsonValue


class Row(NamedTuple):
    """One text, and what our grammar of a schema does with it."""

    case: str
    verdict: str
    detail: str


class Case(NamedTuple):
    """A schema with texts that fit it, and texts that do not."""

    name: str
    schema: Schema
    valid: Sequence[str]
    invalid: Sequence[str]


def rows_of_test_suite(folder: Path) -> list[Row]:
    """Return one row for each required test of one draft of the JSON Schema Test Suite.

    Args:
        folder: Holds the JSON files of the draft, such as `tests/draft2020-12`.
    """
    draft = "http://json-schema.org/draft-07/schema#" if folder.name == "draft7" else ""
    return [row for case in _test_suite(folder, draft) for row in rows_of(case)]


def rows_of_llama_cpp(file: Path) -> list[Row]:
    """Return one row for each text of llama.cpp's `test-grammar-integration.cpp`.

    The file also has values that JSON Schema calls invalid although it allows them; the texts are compared as they are
    listed.
    """
    return [row for case in _llama_cpp(file) for row in rows_of(case, is_exact=True)]


def rows_of(case: Case, *, is_exact: bool = False) -> Iterator[Row]:
    """Compare the texts of one schema.

    Args:
        case: The schema with its texts.
        is_exact: Whether each valid text must be allowed.
    """
    rules = GrammarRules()
    normal = normal_schema(case.schema)
    # A schema may also be `true` or `false`.
    document = normal.schema if isinstance(case.schema, dict) else case.schema
    schemas = SchemaRules(rules, document, draft=normal.draft)
    try:
        grammar = Gbnf(rules.text(schemas.whole()))
    except ConstraintFailed as error:
        is_right = not case.valid and "allows no value" in error.reason
        for text in (*case.valid, *case.invalid):
            yield Row(f"{case.name}: {text}", "agrees" if is_right else "refused", error.reason)
        return
    reported = ", ".join(finding.pointer for finding in schemas.findings)
    forbidden = "wrong" if is_exact or not grammar.has_texts else "narrower"
    for text in case.valid:
        is_allowed = grammar.allows(_as_we_space(text))
        yield Row(f"{case.name}: {text}", "agrees" if is_allowed else forbidden, "valid")
    for text in case.invalid:
        is_allowed = grammar.allows(_as_we_space(text))
        verdict = "agrees" if not is_allowed else "reported" if reported else "wrong"
        yield Row(f"{case.name}: {text}", verdict, reported or "invalid")


def _as_we_space(text: str) -> str:
    """Return a list or object with the white space that our grammars allow, and any other text unchanged."""
    if not text.startswith(("[", "{")):
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        return text


def _test_suite(folder: Path, draft: str) -> Iterator[Case]:
    files = sorted(folder.glob("*.json"))
    assert files, folder
    for file in files:
        for group in json.loads(file.read_text()):
            texts: dict[bool, list[str]] = {True: [], False: []}
            for test in group["tests"]:
                texts[test["valid"]].append(json.dumps(test["data"], ensure_ascii=False))
            schema = group["schema"]
            if draft and isinstance(schema, dict):
                # The folder says which draft its schemas are written in.
                schema = {"$schema": draft, **schema}
            yield Case(f"{file.stem}: {group['description']}", schema, texts[True], texts[False])


_TOKEN: Final = re.compile(
    r'//[^\n]*|R"""\((?P<raw>.*?)\)"""|"(?P<text>(?:[^"\\\n]|\\.)*)"|(?P<sign>[{}();,])|[\w\s]+?', re.DOTALL
)


def _llama_cpp(file: Path) -> Iterator[Case]:
    """Yield the calls `test_schema(name, schema, {passing}, {failing})`."""
    source = file.read_text()
    starts = [match.end() for match in re.finditer(r"\n    test_schema\(", source)]
    assert starts, file
    for number, start in enumerate(starts):
        lists: list[list[str]] = [[]]
        for match in _TOKEN.finditer(source, start):
            if match["raw"] is not None:
                lists[-1].append(match["raw"])
            elif match["text"] is not None:
                lists[-1].append(json.loads(f'"{match["text"]}"'))
            elif match["sign"] == "{":
                lists.append([])
            elif match["sign"] == ")":
                break
        (name, schema), valid, invalid = lists
        yield Case(f"{number} {name}", json.loads(schema), valid, invalid)
