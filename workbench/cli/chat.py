"""`workbench chat`: run one turn in the terminal and store it as the page would."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Annotated

import typer

from workbench.app.requests.turn import ChatReport, report_turn
from workbench.app.services import Services
from workbench.app.turns import MessageStored, begin_session, run_turn
from workbench.cli.sampling_options import sampling_option
from workbench.cli.terminal.stopping import TerminalApprover, stop_at_interrupt
from workbench.errors import BadInput
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredSession
from workbench.rollout.events import (
    CompletionEnded,
    Event,
    PieceArrived,
    QueuePositionChanged,
    RoundStarted,
    ToolFinished,
    TurnEnded,
)
from workbench.rollout.sampling import Sampling
from workbench.settings import read_settings
from workbench.toolspec.tools_text import render_tools


def chat(
    text: Annotated[str, typer.Argument(help="What the user says; - reads standard input.")],
    contract: Annotated[
        str | None, typer.Option(help="Contract by name; WORKBENCH_CONTRACT if left out.")
    ] = None,
    tools: Annotated[
        list[str] | None,
        typer.Option(help="Toolset, tool or JSON file; repeatable. WORKBENCH_TOOLS if left out."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="embedded, a path, or scripted:FILE; WORKBENCH_MODEL if left out.")
    ] = None,
    tool_choice: Annotated[str, typer.Option(help="none, auto, required, or a tool's name.")] = "auto",
    session: Annotated[str | None, typer.Option(help="Go on with this session, and its setup.")] = None,
    temperature: Annotated[float, sampling_option("temperature", has_most=True)] = Sampling().temperature,
    seed: Annotated[int, sampling_option("seed")] = Sampling().seed,
    max_tokens: Annotated[int, sampling_option("max_tokens")] = Sampling().max_tokens,
    max_rounds: Annotated[
        int | None, typer.Option(min=1, help="Most completions; WORKBENCH_MAX_ROUNDS if left out.")
    ] = None,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Play one turn: what the model writes, its calls, their results, the answer."""
    settings = read_settings()
    said = sys.stdin.read() if text == "-" else text
    from workbench.wiring import open_services

    with open_services(settings) as services:
        kept = _session(services, session)
        setup = kept.setup if kept else services.setup_for(contract=contract, model=model)
        if tools and not kept:
            setup = replace(setup, tools_text=render_tools(services.tools.select_files(tools)))
        sampling = replace(setup.sampling, temperature=temperature, seed=seed, max_tokens=max_tokens)
        rounds = max_rounds or setup.max_rounds
        setup = replace(setup, tool_choice=tool_choice, sampling=sampling, max_rounds=rounds)
        report = _play(services, kept, setup, said, is_quiet=json_output)
    if json_output:
        print(json.dumps(report.to_json(), ensure_ascii=False))
    else:
        print(f"\nsession {report.session_id} · {report.timing_line()}", file=sys.stderr)


def _session(services: Services, session_id: str | None) -> StoredSession | None:
    if session_id is None:
        return None
    kept = services.sessions.find_session(session_id)
    if kept is None:
        raise BadInput(f"--session {session_id}", "no such session", "leave it out to begin a new one")
    return kept


def _play(
    services: Services, kept: StoredSession | None, setup: RunConfig, said: str, *, is_quiet: bool
) -> ChatReport:
    session_id = kept.id if kept else begin_session(services, setup).id
    with stop_at_interrupt() as stop:
        approver = TerminalApprover(timeout_s=services.settings.approval_timeout_s)
        events = run_turn(services, session_id, setup, said, is_cancelled=stop.is_set, approver=approver)
        report = report_turn(session_id, events if is_quiet else _told(events))
    return replace(report, messages=tuple(one.message for one in services.sessions.path(session_id)))


def _told(events: Iterable[Event | MessageStored]) -> Iterator[Event | MessageStored]:
    """The same events, each told on the terminal as it passes."""
    for event in events:
        if isinstance(event, PieceArrived):
            print(event.text, end="", flush=True)
        elif isinstance(event, RoundStarted):
            for finding in event.findings:
                print(
                    f"{finding.severity} {finding.code}: {finding.message} ({finding.pointer})",
                    file=sys.stderr,
                )
        elif isinstance(event, QueuePositionChanged):
            print(f"place {event.place} in line", file=sys.stderr)
        elif isinstance(event, CompletionEnded):
            print()
            for fix in event.reading.fixes:
                print(f"fix {fix.code} at {fix.span.start}-{fix.span.end}", file=sys.stderr)
            for finding in (*event.reading.findings, *event.generation.findings):
                print(f"{finding.severity} {finding.code}: {finding.message}", file=sys.stderr)
        elif isinstance(event, ToolFinished):
            print(f"{event.call.name} → {event.run.result.text}")
        elif isinstance(event, TurnEnded) and event.reason != "answered":
            why = f", {event.problem}" if event.problem else ""
            print(f"turn ended: {event.reason}{why}", file=sys.stderr)
        yield event
