"""`workbench improve`: search for a better or shorter contract, and test it on cases that the search never saw."""

import sys
from typing import Annotated, Final

import typer

from workbench.app.improve.running import execute_any
from workbench.app.improve.starting import SearchRequest, begin_search, plan_search
from workbench.app.improve.taking import outcome_for, take_candidate
from workbench.app.runs.planning import RunRequest
from workbench.app.runs.reports import report_for
from workbench.app.runs.running import find_run
from workbench.app.services import Services
from workbench.cli.suites.files import suites_named
from workbench.cli.suites.run_printing import with_progress_lines
from workbench.cli.terminal.exit_code import ExitCode
from workbench.cli.terminal.stopping import stop_at_interrupt
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.records.runs import StoredRun
from workbench.settings import read_settings
from workbench.suite.improve.tables import search_table, verdict_line
from workbench.suite.reports.markdown import table_text
from workbench.suite.reports.tables import worth_table
from workbench.suite.search_plan import SearchMode, SearchSettings

_DEFAULTS: Final = SearchSettings()


def improve(
    contract: Annotated[
        str, typer.Argument(metavar="CONTRACT", help="Contract to improve, such as minimal@3")
    ] = "",
    suite: Annotated[list[str] | None, typer.Option(metavar="SUITE", help="Suite; repeatable")] = None,
    model: Annotated[str, typer.Option(metavar="MODEL", help="Model", show_default="WORKBENCH_MODEL")] = "",
    reflect: Annotated[
        str,
        typer.Option(
            metavar="MODEL", help="Model that proposes rewritten contracts; needs 4B parameters or more"
        ),
    ] = "",
    shrink: Annotated[
        bool, typer.Option("--shrink", help="Find the shortest contract that is not worse, without a model")
    ] = False,
    margin: Annotated[
        float,
        typer.Option(min=0, max=1, help="By how much the pass rate of a shorter contract may be lower"),
    ] = _DEFAULTS.margin,
    examples: Annotated[
        int | None, typer.Option(metavar="K", min=1, max=12, help="Choose the best K examples from sessions")
    ] = None,
    examples_from: Annotated[
        str, typer.Option(metavar="TAG", help="Tag of the sessions that examples are made from")
    ] = "",
    descriptions: Annotated[
        bool, typer.Option("--descriptions", help="Also change descriptions of tools and parameters")
    ] = False,
    runs: Annotated[int, typer.Option(min=1, help="Maximum number of case runs")] = _DEFAULTS.runs,
    tokens: Annotated[int | None, typer.Option(min=1, help="Maximum number of tokens")] = None,
    cost: Annotated[float | None, typer.Option(min=0, help="Maximum cost in US dollars")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Maximum generation time in minutes")] = None,
    repeat: Annotated[int, typer.Option(min=1, max=1000, help="Repetitions of each case")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the search")] = _DEFAULTS.seed,
    resume: Annotated[
        str, typer.Option(metavar="RUN", help="Continue this search; last is the newest run")
    ] = "",
    save: Annotated[
        bool, typer.Option("--save", help="Save the chosen candidate as a version unless it is the start")
    ] = False,
    take: Annotated[
        str,
        typer.Option(
            metavar="LABEL", help="Save this candidate of --resume as a version, and do nothing else"
        ),
    ] = "",
) -> None:
    """Search for a better or shorter contract.

    A quarter of the suite is kept apart and run once, at the end. Ctrl+C stops the search, and --resume continues it.
    """
    if bool(resume) == bool(contract):
        raise BadInput("improve", "it needs a contract or --resume", "name one of the two")
    settings = SearchSettings(
        mode=_mode(shrink=shrink, examples=examples),
        seed=seed,
        runs=runs,
        tokens=tokens,
        cost=cost,
        minutes=minutes,
        margin=margin,
        examples=examples or 0,
        has_descriptions=descriptions,
        reflect=reflect,
    )
    request = SearchRequest(
        run=RunRequest(
            suites=tuple(suite or ()),
            contracts=(contract,),
            models=(model,) if model else (),
            repeat=repeat,
        ),
        settings=settings,
        examples_tag=examples_from,
    )
    raise typer.Exit(_improve(request, resume=resume, take=take, is_saved=save))


def _mode(*, shrink: bool, examples: int | None) -> SearchMode:
    if shrink and examples:
        raise BadInput("improve", "--shrink and --examples exclude each other", "run one after the other")
    return SearchMode.SHRINK if shrink else SearchMode.EXAMPLES if examples else SearchMode.IMPROVE


def _improve(request: SearchRequest, *, resume: str, take: str, is_saved: bool) -> int:
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        if take:
            version = take_candidate(services, find_run(services, resume), take)
            print(f"{version.name}@{version.number}: {version.message}")
            return ExitCode.DONE
        stored = find_run(services, resume) if resume else _begin(services, request)
        outcome_for(services, stored)  # Refuses a run that is not a search.
        print(f"run {stored.id}: {stored.listed.title}", file=sys.stderr)
        with stop_at_interrupt() as stop:
            events = execute_any(services, stored, is_cancelled=stop.is_set)
            for _ in with_progress_lines(events, is_quiet=False):
                pass
        stored = find_run(services, stored.id)
        _print(services, stored)
        search = stored.plan.search
        if is_saved and search and search.chosen not in ("", stored.plan.arms[0].label):
            version = take_candidate(services, stored, search.chosen)
            print(f"saved {version.name}@{version.number}")
    return ExitCode.INTERRUPTED if stop.is_set() else ExitCode.DONE


def _begin(services: Services, request: SearchRequest) -> StoredRun:
    plan = plan_search(services, request, list(suites_named(services, request.run.suites)))
    return begin_search(services, plan)


def _print(services: Services, stored: StoredRun) -> None:
    outcome, search = outcome_for(services, stored), stored.plan.search
    if search is None:
        return
    print(shown(table_text(search_table(search, outcome))))
    for step in search.steps:
        if step.problem:
            print(shown(f"refused: {step.change}: {step.problem}"))
    report = report_for(services, stored)
    if report.worths:
        print("\n" + table_text(worth_table(report)))
    print("\n" + shown(verdict_line(search, outcome)))
