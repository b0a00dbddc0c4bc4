"""`workbench run`: run suites with contracts and models, score them and report."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

import typer

from workbench.app.improve.running import execute_any
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.reports import report_for
from workbench.app.runs.running import begin_run, find_run
from workbench.app.services import Services
from workbench.cli.ray_options import AddressOption, WorkEngine, WorkEngineOption
from workbench.cli.sampling_options import repeatable_option, sampling_option
from workbench.cli.suites.files import suites_named, write_reports
from workbench.cli.suites.from_sessions import SessionOptions, session_plan
from workbench.cli.suites.keeping import KeepOptions, KeptStatus
from workbench.cli.suites.on_ray import RayOptions, WorkersOption
from workbench.cli.suites.rows import RowOptions, row_plan, write_rows
from workbench.cli.suites.run_options import (
    BaselineRun,
    HtmlFile,
    JsonFile,
    JunitFile,
    MarkdownFile,
    json_destination,
)
from workbench.cli.suites.run_printing import print_list, print_report, with_progress_lines
from workbench.cli.terminal.exit_code import ExitCode
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.stopping import stop_at_interrupt
from workbench.errors import BadInput
from workbench.rollout.sampling import Sampling
from workbench.rollout.tool_faults import parse_faults
from workbench.settings import read_settings
from workbench.suite.plan import RunPlan, ToolVariation
from workbench.suite.reports.report import RunReport
from workbench.suite.reports.tables import (
    enough_line,
)


class GrammarOption(StrEnum):
    """Whether calls are constrained by a grammar."""

    ON = "on"
    OFF = "off"
    BOTH = "both"


_GRAMMARS: Final = {GrammarOption.ON: (True,), GrammarOption.OFF: (False,), GrammarOption.BOTH: (True, False)}


class SamplingOptions(NamedTuple):
    """The sampling options. Empty and None mean that the option was not given."""

    temperatures: Sequence[float]
    top_ps: Sequence[float]
    seed: int | None
    max_tokens: int | None

    def samplings(self, first: Sampling) -> tuple[Sampling, ...]:
        """Return every combination of the options, with the other fields of `first`."""
        seed = first.seed if self.seed is None else self.seed
        max_tokens = first.max_tokens if self.max_tokens is None else self.max_tokens
        return tuple(
            replace(first, temperature=temperature, top_p=top_p, seed=seed, max_tokens=max_tokens)
            for temperature in self.temperatures or (first.temperature,)
            for top_p in self.top_ps or (first.top_p,)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options that need the services to be understood."""

    preset: str | None
    sampling: SamplingOptions
    resume: str
    baseline: str
    rows: RowOptions
    sessions: SessionOptions
    kept: KeepOptions
    ray: RayOptions

    def complete(self, services: Services, request: RunRequest) -> RunRequest:
        """Return the request with what the options leave open: from the preset, or else the defaults.

        Raises:
            BadInput: There is no such preset.
        """
        setup = services.presets.find_preset(self.preset).setup if self.preset else None
        return replace(
            request,
            setup=setup,
            tool_choices=request.tool_choices or (setup.tool_choice if setup else "auto",),
            constraints=request.constraints or (setup.is_constrained if setup else True,),
            samplings=self.sampling.samplings(setup.sampling if setup else Sampling()),
        )


