"""Run JSON-Schema-Test-Suite on the check of arguments: each schema as a tool's parameters or as those of one property.

*Source:* https://github.com/json-schema-org/JSON-Schema-Test-Suite, which jsonschema's source archive holds in `json/`.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from workbench.chat.finding import Severity
from workbench.toolspec.check import check_arguments, spec_errors
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools

DRAFTS: Final = {
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft4": "http://json-schema.org/draft-04/schema#",
}
_NAME: Final = "value"
_PLACE: Final = f"#/properties/{_NAME}"
_NEIGHBOUR: Final = {
    "name": "good",
    "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}},
}

Outcome = Literal["agrees", "unchecked-and-reported", "wrong"]


class Row(NamedTuple):
    """One test of the suite."""

    case: str
    """Such as `draft7/dependencies/0/3`: draft, file, group, test."""
    outcome: Outcome
    detail: str
    """What the suite says and what was found. Empty if they agree."""


def run_suite(folder: Path, drafts: tuple[str, ...] = tuple(DRAFTS)) -> Iterator[Row]:
    """Yield a row for each required test.

    Args:
        folder: The suite's folder, which contains `tests/`.
        drafts: Names of folders in `tests/`.
    """
    for draft in drafts:
        for path in sorted((folder / "tests" / draft).glob("*.json")):
            for index, group in enumerate(json.loads(path.read_text(encoding="utf-8"))):
                yield from _group(f"{draft}/{path.stem}/{index}", draft, group)


def counted(rows: Iterator[Row]) -> dict[str, Counter[str]]:
    """Return how many tests of each draft have which outcome."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.case.split("/")[0], Counter())[row.outcome] += 1
    return counts


def _group(case: str, draft: str, group: dict[str, Any]) -> Iterator[Row]:
    is_whole = _can_be_parameters(group)
    parameters = group["schema"] if is_whole else _property(group["schema"], DRAFTS[draft])
    if is_whole and "$schema" not in parameters:
        parameters = {"$schema": DRAFTS[draft], **parameters}
    tools = parse_tools([{"name": "tested", "parameters": parameters}, _NEIGHBOUR])
    if "good" not in tools.names or spec_errors(tools.by_name["good"]):
        yield Row(case, "wrong", "the good tool beside it was refused")
    for number, test in enumerate(group["tests"]):
        arguments = test["data"] if is_whole else {_NAME: test["data"]}
        yield _row(f"{case}/{number}", tools, arguments, is_valid=test["valid"])


def _row(case: str, tools: OfferedTools, arguments: Any, *, is_valid: bool) -> Row:
    if "tested" not in tools.names:
        return Row(case, "wrong", f"refused: {tools.findings[0].message}")
    findings = check_arguments(tools.by_name["tested"], arguments)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if (not errors) == is_valid:
        return Row(case, "agrees", "")
    said = errors[0].message if errors else "valid"
    detail = f"{'valid' if is_valid else 'invalid'} in the suite, here: {said}"
    is_reported = any(finding.severity is Severity.WARNING for finding in (*findings, *tools.findings))
    return Row(case, "unchecked-and-reported" if is_reported else "wrong", detail)


def _can_be_parameters(group: dict[str, Any]) -> bool:
    """Return whether a tool can have the schema itself as its parameters: it is about objects only."""
    schema = group["schema"]
    kinds = schema.get("type", "object") if isinstance(schema, dict) else None
    are_objects = all(isinstance(test["data"], dict) for test in group["tests"])
    return are_objects and (kinds == "object" or (isinstance(kinds, list) and "object" in kinds))


def _property(schema: Any, uri: str) -> dict[str, Any]:
    """Return parameters with one property that has the schema. References follow it there."""
    declared = schema.get("$schema", uri) if isinstance(schema, dict) else uri
    has_base = isinstance(schema, dict) and ("$id" in schema or "id" in schema)
    moved = schema if has_base else _moved(schema)
    return {"$schema": declared, "type": "object", "properties": {_NAME: moved}}


def _moved(schema: Any) -> Any:
    """Return a schema whose references into itself lead to its new place. Parts with a base of their own stay."""
    if isinstance(schema, list):
        return [_moved(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("$id", schema.get("id")), str) and not str(schema.get("$id", "#")).startswith(
        "#"
    ):
        return schema
    return {
        key: _new_reference(value) if key == "$ref" else value if key in ("enum", "const") else _moved(value)
        for key, value in schema.items()
    }


def _new_reference(reference: Any) -> Any:
    if not isinstance(reference, str):
        return _moved(reference)
    if reference == "#":
        return _PLACE
    return _PLACE + reference[1:] if reference.startswith("#/") else reference
