"""`workbench run --rows`: run one message over rows of variables."""

from dataclasses import dataclass, replace
from pathlib import Path

from workbench.app.runs.planning import RunRequest
from workbench.app.runs.rows import prepare_rows, row_results, rows_as_csv, rows_as_jsonl
from workbench.app.services import Services
from workbench.cli.suites.files import write_file
from workbench.cli.terminal.sources import STANDARD_INPUT, change_setup, read_bytes
from workbench.errors import BadInput
from workbench.records.runs import StoredRun
from workbench.suite.plan import RunPlan
from workbench.suite.row_table import decode_rows


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


def row_plan(services: Services, request: RunRequest, rows: RowOptions) -> RunPlan:
    """Return the plan of a run over rows, with the setup of the preset or of the settings, and the options.

    Raises:
        BadInput: The rows, the message or the setup cannot be used.
        StoreError: The versions cannot be read.
    """
    file = rows.file or STANDARD_INPUT
    where = "standard input" if file == STANDARD_INPUT else Path(file).name
    text = decode_rows(read_bytes(file), where=where)
    setup = change_setup(
        services,
        request.setup or services.setup_for(),
        contract=next(iter(request.contracts), None),
        tools=rows.tools,
        model=next(iter(request.models), None),
    )
    setup = replace(
        setup,
        tool_choice=request.tool_choices[0],
        sampling=request.samplings[0],
        is_constrained=request.constraints[0],
        max_rounds=request.max_rounds or setup.max_rounds,
    )
    plan = prepare_rows(services, setup, rows.message, text, where=where).plan
    cases = plan.cases if request.limit is None else plan.cases[: request.limit]
    return replace(
        plan, cases=cases, timeout_s=request.timeout_s, at_once=request.at_once, repeat=request.repeat
    )


def write_rows(services: Services, stored: StoredRun, out: str) -> None:
    """Write the rows of a run with their answers, as CSV or JSON lines by the ending of the file."""
    rows = row_results(stored.plan.cases, services.runs.results(stored.id))
    write_file(out, rows_as_csv(rows) if out.endswith(".csv") else rows_as_jsonl(rows))
