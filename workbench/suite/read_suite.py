"""Parse the text of a suite into cases, and report problems with line and position."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from pydantic import ValidationError

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message, Role, ToolCall
from workbench.errors import BadInput
from workbench.suite.case import Case, CaseForm, MessageForm, SolutionStep, Suite, SuiteForm
from workbench.suite.expectation import over_conversation
from workbench.suite.row_table import read_csv
from workbench.suite.suite_text import Filling, Place, Row, SuiteFault, SuiteFaultError, SuiteText
from workbench.toolspec.yaml_text import dump_yaml

ReadFile = Callable[[str], str]
"""Returns the text of a file that a suite names, relative to the suite. Raises BadInput."""
MOST_CASES: Final = 100_000
"""Maximum number of cases of a suite, with all rows of its templates."""


class SuiteReading(NamedTuple):
    """The valid cases of a suite, and the problems of the others."""

    suite: Suite
    faults: tuple[SuiteFault, ...]
    """The problems, sorted by line. Empty if the suite is valid."""
    indexes: tuple[int, ...]
    """For each case of `suite`, the index of the case, or of its template, in the text."""


def parse_suite(text: str, *, name: str, read_file: ReadFile | None = None) -> Suite:
    """Parse a suite.

    Args:
        text: YAML or JSON.
        name: Name of the suite. The key `suite` in the text must have this value.
        read_file: Reads the CSV files of templates. With None, a template that names a file is refused.

    Raises:
        BadInput: The suite is invalid. The message gives the line, the position and what to do.
    """
    checked = check_suite(text, name=name, read_file=read_file)
    if checked.faults:
        raise checked.faults[0].error(f"suite {name!r}")
    return checked.suite


def check_suite(text: str, *, name: str, read_file: ReadFile | None = None) -> SuiteReading:
    """Parse a suite and report all problems at once, for an editor. Never raises."""
    reader = _SuiteReader(SuiteText(text), name, read_file)
    form = reader.form()
    found: dict[str, tuple[int, Case]] = {}
    for index, case in reader.cases(form) if form else ():
        if case.id in found:
            reader.report_duplicate(index, case)
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
    """Parse one case whose template is filled in and which includes the defaults of its suite.

    Args:
        suite: Name of the suite.
        where: Name of the suite in error messages.

    Raises:
        BadInput: The case is invalid.
    """
    faults: list[SuiteFault] = []
    case = _case(document, suite, SuiteText(""), (), faults)
    if case is None:
        raise faults[0].error(where or f"suite {suite!r}")
    return case


def render_suite(suite: Suite) -> str:
    """Return the suite as text, with complete cases. `parse_suite` gives back an equal suite."""
    document: dict[str, JsonValue] = {"suite": suite.name}
    if suite.description:
        document["description"] = suite.description
    document["cases"] = [case.document for case in suite.cases]
    return dump_yaml(document)


class _SuiteReader:
    """Reads one suite and collects its problems."""

    def __init__(self, source: SuiteText, name: str, read_file: ReadFile | None) -> None:
        self._source = source
        self._name = name
        self._read_file = read_file
        self._filling = Filling()
        self.faults: list[SuiteFault] = []

    def form(self) -> SuiteForm | None:
        """Parse the suite without its cases. Return None if that is not possible."""
        source = self._source
        try:
            form = SuiteForm.model_validate(source.value())
        except SuiteFaultError as error:
            self.faults.append(error.fault)
            return None
        except ValidationError as error:
            self.faults.extend(source.form_faults(error, SuiteForm))
            return None
        if form.suite != self._name:
            problem, line = f"the name in the text is {form.suite!r}", source.line(("suite",))
            self.faults.append(SuiteFault(problem=problem, remedy=f"write suite: {self._name}", line=line))
        return form

    def cases(self, form: SuiteForm) -> Iterator[tuple[int, Case]]:
        """Yield each valid case with the index of the case, or of its template, in the text."""
        defaults, count = form.defaults.model_dump(exclude_unset=True), 0
        for index, entry in enumerate(form.cases):
            for document in self._filled(index, entry):
                count += 1
                if count > MOST_CASES:
                    remedy = "split the suite"
                    self.faults.append(SuiteFault(problem=f"more than {MOST_CASES:,} cases", remedy=remedy))
                    return
                place = ("cases", index)
                case = _case({**defaults, **document}, self._name, self._source, place, self.faults)
                if case is not None:
                    yield index, case

    def report_duplicate(self, index: int, case: Case) -> None:
        """Report a case whose ID another case has."""
        problem, line = f"two cases have the id {case.id!r}", self._source.line(("cases", index))
        self.faults.append(SuiteFault(problem=problem, remedy="give each case its own id", line=line))

    def _filled(self, index: int, entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the case, or a case for each row if it is a template."""
        try:
            yield from _filled(entry, self._read_file, self._filling)
        except BadInput as error:
            problem = f"{error.where}: {error.problem}" if error.where else error.problem
            line, case_id = self._source.line(("cases", index)), str(entry.get("id", "?"))
            self.faults.append(SuiteFault(problem=problem, remedy=error.remedy, line=line, case=case_id))


