"""Find suites by name, and check the text of a suite that is being edited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.app.services import Services
from workbench.app.version_files import take_file
from workbench.chat.finding import Severity
from workbench.errors import BadInput
from workbench.records.owner import LOCAL_OWNER
from workbench.records.versions import VersionKind, parse_reference
from workbench.suite.case import Case, Suite
from workbench.suite.exchange.bfcl import with_json_schema_types
from workbench.suite.exchange.bfcl_conversation import PREFIX
from workbench.suite.read_suite import check_suite, parse_suite
from workbench.suite.suite_text import SuiteFault, SuiteText
from workbench.suite.tool_names import unknown_names
from workbench.toolbox.catalog_file import render_toolset
from workbench.toolbox.entry import Staging, ToolTask
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.tools_text import parse_tools, render_tools

if TYPE_CHECKING:
    from workbench.toolbox.catalog import Catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSuite:
    """A suite that is being edited, and its problems."""

    suite: Suite
    faults: tuple[SuiteFault, ...]
    """The problems in the order of the text. Empty if the suite can run."""


def suite_names(services: Services) -> Sequence[str]:
    """Return the names of all suites that have a file or a version, sorted."""
    saved = (line.head.name for line in services.versions.lines(VersionKind.SUITE))
    return sorted({*services.files.names(VersionKind.SUITE), *saved})


def suite_text(services: Services, reference: str) -> str:
    """Return the text of a suite, such as `nonsense` (the newest version) or `nonsense@2`.

    Raises:
        BadInput: The suite does not exist.
        StoreError: The versions cannot be read.
    """
    parsed = parse_reference(reference)
    take_file(services.files, services.store.of(LOCAL_OWNER).versions, VersionKind.SUITE, parsed.name)
    found = services.versions.find(VersionKind.SUITE, parsed.name, parsed.which)
    if found is None:
        names = ", ".join(suite_names(services)) or "none"
        raise BadInput(
            f"suite {reference!r}", "no such suite", f"known suites: {names}; or name a .yaml file"
        )
    return found.text


def load_suite(services: Services, reference: str) -> Suite:
    """Load a suite by its reference. CSV files of its templates are in the folder of the suites' files.

    Raises:
        BadInput: The suite does not exist or cannot be read.
        StoreError: The versions cannot be read.
    """
    name = parse_reference(reference).name
    return parse_suite(suite_text(services, reference), name=name, read_file=services.files.find_rows)


def check_suite_text(services: Services, text: str, *, name: str) -> CheckedSuite:
    """Find everything that prevents a suite from running: syntax errors, unknown tools, unusable mock rules."""
    checked = check_suite(text, name=name, read_file=services.files.find_rows)
    source, catalog, faults_by_case = SuiteText(text), services.tools, dict[str, SuiteFault]()
    for index, case in zip(checked.indexes, checked.suite.cases, strict=True):
        for problem in case_problems(catalog, case):
            line = source.line(("cases", index))
            message = f"{problem.where}: {problem.problem}"
            fault = SuiteFault(problem=message, remedy=problem.remedy, line=line, case=case.id)
            faults_by_case.setdefault(f"{index} {message}", fault)
    faults = sorted((*checked.faults, *faults_by_case.values()), key=lambda fault: fault.line or 0)
    return CheckedSuite(suite=checked.suite, faults=tuple(faults))


def case_problems(catalog: Catalog, case: Case) -> Iterator[BadInput]:
    """Yield the first problem with the case's tools, unknown names in the case, and a problem with its mock rules."""
    try:
        offered = parse_tools(render_tools(offered_tools(catalog, case)))
    except BadInput as error:
        yield error
    else:
        for finding in offered.findings:
            if finding.severity is Severity.ERROR:
                yield BadInput("tools", finding.message)
        for unknown in unknown_names(case, offered):
            yield BadInput(unknown.key, unknown.problem, unknown.remedy)
    try:
        catalog.toolbox(ToolTask(staging=Staging(mocks=case.mocks, world=case.world)))
    except BadInput as error:
        yield error


def bfcl_specs(names: Sequence[str]) -> tuple[ToolSpec, ...]:
    """Return the specs of the methods of BFCL's classes among tools.

    Raises:
        BadInput: `bfcl-eval` is not installed, or has no such method.
    """
    from workbench.library.bfcl_classes import function_docs

    by_name = {
        f"{PREFIX}{class_name}.{function['name']}": function
        for class_name, functions in function_docs().items()
        for function in functions
    }
    wanted = [name for name in names if name.startswith(PREFIX)]
    if unknown := [name for name in wanted if name not in by_name]:
        raise BadInput("tools", f"BFCL has no function {unknown[0].removeprefix(PREFIX)!r}")
    functions = [{key: value for key, value in by_name[name].items() if key != "response"} for name in wanted]
    return tuple(ToolSpec.of_function(with_json_schema_types(function)) for function in functions)


def offered_tools(catalog: Catalog, case: Case) -> OfferedTools:
    """Return the tools of a case: first those of the catalog, then its own.

    Raises:
        BadInput: A tool does not exist, or a spec of the case is not valid.
    """
    files = [name for name in case.tools if name.endswith(".json")]
    if files:
        raise BadInput("tools", f"{files[0]!r} is a file", "write its specs under tool_specs")
    own = _own_specs(case)
    names = [name for name in case.tools if not name.startswith(PREFIX)]
    chosen = catalog.select(names).specs if names else ()
    if len(names) < len(case.tools):
        own = (*bfcl_specs(case.tools), *own)
    return OfferedTools(specs=tuple({spec.name: spec for spec in (*chosen, *own)}.values()))


def _own_specs(case: Case) -> tuple[ToolSpec, ...]:
    return tuple(
        ToolSpec(document=spec) if "function" in spec else ToolSpec.of_function(spec)
        for spec in case.tool_specs
    )


def mocked_toolsets(catalog: Catalog, case: Case) -> Mapping[str, str] | None:
    """Return the texts of the toolsets that answer the calls of a case, by name. None if other tools answer some."""
    own = {*case.mocks, *(spec.name for spec in _own_specs(case))}
    found: dict[str, str] = {}
    for name in offered_tools(catalog, case).names:
        toolset = next(
            (file for file in catalog.files() if name in [tool.spec.name for tool in file.tools]), None
        )
        if toolset is not None:
            # What it includes is offered by name.
            found[toolset.name] = render_toolset(replace(toolset, includes=(), include_tools=()))
        elif name not in own:
            return None
    return found
