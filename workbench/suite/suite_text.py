"""A suite's text as YAML with line numbers, its CSV data, and what is wrong with it."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast

import yaml
from pydantic import ValidationError

from workbench.chat.json_value import JsonValue, load_json
from workbench.errors import BadInput
from workbench.toolspec.check import pointer
from workbench.toolspec.yaml_text import compose_yaml, load_yaml

Row = Mapping[str, JsonValue]
"""Column to cell."""

_PLACE: Final = re.compile(r"\{\{\s*(\w+)\s*(\|\s*json\s*)?\}\}")


def read_csv(text: str, *, where: str) -> Sequence[Row]:
    """The rows of a CSV text, by the names of its first line.

    Raises:
        BadInput: A row has more or fewer cells than there are names, or there is none.
    """
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        lines = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise BadInput(f"{where}, line {reader.line_num}", f"not CSV: {error}") from error
    if len(lines) < 2:
        raise BadInput(where, "it has no rows", "write the names of the columns, then one row a line")
    names = lines[0][1]
    for number, cells in lines[1:]:
        if len(cells) != len(names):
            raise BadInput(f"{where}, line {number}", f"{len(cells)} cells, and {len(names)} columns")
    return [dict(zip(names, cells, strict=True)) for _, cells in lines[1:]]


def fill(value: JsonValue, row: Row, *, where: str) -> JsonValue:
    """`value` with each `{{ column }}` in its texts filled in.

    A text that is nothing but `{{ column | json }}` becomes the cell's JSON value, such as a number.

    >>> fill({"a": "{{ n }} of {{ n }}", "b": ["{{ n | json }}"]}, {"n": "3"}, where="")
    {'a': '3 of 3', 'b': [3]}

    Raises:
        BadInput: There is no such column, or the cell is no JSON where JSON is asked for.
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
    alone = _PLACE.fullmatch(text)
    if alone and alone.group(2):
        return _as_json(_cell(row, alone.group(1), where), where)

    def put(match: re.Match[str]) -> str:
        cell = _cell(row, match.group(1), where)
        return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)

    return _PLACE.sub(put, text)


def _cell(row: Row, name: str, where: str) -> JsonValue:
    if name not in row:
        raise BadInput(where, f"no column {name!r}", f"there are {', '.join(row)}")
    return row[name]


def _as_json(cell: JsonValue, where: str) -> JsonValue:
    if not isinstance(cell, str):
        return cell
    try:
        return load_json(cell)
    except ValueError as error:
        raise BadInput(where, f"{cell[:40]!r} is no JSON", "leave out `| json` for a text") from error


Place = Sequence[str | int]
"""Keys and indexes from the text's whole value to a part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFault:
    """One thing for which a suite cannot be used."""

    problem: str
    remedy: str = ""
    """What to do about it; empty where the problem says it."""
    line: int | None = None
    """In the suite's text, from 1; None where there is no text."""
    pointer: str = ""
    """JSON pointer from the whole text, or from the case where it is in one; empty for all of it."""
    case: str = ""
    """Id of the case that it is in; empty for none."""

    def error(self, where: str) -> BadInput:
        """The fault as an exception.

        Args:
            where: What the suite is called.
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
    """Nothing more can be read behind this fault."""

    def __init__(self, fault: SuiteFault) -> None:
        self.fault = fault
        super().__init__(fault.problem)


class SuiteText:
    """A suite's text; empty for a case that stands in no text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def value(self) -> Mapping[str, Any]:
        """The mapping that it is.

        Raises:
            SuiteFaultError: It is no YAML, or no mapping.
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
        """Line of the value at that place, from 1; of the last part that there is. None without a text."""
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
        self, error: ValidationError, place: Place = (), *, case: str = ""
    ) -> Iterator[SuiteFault]:
        """What a form did not take, one fault a place.

        Args:
            error: Of the form.
            place: Of the value that it was given, in the text.
            case: Id of the case that the value is; empty for none.
        """
        told: set[str] = set()
        for one in error.errors():
            inside = [part for part in one["loc"] if not _is_branch(part)]
            where = pointer(inside) or "/"
            if where in told:
                continue
            told.add(where)
            problem = one["msg"].removeprefix("Value error, ")
            yield SuiteFault(problem=problem, line=self.line((*place, *inside)), pointer=where, case=case)

    # Lines are looked for where they are needed: it takes a reading of the whole text.
    @cached_property
    def _root(self) -> yaml.Node | None:
        return compose_yaml(self._text)


def _is_branch(part: str | int) -> bool:
    """Whether it is a word of Pydantic's for one of several allowed forms, not a key of the file."""
    return isinstance(part, str) and (
        part.startswith(("list[", "literal[")) or part in ("int", "str", "CountRange")
    )


def _child(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part]
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(part)), None)
    return None
