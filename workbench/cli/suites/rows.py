"""`workbench run --rows`: run one message over rows of variables."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.app.runs.planning import RunRequest
from workbench.app.runs.rows import prepare_rows, row_results, rows_as_csv, rows_as_jsonl
from workbench.app.services import Services
from workbench.cli.suites.files import write_file
from workbench.errors import BadInput
from workbench.records.runs import StoredRun
from workbench.suite.plan import RunPlan
from workbench.suite.row_table import decode_rows
from workbench.toolspec.tools_text import render_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOptions:
    """The options of a run over rows."""

    file: str | None
    """The rows. None runs suites."""
    message: str
    tools: tuple[str, ...]
    out: str
    """Where to write the answers. Empty writes none."""

    def check(self, request: RunRequest) -> None:
        """Check that the options fit together.

        Raises:
            BadInput: They do not.
        """
        if self.file is None and (self.message or self.tools or self.out):
            raise BadInput("--message, --tools and --rows-out", "they need --rows", "add --rows FILE")
        if self.file is None:
            return
        if request.suites:
            raise BadInput("--rows", "a run is either of suites or over rows", "omit the suites")
        if len(request.contracts) > 1 or len(request.models) > 1 or len(request.tool_choices) > 1:
            raise BadInput(
                "--rows",
                "a run over rows has one setup",
                "name one contract, one model and one tool choice, or save the rows as a suite in Play",
            )
        if self.out and not self.out.endswith((".csv", ".jsonl")):
            raise BadInput("--rows-out", "unknown format", "use a file that ends in .csv or .jsonl")


def row_plan(services: Services, request: RunRequest, over: RowOptions) -> RunPlan:
    """Return the plan of a run over rows, with the setup of the preset or of the settings, and the options.

    Raises:
        BadInput: The rows, the message or the setup cannot be used.
        StoreError: The versions cannot be read.
    """
    file = over.file or "-"
    if file == "-":
        data, where = sys.stdin.buffer.read(), "standard input"
    else:
        path = Path(file).expanduser()
        try:
            data, where = path.read_bytes(), path.name
        except OSError as error:
            raise BadInput(f"--rows {file}", f"it cannot be read: {error.strerror}") from error
    first = request.setup or services.setup_for()
    contract = services.contract_version(request.contracts[0]) if request.contracts else None
    setup = replace(
        first,
        contract_name=contract.name if contract else first.contract_name,
        contract_text=contract.text if contract else first.contract_text,
        model=request.models[0] if request.models else first.model,
        tool_choice=request.tool_choices[0],
        sampling=request.samplings[0],
        is_constrained=request.constraints[0],
        max_rounds=request.max_rounds or first.max_rounds,
    )
    if over.tools:
        tools_text = render_tools(services.tools.select_files(over.tools))
        setup = replace(setup, tools_text=tools_text, disabled_tools=frozenset())
    plan = prepare_rows(services, setup, over.message, decode_rows(data, where=where), where=where).plan
    cases = plan.cases if request.limit is None else plan.cases[: request.limit]
    return replace(
        plan, cases=cases, timeout_s=request.timeout_s, at_once=request.at_once, repeat=request.repeat
    )


def write_rows(services: Services, stored: StoredRun, out: str) -> None:
    """Write the rows of a run with their answers, as CSV or JSON lines by the ending of the file."""
    rows = row_results(stored.plan.cases, services.runs.results(stored.id))
    write_file(out, rows_as_csv(rows) if out.endswith(".csv") else rows_as_jsonl(rows))
