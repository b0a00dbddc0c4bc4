"""A suite's text to its cases; what is wrong is told with its line and its place."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

import yaml
from pydantic import BaseModel, ValidationError

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message, Role, ToolCall
from workbench.errors import BadInput
from workbench.suite.case import Case, Suite
from workbench.suite.case_form import CaseForm, MessageForm, SuiteForm
from workbench.suite.template import Row, fill, read_csv
from workbench.toolspec.check import pointer
from workbench.toolspec.yaml_text import dump_yaml, load_yaml

Place = Sequence[str | int]
"""Keys and indexes from the file's whole value to a part of it."""
ReadFile = Callable[[str], str]
"""The text of a file that a suite names, as seen from the suite; raises BadInput."""
MOST_CASES: Final = 100_000
"""What the rows of a template may come to."""
_Form = TypeVar("_Form", bound=BaseModel)


def parse_suite(text: str, *, name: str, read_file: ReadFile | None = None) -> Suite:
    """The suite in a file's text.

    Args:
        text: YAML, or JSON, which is YAML too.
        name: What the file is named; the text must name itself so.
        read_file: Reads the CSV files of templates; None where there are none to be read.

    Raises:
        BadInput: It cannot be used; it names line, place and remedy.
    """
    where = f"suite {name!r}"
    loaded = _loaded(text, where)
    form = _formed(SuiteForm, loaded, where, text=text)
    if form.suite != name:
        raise BadInput(f"{where}, line {_line(text, ('suite',))}", f"it names itself {form.suite!r}")
    defaults = form.defaults.model_dump(exclude_unset=True)
    cases: list[Case] = []
    for index, given in enumerate(form.cases):
        place = ("cases", index)
        # Lines are looked for where they are needed: it takes a reading of the whole text.
        called = f"{where}, line {_line(text, place)}" if "rows" in given else where
        for document in _filled(given, called, read_file):
            merged = {**defaults, **document}
            cases.append(parse_case(merged, suite=name, where=where, text=text, place=place))
            if len(cases) > MOST_CASES:
                raise BadInput(where, f"over {MOST_CASES:,} cases", "make several suites of it")
    _refuse_doubles(cases, where)
    return Suite(name=name, description=form.description, cases=tuple(cases))


def parse_case(
    document: Mapping[str, Any], *, suite: str, where: str = "", text: str = "", place: Place = ()
) -> Case:
    """One case, its template filled and the suite's defaults in it.

    Args:
        document: The case.
        suite: Name of its suite.
        where: What the suite is called in an error.
        text: The suite's text, to find lines in; empty where there is none.
        place: Of the case, in the text.

    Raises:
        BadInput: It cannot be used.
    """
    called = f"{where or f'suite {suite!r}'}, case {document.get('id', '?')!r}"
    form = _formed(CaseForm, document, called, text=text, place=place)
    messages = [_message(one) for one in form.messages or ()]
    system = form.system or ""
    if messages and messages[0].role is Role.SYSTEM:
        system = "\n\n".join(filter(None, (system, messages.pop(0).text)))
    return Case(
        suite=suite,
        id=form.id,
        messages=tuple(messages) or (Message(role=Role.USER, text=form.prompt or ""),),
        expectations=tuple(form.expect),
        tools=tuple(form.tools or ()),
        tool_specs=tuple(cast(Sequence[JsonObject], form.tool_specs or ())),
        system=system,
        tags=tuple(form.tags or ()),
        mocks=cast(JsonObject, form.mocks or {}),
        threshold=form.threshold or 1.0,
        repeat=form.repeat or 1,
        tool_choice=form.tool_choice,
        max_rounds=form.max_rounds,
        document=cast(JsonObject, dict(document)),
    )


def render_suite(suite: Suite) -> str:
    """The suite's text, cases whole; `parse_suite` gives an equal suite back."""
    document: dict[str, JsonValue] = {"suite": suite.name}
    if suite.description:
        document["description"] = suite.description
    document["cases"] = [case.document for case in suite.cases]
    return dump_yaml(document)


def _loaded(text: str, where: str) -> Mapping[str, Any]:
    try:
        loaded = load_yaml(text)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise BadInput(f"{where}{line}", f"not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise BadInput(where, f"not YAML: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(loaded, Mapping):
        raise BadInput(f"{where}, line 1", "not a mapping", "begin with suite: and cases:")
    return cast(Mapping[str, Any], loaded)


def _formed(kind: type[_Form], value: Any, where: str, *, text: str = "", place: Place = ()) -> _Form:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        inside = [part for part in first["loc"] if not _is_branch(part)]
        line = f", line {_line(text, (*place, *inside))}" if text else ""
        problem = first["msg"].removeprefix("Value error, ")
        raise BadInput(f"{where}{line}, {pointer(inside) or '/'}", problem) from error


def _is_branch(part: str | int) -> bool:
    """Whether it is a word of Pydantic's for one of several allowed forms, not a key of the file."""
    return isinstance(part, str) and (
        part.startswith(("list[", "literal[")) or part in ("int", "str", "CountRange")
    )


def _filled(given: Mapping[str, Any], where: str, read_file: ReadFile | None) -> Iterator[Mapping[str, Any]]:
    """The case, or as many as its template has rows."""
    if "rows" not in given:
        yield given
        return
    case = {key: value for key, value in given.items() if key != "rows"}
    for number, row in enumerate(_rows(given["rows"], where, read_file), start=1):
        filled = cast("dict[str, Any]", fill(case, row, where=f"{where}, row {number}"))
        if filled.get("id") == case.get("id"):
            filled["id"] = f"{case.get('id')}-{number}"
        yield filled


def _rows(rows: object, where: str, read_file: ReadFile | None) -> Sequence[Row]:
    if isinstance(rows, str):
        if read_file is None:
            raise BadInput(
                where, f"the rows of {rows!r} cannot be read from here", "write them out under rows:"
            )
        return read_csv(read_file(rows), where=f"file {rows}")
    if isinstance(rows, list) and rows and all(isinstance(row, Mapping) for row in cast(list[object], rows)):
        return cast(Sequence[Row], rows)
    raise BadInput(where, "rows is neither a CSV file nor a list of objects")


def _message(form: MessageForm) -> Message:
    calls = tuple(ToolCall(name=call.name, arguments=call.arguments) for call in form.calls)
    return Message(role=Role(form.role), text=form.content, calls=calls, name=form.name)


def _refuse_doubles(cases: Sequence[Case], where: str) -> None:
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise BadInput(where, f"two cases are called {case.id!r}", "give each its own id")
        seen.add(case.id)


def _line(text: str, place: Place) -> int:
    """Line of the value at that place, from 1; of the last part that there is."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line = 1
    for part in place:
        node = _child(node, part)
        if node is None:
            break
        line = node.start_mark.line + 1
    return line


def _child(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part]
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(part)), None)
    return None
