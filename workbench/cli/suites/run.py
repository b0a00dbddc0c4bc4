"""`workbench run`: run suites against contracts and models, score them and report."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Final

import typer

from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run, find_run
from workbench.app.runs.suites import suite_names
from workbench.app.services import Services
from workbench.cli.sampling_options import repeatable_option, sampling_option
from workbench.cli.suites.files import suites_named, write_reports
from workbench.cli.terminal.paint import Tone, shown, terminal_paint
from workbench.cli.terminal.stopping import stop_at_interrupt
from workbench.errors import BadInput
from workbench.records.runs import StoredRun
from workbench.rollout.sampling import Sampling
from workbench.settings import read_settings
from workbench.suite.plan import ToolVariation
from workbench.suite.reports.markdown import table_text
from workbench.suite.reports.report import RunReport, report_of
from workbench.suite.reports.tables import (
    card_table,
    change_table,
    comparison_line,
    failure_table,
    worth_table,
)
from workbench.suite.runner import CaseFinished, RunEvent

_MOST_FAILURES = 20


def told_events(events: Iterable[RunEvent], *, is_quiet: bool) -> Iterator[RunEvent]:
    """The same events, each result told on standard error as it passes."""
    for event in events:
        if isinstance(event, CaseFinished) and not is_quiet:
            progress, result = event.progress, event.result
            left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
            line = f"{progress.done}/{progress.total} {result.status.value} {result.case_key} · {result.arm}"
            print(shown(f"{line}{left}"), file=sys.stderr, flush=True)
        yield event


def print_report(report: RunReport) -> None:
    """The tables that one looks at first."""
    paint = terminal_paint()
    print(table_text(card_table(report)))
    if report.worths:
        print("\n" + table_text(worth_table(report)))
    if report.comparison:
        print(f"\n{paint(f'against {report.baseline}', Tone.TITLE)}: {comparison_line(report.comparison)}")
        print(shown(table_text(change_table(report.comparison))))
    failures = failure_table(report)
    for case, arm, status, why, came in failures.rows[:_MOST_FAILURES]:
        print(paint(shown(f"{status} {case} · {arm}: {why}"), Tone.BAD) + shown(f"\n    {came[:200]}"))
    if len(failures.rows) > _MOST_FAILURES:
        print(f"… and {len(failures.rows) - _MOST_FAILURES} more; --markdown or --html has all")


def print_list(services: Services) -> None:
    """Suites, then runs, the newest first."""
    print("suites: " + ", ".join(suite_names(services)))
    for one in services.runs.list_runs():
        moment = one.created_at.strftime("%Y-%m-%d %H:%M")
        told = f"{one.passed} passed, {one.errors} errors, {one.done} of {one.total} done"
        print(shown(f"{one.id[:12]}  {moment}  {one.state.value}  {one.title}: {told}"))


NOT_REACHED: Final = 1
"""Exit code where the bar does not hold, or the run was stopped."""
ENGINE_FAILED: Final = 3
"""Exit code where no play could be scored."""


class GrammarOption(StrEnum):
    """Whether calls are held to a grammar."""

    ON = "on"
    OFF = "off"
    BOTH = "both"


_GRAMMARS: Final = {GrammarOption.ON: (True,), GrammarOption.OFF: (False,), GrammarOption.BOTH: (True, False)}


def run(
    suites: Annotated[
        list[str] | None, typer.Argument(metavar="SUITE…", help="Names, or .yaml and BFCL .json files.")
    ] = None,
    contract: Annotated[
        list[str] | None, typer.Option(help="Repeatable, such as minimal@3; WORKBENCH_CONTRACT if left out.")
    ] = None,
    model: Annotated[list[str] | None, typer.Option(help="Repeatable; WORKBENCH_MODEL if left out.")] = None,
    tool_choice: Annotated[
        list[str] | None,
        typer.Option(help="none, auto, required or a tool's name; repeatable. auto if left out."),
    ] = None,
    repeat: Annotated[
        int, typer.Option(min=1, max=1000, help="Plays of each case, each with its own seed.")
    ] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Cases at most.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only cases with this tag; repeatable.")] = None,
    temperature: Annotated[list[float] | None, repeatable_option("temperature")] = None,
    top_p: Annotated[list[float] | None, repeatable_option("top_p")] = None,
    seed: Annotated[int, sampling_option("seed", "Of the first repetition.")] = Sampling().seed,
    max_tokens: Annotated[int, sampling_option("max_tokens")] = Sampling().max_tokens,
    max_rounds: Annotated[
        int | None, typer.Option(min=1, help="Most completions, where a case does not say.")
    ] = None,
    grammar: Annotated[GrammarOption, typer.Option(help="Hold calls to a grammar.")] = GrammarOption.ON,
    ablate: Annotated[
        bool, typer.Option(help="Also without each paragraph or example of the contract.")
    ] = False,
    vary: Annotated[
        list[ToolVariation] | None, typer.Option(help="Also with the tools told of so; repeatable.")
    ] = None,
    judge: Annotated[
        str, typer.Option(metavar="MODEL", help="Judges rubrics; WORKBENCH_JUDGE if left out.")
    ] = "",
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that a case may take.")] = 120.0,
    at_once: Annotated[
        int, typer.Option(min=1, max=256, help="Cases at the same time, where a server takes many.")
    ] = 8,
    resume: Annotated[str, typer.Option(metavar="RUN", help="Go on with this run; last is the newest.")] = "",
    baseline: Annotated[str, typer.Option(metavar="RUN", help="Compare with this run.")] = "",
    fail_under: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Exit code 1 below this pass rate.")
    ] = None,
    json_out: Annotated[
        str, typer.Option(metavar="FILE", help="The report as JSON; - prints only that.")
    ] = "",
    junit: Annotated[str, typer.Option(metavar="FILE", help="The report as JUnit XML.")] = "",
    html: Annotated[str, typer.Option(metavar="FILE", help="The report as one HTML file.")] = "",
    markdown: Annotated[str, typer.Option(metavar="FILE", help="The report as Markdown.")] = "",
    list_: Annotated[bool, typer.Option("--list", help="List suites and runs, play nothing.")] = False,
) -> None:
    """Play suites against contracts and models; tell what passes, how sure that is, and at what price.

    Exit code 0 where the bar of --fail-under holds and every case could be played.
    """
    if list_:
        _list()
        return
    wanted = RunRequest(
        suites=tuple(suites or ()),
        contracts=tuple(contract or ()),
        models=tuple(model or ()),
        tool_choices=tuple(tool_choice or ("auto",)),
        samplings=tuple(
            Sampling(temperature=one, top_p=share, seed=seed, max_tokens=max_tokens)
            for one in temperature or (Sampling().temperature,)
            for share in top_p or (Sampling().top_p,)
        ),
        constraints=_GRAMMARS[grammar],
        repeat=repeat,
        limit=limit,
        tags=tuple(tag or ()),
        is_ablation=ablate,
        variations=tuple(vary or ()),
        max_rounds=max_rounds,
        timeout_s=timeout,
        at_once=at_once,
        judge=judge,
    )
    files = {"json": json_out, "junit": junit, "html": html, "markdown": markdown}
    raise typer.Exit(_run(wanted, files, resume=resume, baseline=baseline, fail_under=fail_under))


def _list() -> None:
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        print_list(services)


def _run(
    wanted: RunRequest, files: Mapping[str, str], *, resume: str, baseline: str, fail_under: float | None
) -> int:
    """Plays, tells and writes; the exit code."""
    from workbench.wiring import open_services

    if resume and wanted.suites:
        raise BadInput("--resume", "a run has its suites already", "leave the suites out")
    is_quiet = files["json"] == "-"
    with open_services(read_settings()) as services:
        compared = find_run(services, baseline) if baseline else None
        kept = find_run(services, resume) if resume else _begun(services, wanted)
        report = _played(services, kept, compared, is_quiet=is_quiet)
        write_reports(report, files, services.settings)
    if not is_quiet:
        print_report(report)
    return _exit_code(report, fail_under)


def _begun(services: Services, wanted: RunRequest) -> StoredRun:
    return begin_run(services, plan_run(services, wanted, suites_named(services, wanted.suites)))


def _played(services: Services, kept: StoredRun, compared: StoredRun | None, *, is_quiet: bool) -> RunReport:
    with stop_at_interrupt() as stop:
        print(f"run {kept.id}: {kept.listed.title}", file=sys.stderr)
        events = execute_run(services, kept, is_cancelled=stop.is_set)
        _drain(told_events(events, is_quiet=is_quiet))
    return report_for(services, kept.id, compared)


def report_for(services: Services, run_id: str, compared: StoredRun | None = None) -> RunReport:
    """The report of a run as the store has it.

    Raises:
        StoreError: It cannot be read.
        BadInput: There is no such run.
    """
    kept = find_run(services, run_id)
    baseline = (compared.listed.title, services.runs.results(compared.id)) if compared else None
    listed = kept.listed
    results = services.runs.results(kept.id)
    return report_of(kept.id, listed.title, listed.state.value, kept.plan, results, baseline=baseline)


def _drain(events: Iterable[RunEvent]) -> None:
    for _ in events:
        pass


def _exit_code(report: RunReport, fail_under: float | None) -> int:
    """Whether the bar holds; a play that could not be scored never reaches it."""
    if report.results and report.pass_rate is None:
        return ENGINE_FAILED
    is_whole = len(report.results) == report.total and not report.errors
    return 0 if is_whole and (report.pass_rate or 0.0) >= (fail_under or 0.0) else NOT_REACHED
