"""Parse a suite's text into cases, and report problems with line and position."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from pydantic import ValidationError

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message, Role, ToolCall
from workbench.errors import BadInput
from workbench.suite.case import Case, CaseForm, MessageForm, Suite, SuiteForm
from workbench.suite.suite_text import Place, Row, SuiteFault, SuiteFaultError, SuiteText, fill, read_csv
from workbench.toolspec.yaml_text import dump_yaml

ReadFile = Callable[[str], str]
"""The text of a file that a suite names, as seen from the suite; raises BadInput."""
MOST_CASES: Final = 100_000
"""What the rows of a template may come to."""


class SuiteReading(NamedTuple):
    """A suite as far as it can be read, and what is wrong with the rest."""

    suite: Suite
    faults: tuple[SuiteFault, ...]
    """By line; none: the suite can be used."""
    indexes: tuple[int, ...]
    """Of each case of the suite: its place, or its template's, among the text's cases."""


def parse_suite(text: str, *, name: str, read_file: ReadFile | None = None) -> Suite:
    """The suite in a file's text.

    Args:
        text: YAML, or JSON, which is YAML too.
        name: What the file is named; the text must name itself so.
        read_file: Reads the CSV files of templates; None where there are none to be read.

    Raises:
        BadInput: It cannot be used; it names line, place and remedy.
    """
    checked = check_suite(text, name=name, read_file=read_file)
    if checked.faults:
        raise checked.faults[0].error(f"suite {name!r}")
    return checked.suite


def check_suite(text: str, *, name: str, read_file: ReadFile | None = None) -> SuiteReading:
    """The same, with all that is wrong: for whoever is writing it. Never raises."""
    reader = _SuiteReader(SuiteText(text), name, read_file)
    form = reader.form()
    found: dict[str, tuple[int, Case]] = {}
    for index, case in reader.cases(form) if form else ():
        if case.id in found:
            reader.tell_double(index, case)
        found.setdefault(case.id, (index, case))
    return SuiteReading(
        suite=Suite(
            name=name,
            description=form.description if form else "",
            cases=tuple(case for _, case in found.values()),
        ),
        faults=tuple(sorted(reader.faults, key=lambda fault: fault.line or 0)),
        indexes=tuple(index for index, _ in found.values()),
    )


def parse_case(document: Mapping[str, Any], *, suite: str, where: str = "") -> Case:
    """One case, its template filled and the suite's defaults in it.

    Args:
        suite: Name of its suite.
        where: What the suite is called in an error.

    Raises:
        BadInput: It cannot be used.
    """
    faults: list[SuiteFault] = []
    case = _case(document, suite, SuiteText(""), (), faults)
    if case is None:
        raise faults[0].error(where or f"suite {suite!r}")
    return case


def render_suite(suite: Suite) -> str:
    """The suite's text, cases whole; `parse_suite` gives an equal suite back."""
    document: dict[str, JsonValue] = {"suite": suite.name}
    if suite.description:
        document["description"] = suite.description
    document["cases"] = [case.document for case in suite.cases]
    return dump_yaml(document)


class _SuiteReader:
    """Reads one suite's text, and notes what is wrong."""

    def __init__(self, source: SuiteText, name: str, read_file: ReadFile | None) -> None:
        self._source = source
        self._name = name
        self._read_file = read_file
        self.faults: list[SuiteFault] = []

    def form(self) -> SuiteForm | None:
        """The suite but for its cases; None where there is none."""
        source = self._source
        try:
            form = SuiteForm.model_validate(source.value())
        except SuiteFaultError as error:
            self.faults.append(error.fault)
            return None
        except ValidationError as error:
            self.faults.extend(source.form_faults(error))
            return None
        if form.suite != self._name:
            problem, line = f"it names itself {form.suite!r}", source.line(("suite",))
            self.faults.append(SuiteFault(problem=problem, remedy=f"write suite: {self._name}", line=line))
        return form

    def cases(self, form: SuiteForm) -> Iterator[tuple[int, Case]]:
        """Each case that can be used, with the place of its own, or of its template's, in the text."""
        defaults, count = form.defaults.model_dump(exclude_unset=True), 0
        for index, given in enumerate(form.cases):
            for document in self._filled(index, given):
                count += 1
                if count > MOST_CASES:
                    remedy = "make several suites of it"
                    self.faults.append(SuiteFault(problem=f"over {MOST_CASES:,} cases", remedy=remedy))
                    return
                place = ("cases", index)
                case = _case({**defaults, **document}, self._name, self._source, place, self.faults)
                if case is not None:
                    yield index, case

    def tell_double(self, index: int, case: Case) -> None:
        """Another case has its id already."""
        problem, line = f"two cases are called {case.id!r}", self._source.line(("cases", index))
        self.faults.append(SuiteFault(problem=problem, remedy="give each its own id", line=line))

    def _filled(self, index: int, given: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The case, or as many as its template has rows."""
        try:
            yield from _filled(given, self._read_file)
        except BadInput as error:
            problem = f"{error.where}: {error.problem}" if error.where else error.problem
            line, identity = self._source.line(("cases", index)), str(given.get("id", "?"))
            self.faults.append(SuiteFault(problem=problem, remedy=error.remedy, line=line, case=identity))


def _case(
    document: Mapping[str, Any], suite: str, source: SuiteText, place: Place, faults: list[SuiteFault]
) -> Case | None:
    """The case; None where it has faults, which go to `faults`."""
    try:
        form = CaseForm.model_validate(document)
    except ValidationError as error:
        faults.extend(source.form_faults(error, place, case=str(document.get("id", "?"))))
        return None
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


def _filled(given: Mapping[str, Any], read_file: ReadFile | None) -> Iterator[Mapping[str, Any]]:
    if "rows" not in given:
        yield given
        return
    case = {key: value for key, value in given.items() if key != "rows"}
    for number, row in enumerate(_rows(given["rows"], read_file), start=1):
        filled = cast("dict[str, Any]", fill(case, row, where=f"row {number}"))
        if filled.get("id") == case.get("id"):
            filled["id"] = f"{case.get('id')}-{number}"
        yield filled


def _rows(rows: object, read_file: ReadFile | None) -> Sequence[Row]:
    """Rows that are written out, as objects or as the text of a CSV file, or those of a file."""
    if isinstance(rows, str) and "\n" in rows:
        return read_csv(rows, where="rows")
    if isinstance(rows, str):
        if read_file is None:
            raise BadInput("", f"the rows of {rows!r} cannot be read from here", "write them out under rows:")
        return read_csv(read_file(rows), where=f"file {rows}")
    if isinstance(rows, list) and rows and all(isinstance(row, Mapping) for row in cast(list[object], rows)):
        return cast(Sequence[Row], rows)
    raise BadInput("", "rows is neither a CSV file, its text, nor a list of objects")


def _message(form: MessageForm) -> Message:
    calls = tuple(ToolCall(name=call.name, arguments=call.arguments) for call in form.calls)
    return Message(role=Role(form.role), text=form.content, calls=calls, name=form.name)