def run(
    suites: Annotated[
        list[str] | None,
        typer.Argument(metavar="SUITE", help="Names of suites, suite files (.yaml) or BFCL files (.json)"),
    ] = None,
    contract: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Contract, such as minimal@3; repeatable",
            show_default="WORKBENCH_CONTRACT",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="Model; repeatable", show_default="WORKBENCH_MODEL"),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Contract, variables, model, tool choice and sampling of this preset; other options override it",
        ),
    ] = None,
    tool_choice: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHOICE",
            help="none, auto, required or the name of a tool; repeatable",
            show_default="auto",
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Run one message over these rows (CSV or JSON lines) instead of suites; - for standard input",
        ),
    ] = None,
    message: Annotated[
        str, typer.Option(metavar="TEXT", help="Message for --rows, with {{ column }} for each value")
    ] = "",
    tools: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Toolset, tool or JSON file for --rows; repeatable",
            show_default="WORKBENCH_TOOLS",
        ),
    ] = None,
    rows_out: Annotated[
        str, typer.Option(metavar="FILE", help="Write the answers to --rows as .csv or .jsonl")
    ] = "",
    from_sessions: Annotated[
        str | None,
        typer.Option(
            metavar="TAG",
            help="Run the turns of sessions with this tag instead of suites; expects the labelled or recorded calls",
        ),
    ] = None,
    save_suite: Annotated[
        str, typer.Option(metavar="NAME", help="Save the cases of --from-sessions as a version of this suite")
    ] = "",
    repeat: Annotated[
        int, typer.Option(min=1, max=1000, help="Repetitions of each case, each with its own seed")
    ] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of cases")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Only cases with this tag; repeatable")
    ] = None,
    temperature: Annotated[list[float] | None, repeatable_option("temperature")] = None,
    top_p: Annotated[list[float] | None, repeatable_option("top_p")] = None,
    seed: Annotated[
        int | None, sampling_option("seed", "Seed of the first repetition", show_default="0")
    ] = None,
    max_tokens: Annotated[
        int | None, sampling_option("max_tokens", show_default=f"{Sampling().max_tokens}")
    ] = None,
    max_rounds: Annotated[
        int | None,
        typer.Option(min=1, help="Maximum number of completions, for cases that do not set it"),
    ] = None,
    grammar: Annotated[
        GrammarOption | None,
        typer.Option(help="Constrain calls with a grammar; both runs each case both ways", show_default="on"),
    ] = None,
    ablate: Annotated[
        bool, typer.Option(help="Also run the contract without each of its paragraphs and examples")
    ] = False,
    vary: Annotated[
        list[ToolVariation] | None,
        typer.Option(help="Also run with the tools renamed, shuffled or paraphrased; repeatable"),
    ] = None,
    judge: Annotated[
        str,
        typer.Option(metavar="MODEL", help="Model that judges rubrics", show_default="WORKBENCH_JUDGE"),
    ] = "",
    person: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Model that acts as the persons of conversations, instead of their rules",
            show_default=False,
        ),
    ] = "",
    faults: Annotated[
        str,
        typer.Option(
            metavar="RATE",
            help="Also run with tools that fail at this rate: RATE, RATE:SEED or RATE:SEED:KINDS",
            show_default=False,
        ),
    ] = "",
    timeout: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="Time limit for a case")] = 120.0,
    at_once: Annotated[
        int, typer.Option(min=1, max=256, help="Cases to run at the same time, for models on servers")
    ] = 8,
    engine: WorkEngineOption = WorkEngine.LOCAL,
    address: AddressOption = "",
    workers: WorkersOption = None,
    resume: Annotated[
        str, typer.Option(metavar="RUN", help="Continue this run; last is the newest run")
    ] = "",
    keep: Annotated[
        KeptStatus | None,
        typer.Option(
            help="Also keep these rollouts as sessions, to be labelled and exported", show_default=False
        ),
    ] = None,
    pairs: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Write preference pairs of passed and failed repetitions: .dpo.jsonl or .kto.jsonl",
            show_default=False,
        ),
    ] = "",
    baseline: BaselineRun = "",
    fail_under: Annotated[
        float | None,
        typer.Option(metavar="RATE", min=0.0, max=1.0, help="Exit with code 1 below this pass rate"),
    ] = None,
    json_out: JsonFile = "",
    junit: JunitFile = "",
    html: HtmlFile = "",
    markdown: MarkdownFile = "",
    as_json: JsonOption = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List suites and runs without running anything")
    ] = False,
) -> None:
    """Run suites with contracts and models, and report the scores.

    Reports pass rates with confidence intervals, and the cost. Exit code 1 if the pass rate is below --fail-under, if a
    case could not be scored, and 130 if Ctrl+C stopped the run.
    """
    if list_:
        _list()
        return
    request = RunRequest(
        suites=tuple(suites or ()),
        contracts=tuple(contract or ()),
        models=tuple(model or ()),
        tool_choices=tuple(tool_choice or ()),
        constraints=_GRAMMARS[grammar] if grammar else (),
        repeat=repeat,
        limit=limit,
        tags=tuple(tag or ()),
        is_ablation=ablate,
        variations=tuple(vary or ()),
        max_rounds=max_rounds,
        timeout_s=timeout,
        at_once=at_once,
        judge=judge,
        person=person,
        faults=parse_faults(faults) if faults else None,
    )
    given = SamplingOptions(temperature or (), top_p or (), seed, max_tokens)
    files = {
        "json": json_destination(json_out, is_printed=as_json),
        "junit": junit,
        "html": html,
        "markdown": markdown,
    }
    over_rows = RowOptions(file=rows, message=message, tools=tuple(tools or ()), out=rows_out)
    sessions = SessionOptions(tag=from_sessions, save_as=save_suite)
    options = RunOptions(
        preset=preset,
        sampling=given,
        resume=resume,
        baseline=baseline,
        rows=over_rows,
        sessions=sessions,
        kept=KeepOptions(status=keep, pairs=pairs),
        ray=RayOptions(engine=engine, address=address, workers=workers),
    )
    raise typer.Exit(_run(request, options, files, fail_under=fail_under))