def _case(
    document: Mapping[str, Any], suite: str, source: SuiteText, place: Place, faults: list[SuiteFault]
) -> Case | None:
    """Parse a case. If it is invalid, add its problems to `faults` and return None."""
    try:
        form = CaseForm.model_validate(document)
    except ValidationError as error:
        case_id = str(document.get("id", "?"))
        faults.extend(source.form_faults(error, CaseForm, place, case=case_id, also_known=("rows",)))
        return None
    messages = [_message(message) for message in form.messages or ()]
    system = form.system or ""
    if messages and messages[0].role is Role.SYSTEM:
        system = "\n\n".join(filter(None, (system, messages.pop(0).text)))
    return Case(
        suite=suite,
        id=form.id,
        messages=tuple(messages) or (Message(role=Role.USER, text=_first_message(form)),),
        expectations=tuple(form.expect if form.user is None else map(over_conversation, form.expect)),
        tools=tuple(form.tools or ()),
        tool_specs=tuple(cast(Sequence[JsonObject], form.tool_specs or ())),
        system=system,
        variables=form.variables or {},
        tags=tuple(form.tags or ()),
        mocks=cast(JsonObject, form.mocks or {}),
        world=cast(JsonObject, form.world or {}),
        threshold=form.threshold or 1.0,
        repeat=form.repeat or 1,
        tool_choice=form.tool_choice,
        max_rounds=form.max_rounds,
        user=form.user,
        solution=tuple(SolutionStep(text=step) if isinstance(step, str) else step for step in form.solution),
        row=cast(JsonObject, form.filled_from or {}),
        document=cast(JsonObject, dict(document)),
    )


def _first_message(form: CaseForm) -> str:
    return form.user.first_message if form.user else form.prompt or ""


def _filled(
    entry: Mapping[str, Any], read_file: ReadFile | None, filling: Filling
) -> Iterator[Mapping[str, Any]]:
    if "rows" not in entry:
        yield entry
        return
    case = {key: value for key, value in entry.items() if key != "rows"}
    for number, row in enumerate(_rows(entry["rows"], read_file), start=1):
        filled = cast("dict[str, Any]", filling.fill(case, row, where=f"row {number}"))
        if filled.get("id") == case.get("id"):
            filled["id"] = f"{case.get('id')}-{number}"
        filled["filled_from"] = dict(row)
        yield filled


def _rows(rows: object, read_file: ReadFile | None) -> Sequence[Row]:
    """Return the rows of a template: a list of objects, the text of a CSV file, or the name of one."""
    if isinstance(rows, str) and "\n" in rows:
        return read_csv(rows, where="rows").rows
    if isinstance(rows, str):
        if read_file is None:
            raise BadInput("", f"the file {rows!r} cannot be read here", "write the rows under rows:")
        return read_csv(read_file(rows), where=f"file {rows}").rows
    if isinstance(rows, list) and rows and all(isinstance(row, Mapping) for row in cast(list[object], rows)):
        return cast(Sequence[Row], rows)
    raise BadInput("", "rows must be the name of a CSV file, CSV text, or a list of objects")


def _message(form: MessageForm) -> Message:
    calls = tuple(ToolCall(name=call.name, arguments=call.arguments) for call in form.calls)
    return Message(role=Role(form.role), text=form.content, calls=calls, name=form.name)
