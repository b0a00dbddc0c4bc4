"""The mock rules of a tool as rows of a form, and a text of rules with changed rows.

Only rules that changed are written again. All others keep their text, with its comments and its layout. For example,
another answer in the first row of

    mocks:
    - when: {city: Oslo}   # far north
      result: {celsius: 4}
    # for all other cities
    - error: no such city

leaves the two last lines as they are. Rules that are not in lines of their own, `mocks: [{error: no}]`, are all written
again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

import yaml

from workbench.chat.json_value import JsonObject, JsonValue, load_json
from workbench.errors import BadInput
from workbench.toolbox.catalog_form import rule_fields
from workbench.toolspec.yaml_text import compose_yaml, dump_yaml, flow_yaml, load_yaml

ANSWERS: Final = ("result", "template", "error", "sequence")
"""The keys of a rule of which it has exactly one."""
_TEXTS: Final = ("template", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """One rule. All cells are texts of one line."""

    when: str = ""
    """Conditions, such as `city: Oslo, unit: {any_of: [C, F]}`. Empty for any call."""
    kind: str = "result"
    """One of `ANSWERS`."""
    answer: str = ""
    """A text, or a value in YAML."""
    effects: str = ""
    """What the call changes in the world, as a YAML list. Empty for nothing."""
    was: int | None = None
    """Index of the rule in the text, from 0. None for a new one."""


def rule_rows(text: str) -> tuple[RuleRow, ...] | None:
    """Return the rules of a text as rows, or None if it cannot be read."""
    try:
        rules = _rules(text)
    except (yaml.YAMLError, BadInput):
        return None
    return tuple(_row(rule, number) for number, rule in enumerate(rules)) if rules is not None else None


def with_rule_rows(text: str, rows: Sequence[RuleRow]) -> str:
    """Return the text with the rules of the rows, in their order.

    Raises:
        BadInput: The text cannot be read, or a cell is not YAML.
    """
    try:
        rules = _rules(text)
    except yaml.YAMLError as error:
        raise BadInput("rules", "not YAML", "fix the text first") from error
    if rules is None:
        raise BadInput("rules", "not a list of rules", "fix the text first")
    known = {number: _row(rule, number) for number, rule in enumerate(rules)}
    rules_of_rows = [
        rules[row.was] if row.was is not None and row == known.get(row.was) else _rule(row, rules, number)
        for number, row in enumerate(rows, start=1)
    ]
    chunks = _chunks(text) if rows else None
    if chunks is None:
        return dump_yaml({**rule_fields(load_yaml(text)), "mocks": rules_of_rows})
    lines = list(chunks.before)
    for row, rule in zip(rows, rules_of_rows, strict=True):
        old = chunks.rules[row.was] if row.was is not None and row.was in known else []
        is_same = row.was is not None and row == known.get(row.was)
        lines += old if is_same else [*_written(rule, chunks.indent), *_apart(old)]
    return "".join([*lines, *chunks.after])


def _rules(text: str) -> list[JsonObject] | None:
    rules: object = rule_fields(load_yaml(text)).get("mocks") or []
    if not isinstance(rules, list):
        return None
    found = cast(list[JsonObject], rules)
    return found if all(isinstance(rule, Mapping) for rule in found) else None  # pyright: ignore[reportUnnecessaryIsInstance]


def _row(rule: JsonObject, number: int) -> RuleRow:
    kind = next((name for name in ANSWERS if name in rule), "result")
    answer = rule.get(kind)
    when = rule.get("when")
    return RuleRow(
        when=_value_cell(when)[1:-1] if isinstance(when, Mapping) and when else "",
        kind=kind,
        answer="" if kind not in rule else _text_cell(str(answer)) if kind in _TEXTS else _value_cell(answer),
        effects=_value_cell(rule["effects"]) if rule.get("effects") else "",
        was=number,
    )


def _text_cell(text: str) -> str:
    """Return a text as it is, or in quotes if it has several lines or begins with a quote."""
    return json.dumps(text, ensure_ascii=False) if "\n" in text or text.startswith('"') else text


def _value_cell(value: JsonValue) -> str:
    """Return a value as short YAML, or as JSON where `_read` would take that for another value, as the text `0E0`."""
    is_nested = isinstance(value, dict | list)
    if is_nested or (isinstance(value, str) and "\n" not in value):
        short = flow_yaml(value) if is_nested else value
        try:
            if _read(short, "") == value:
                return short
        except BadInput:
            pass
    return json.dumps(value, ensure_ascii=False)


def _rule(row: RuleRow, rules: Sequence[JsonObject], number: int) -> JsonObject:
    """Return the rule of a row. Keys that the form does not have stay."""
    no_keys: JsonObject = {}
    before = rules[row.was] if row.was is not None and row.was < len(rules) else no_keys
    rest = {key: value for key, value in before.items() if key not in (*ANSWERS, "when", "effects")}
    kind = row.kind if row.kind in ANSWERS else "result"
    when = _read(f"{{{row.when}}}", f"rule {number}, when") if row.when.strip() else None
    answer: JsonValue = row.answer
    if kind not in _TEXTS or row.answer.startswith('"'):
        answer = _read(row.answer, f"rule {number}, {kind}")
    effects = _read(row.effects, f"rule {number}, effects") if row.effects.strip() else None
    return {
        **({"when": when} if when else {}),
        kind: answer,
        **({"effects": effects} if effects else {}),
        **rest,
    }


def _read(text: str, where: str) -> JsonValue:
    try:
        return load_json(text)
    except ValueError:
        pass
    try:
        return cast(JsonValue, load_yaml(text))
    except yaml.YAMLError as error:
        raise BadInput(where, "not YAML", "write it like city: Oslo, or {celsius: 4}") from error


class _Chunks(NamedTuple):
    """The lines of a text, cut at its rules."""

    before: list[str]
    rules: list[list[str]]
    """The lines of each rule, with the comments below it."""
    after: list[str]
    indent: str
    """What is left of the dashes."""


def _chunks(text: str) -> _Chunks | None:
    """Cut a text at its rules. Return None if there is no list of rules that begin on lines of their own."""
    root: Any = compose_yaml(text)
    pairs: list[tuple[Any, Any]] = root.value if isinstance(root, yaml.MappingNode) else []
    node: Any = next((value for key, value in pairs if key.value == "mocks"), root)
    if not isinstance(node, yaml.SequenceNode) or node.flow_style or not node.value:
        return None
    lines = text.splitlines(keepends=True)
    if not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    column = node.start_mark.column
    starts = list[int]()
    for item in node.value:
        start: int = item.start_mark.line
        # The dash can have a line of its own.
        while start > (starts[-1] if starts else 0) and lines[start][column : column + 1] != "-":
            start -= 1
        starts.append(start)
    end = next((key.start_mark.line for key, _ in pairs if key.start_mark.line > starts[-1]), len(lines))
    bounds = [*starts, end]
    items = [lines[first:last] for first, last in pairwise(bounds)]
    return _Chunks(lines[: starts[0]], items, lines[end:], " " * column)


def _written(rule: JsonObject, indent: str) -> list[str]:
    first, *rest = dump_yaml(rule).splitlines(keepends=True)
    return [f"{indent}- {first}", *(f"{indent}  {line}" for line in rest)]


def _apart(lines: Sequence[str]) -> Sequence[str]:
    """Return the comments and blank lines at the end, which belong to what follows."""
    last = len(lines)
    while last and (not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#")):
        last -= 1
    return lines[last:]