def _list() -> None:
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        print_list(services)


def _run(
    request: RunRequest, options: RunOptions, files: Mapping[str, str], *, fail_under: float | None
) -> int:
    """Run the suites, print and write the report, and return the exit code."""
    from workbench.wiring import open_services

    resume, baseline = options.resume, options.baseline
    options.rows.check(request)
    options.sessions.check(request, has_rows=options.rows.file is not None)
    options.ray.check()
    options.kept.check()
    if resume and (request.suites or options.rows.file or options.sessions.tag):
        raise BadInput("--resume", "the run already has its suites, rows or sessions", "omit them")
    is_quiet = files["json"] == "-"
    with open_services(read_settings()) as services:
        compared = find_run(services, baseline) if baseline else None
        found = find_run(services, resume) if resume else None
        plan = found.plan if found else _plan(services, options.complete(services, request), options)
        with options.ray.executor(services, plan) as executor_for, stop_at_interrupt() as stop:
            stored = found or begin_run(services, plan)
            print(f"run {stored.id}: {stored.listed.title}", file=sys.stderr)
            if compared or len(plan.arms) > 1:
                print(enough_line(len(plan.jobs()) // len(plan.arms)), file=sys.stderr)
            events = execute_any(services, stored, is_cancelled=stop.is_set, executor=executor_for(stored))
            for _ in with_progress_lines(events, is_quiet=is_quiet):
                pass
        report = report_for(services, find_run(services, stored.id), compared)
        write_reports(report, files, services.settings)
        if options.rows.out:
            write_rows(services, stored, options.rows.out)
        options.kept.write(services, find_run(services, stored.id))
    if not is_quiet:
        print_report(report)
    return ExitCode.INTERRUPTED if stop.is_set() else _exit_code(report, fail_under)


def _plan(services: Services, request: RunRequest, options: RunOptions) -> RunPlan:
    if options.rows.file is not None:
        return row_plan(services, request, options.rows)
    if options.sessions.tag is not None:
        return session_plan(services, request, options.sessions)
    return plan_run(services, request, suites_named(services, request.suites))


def _exit_code(report: RunReport, fail_under: float | None) -> ExitCode:
    """Return `DONE` if every case has an answer and the pass rate is at least `fail_under`."""
    if report.results and report.errors == len(report.results):
        return ExitCode.UNREACHABLE
    is_complete = len(report.results) == report.total and not report.errors
    is_reached = is_complete and (report.pass_rate or 0.0) >= (fail_under or 0.0)
    return ExitCode.DONE if is_reached else ExitCode.FOUND
