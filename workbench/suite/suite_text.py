"""The text of a suite: YAML with line numbers, CSV rows, templates, and problems with their positions."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast

import yaml
from pydantic import BaseModel, ValidationError

from workbench.chat.json_value import JsonValue, load_json, pointer
from workbench.errors import BadInput
from workbench.toolspec.budget import budget, spend
from workbench.toolspec.form_faults import form_faults
from workbench.toolspec.yaml_text import MAX_TEXT_CHARS, compose_yaml, load_yaml

Row = Mapping[str, JsonValue]
"""Name of a column to the value of the cell."""

_MOST_STEPS: Final = 3_000_000
"""Limit on filling in the texts of one suite: 300 million characters."""
_CHARS_PER_STEP: Final = 100
_CASE_STEPS: Final = 20
"""For the case that is read from what is filled in."""
_PLACEHOLDER: Final = re.compile(r"""\{\{\s*(?:(\w+)\s*(\|\s*json\s*)?|(?P<literal>'\{\{'|"\{\{")\s*)\}\}""")


class Filling:
    """Fills in the templates of one suite, up to a limit: a megabyte of YAML with 5,000 rows may become gigabytes."""

    def __init__(self) -> None:
        self._steps = _MOST_STEPS

    def fill(self, value: JsonValue, row: Row, *, where: str) -> JsonValue:
        """Return `value` filled in, as `fill` does.

        Raises:
            BadInput: As for `fill`, or all texts of the suite have become too long.
        """
        with budget(self._steps) as own:
            try:
                spend(_CASE_STEPS)
                return fill(value, row, where=where)
            finally:
                self._steps = own.left


def fill(value: JsonValue, row: Row, *, where: str) -> JsonValue:
    """Return `value` with each `{{ column }}` in its texts filled in.

    A text that consists only of `{{ column | json }}` becomes the JSON value of the cell, such as a number.
    `{{ '{{' }}` becomes two literal braces.

    >>> fill({"a": "{{ n }} of {{ n }}", "b": ["{{ n | json }}"]}, {"n": "3"}, where="")
    {'a': '3 of 3', 'b': [3]}

    Raises:
        BadInput: There is no such column, the cell is not JSON although the template has `| json`, or a text has
            become too long.
    """
    if isinstance(value, str):
        return _filled(value, row, where)
    if isinstance(value, Mapping):
        return {
            str(fill(key, row, where=where)): fill(inner, row, where=where) for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [fill(inner, row, where=where) for inner in value]
    return value


def _filled(text: str, row: Row, where: str) -> JsonValue:
    only_placeholder = _PLACEHOLDER.fullmatch(text)
    if only_placeholder and only_placeholder.group(2):
        return _as_json(_cell(row, only_placeholder.group(1), where), where)

    size = len(text)

    def cell_text(match: re.Match[str]) -> str:
        nonlocal size
        if match["literal"]:
            return "{{"
        cell = _cell(row, match.group(1), where)
        shown = cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)
        size += len(shown)
        if size > MAX_TEXT_CHARS:
            raise BadInput(where, f"a text with its columns has over {MAX_TEXT_CHARS:,} characters")
        return shown

    filled = _PLACEHOLDER.sub(cell_text, text)
    spend(1 + size // _CHARS_PER_STEP)
    return filled


def _cell(row: Row, name: str, where: str) -> JsonValue:
    if name not in row:
        raise BadInput(where, f"no column {name!r}", f"known columns: {', '.join(row)}")
    return row[name]


def _as_json(cell: JsonValue, where: str) -> JsonValue:
    if not isinstance(cell, str):
        return cell
    spend(1 + len(cell) // _CHARS_PER_STEP)
    try:
        return load_json(cell)
    except ValueError as error:
        raise BadInput(where, f"{cell[:40]!r} is not JSON", "omit `| json` for a text") from error


Place = Sequence[str | int]
"""Keys and indexes that lead from the root of the text to a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFault:
    """A problem that makes a suite or one of its cases invalid."""

    problem: str
    remedy: str = ""
    """What to do about it. Empty if the problem makes it clear."""
    line: int | None = None
    """Line in the text of the suite, from 1, or None if there is no text."""
    pointer: str = ""
    """JSON pointer to the value, relative to the case if `case` is set, otherwise to the text."""
    case: str = ""
    """ID of the case. Empty if the problem is not in a case."""

    def error(self, where: str) -> BadInput:
        """Return the problem as an exception.

        Args:
            where: Name of the suite in the message.
        """
        place = [where]
        if self.case:
            place.append(f"case {self.case!r}")
        if self.line:
            place.append(f"line {self.line}")
        if self.pointer:
            place.append(self.pointer)
        return BadInput(", ".join(place), self.problem, self.remedy)


class SuiteFaultError(Exception):
    """A problem after which the text cannot be read further."""

    def __init__(self, fault: SuiteFault) -> None:
        self.fault = fault
        super().__init__(fault.problem)


class SuiteText:
    """The text of a suite. Empty for a case that does not come from a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def value(self) -> Mapping[str, Any]:
        """Return the text as a mapping.

        Raises:
            SuiteFaultError: The text is not YAML, or not a mapping.
        """
        try:
            loaded = load_yaml(self._text)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else None
            raise SuiteFaultError(
                SuiteFault(problem=f"not YAML: {error.problem or error.context}", line=line)
            ) from error
        except yaml.YAMLError as error:
            problem = f"not YAML: {' '.join(str(error).split())[:200]}"
            raise SuiteFaultError(SuiteFault(problem=problem)) from error
        if not isinstance(loaded, Mapping):
            raise SuiteFaultError(
                SuiteFault(problem="not a mapping", remedy="begin with suite: and cases:", line=1)
            )
        return cast(Mapping[str, Any], loaded)

    def line(self, place: Place) -> int | None:
        """Return the line of the value at a place, from 1, or None without a text.

        If there is no such value, this is the line of the innermost value around it.
        """
        if not self._text:
            return None
        node, line = self._root, 1
        for part in place:
            node = _child(node, part)
            if node is None:
                break
            line = node.start_mark.line + 1
        return line

    def form_faults(
        self,
        error: ValidationError,
        form: type[BaseModel],
        place: Place = (),
        *,
        case: str = "",
        also_known: Sequence[str] = (),
    ) -> Iterator[SuiteFault]:
        """Yield the problems of a failed validation, one for each place.

        Args:
            form: The model that was validated.
            place: Place in the text of the value that was validated.
            case: ID of the case if the value is a case.
            also_known: Keys that the value may have besides those of the model.
        """
        for fault in form_faults(error, form, also_known=also_known):
            yield SuiteFault(
                problem=fault.problem,
                line=self.line((*place, *fault.place)),
                pointer=pointer(fault.place) or "/",
                case=case,
            )

    # Composed only when a line is needed, because this parses the whole text again.
    @cached_property
    def _root(self) -> yaml.Node | None:
        return compose_yaml(self._text)


def _child(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part]
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(part)), None)
    return None
