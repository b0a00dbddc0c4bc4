"""`workbench chat`: run one turn in the terminal and store it as the page would."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Annotated, Final

import typer

from workbench.app.requests.turn import ChatReport, report_turn
from workbench.app.services import Services
from workbench.app.turn_request import MessageStored, SampleStarted, TurnContext, TurnRequest
from workbench.app.turns import run_turn
from workbench.cli.sampling_options import sampling_option
from workbench.cli.terminal.exit_code import ExitCode
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.sources import change_setup
from workbench.cli.terminal.stopping import TerminalApprover, stop_at_interrupt
from workbench.errors import BadInput
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredSession
from workbench.rollout.events import (
    CompletionEnded,
    EndReason,
    Event,
    PieceArrived,
    QueuePositionChanged,
    RoundStarted,
    ToolFinished,
    TurnEnded,
)
from workbench.rollout.sampling import Sampling
from workbench.settings import read_settings


def _default(name: str) -> str:
    return f"{getattr(Sampling(), name):g}"


def chat(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="User message, or - for standard input")],
    contract: Annotated[
        str | None, typer.Option(metavar="NAME", help="Contract", show_default="WORKBENCH_CONTRACT")
    ] = None,
    tools: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Toolset, tool or JSON file; repeatable",
            show_default="WORKBENCH_TOOLS",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Model: embedded, a path, scripted:FILE or another name",
            show_default="WORKBENCH_MODEL",
        ),
    ] = None,
    tool_choice: Annotated[
        str | None,
        typer.Option(
            metavar="CHOICE", help="none, auto, required or the name of a tool", show_default="auto"
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Start with the setup of this preset; other options override it"),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Continue this session, from `workbench sessions list`, with its settings"
        ),
    ] = None,
    temperature: Annotated[
        float | None, sampling_option("temperature", has_most=True, show_default=_default("temperature"))
    ] = None,
    seed: Annotated[int | None, sampling_option("seed", show_default=_default("seed"))] = None,
    max_tokens: Annotated[
        int | None, sampling_option("max_tokens", show_default=_default("max_tokens"))
    ] = None,
    max_rounds: Annotated[
        int | None,
        typer.Option(min=1, help="Maximum number of completions", show_default="WORKBENCH_MAX_ROUNDS"),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Run one turn: prompt, tool calls, results, answer.

    The completion and the results of tools are printed as they arrive. The turn is stored as a session. Exit code 1 if
    the turn ends without an answer.
    """
    settings = read_settings()
    if session and preset:
        raise BadInput("--preset", "the session has its own settings", "omit one of the two options")
    user_text = sys.stdin.read() if text == "-" else text
    from workbench.wiring import open_services

    with open_services(settings) as services:
        stored = _session(services, session)
        setup = _base_setup(services, stored, preset)
        setup = change_setup(services, setup, contract=contract, tools=tools or (), model=model)
        given = {"temperature": temperature, "seed": seed, "max_tokens": max_tokens}
        setup = replace(
            setup,
            tool_choice=tool_choice or setup.tool_choice,
            sampling=replace(
                setup.sampling, **{name: value for name, value in given.items() if value is not None}
            ),
            max_rounds=max_rounds or setup.max_rounds,
        )
        report = _run_turn(services, stored, setup, user_text, is_quiet=json_output)
    if json_output:
        print(json.dumps(report.to_json(), ensure_ascii=False))
    else:
        print(f"\nsession {report.session_id} · {report.timing_line()}", file=sys.stderr)
    if code := _EXIT_CODES.get(report.ended.reason, ExitCode.FOUND):
        raise typer.Exit(code)


_EXIT_CODES: Final = {
    EndReason.ANSWERED: ExitCode.DONE,
    EndReason.CALLS_NOT_RUN: ExitCode.DONE,
    EndReason.CANCELLED: ExitCode.INTERRUPTED,
    EndReason.INTERRUPTED: ExitCode.UNREACHABLE,
}
"""Exit codes of how a turn ends. All others mean that there is no answer: `unreadable`, `length`, and limits."""


def _base_setup(services: Services, stored: StoredSession | None, preset: str | None) -> RunConfig:
    """Return the setup of the session, of the preset, or of the settings."""
    if stored is not None:
        return stored.setup
    return services.presets.find_preset(preset).setup if preset else services.setup_for()


def _session(services: Services, session_id: str | None) -> StoredSession | None:
    if session_id is None:
        return None
    stored = services.sessions.find_session(session_id)
    if stored is None:
        raise BadInput(f"--session {session_id}", "no such session", "`workbench sessions list` lists them")
    return stored


def _run_turn(
    services: Services, stored: StoredSession | None, setup: RunConfig, user_text: str, *, is_quiet: bool
) -> ChatReport:
    request = TurnRequest(setup=setup, session_id=stored.id if stored else None, text=user_text)
    session_id = request.subject
    with stop_at_interrupt() as stop:
        approver = TerminalApprover(timeout_s=services.settings.approval_timeout_s)
        events = run_turn(services, request, TurnContext(is_cancelled=stop.is_set, approver=approver))
        report = report_turn(session_id, events if is_quiet else _printed(events))
    return replace(report, messages=tuple(entry.message for entry in services.sessions.path(session_id)))


def _printed(
    events: Iterable[Event | MessageStored | SampleStarted],
) -> Iterator[Event | MessageStored | SampleStarted]:
    """Yield the same events and print each one as it passes."""
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
            print(f"waiting, position {event.place} in the queue", file=sys.stderr)
        elif isinstance(event, CompletionEnded):
            print()
            for fix in event.reading.fixes:
                print(f"fix {fix.code} at {fix.span.start}-{fix.span.end}", file=sys.stderr)
            for finding in (*event.reading.findings, *event.generation.findings):
                print(f"{finding.severity} {finding.code}: {finding.message}", file=sys.stderr)
        elif isinstance(event, ToolFinished):
            print(f"{event.call.name} → {event.run.result.text}")
        elif isinstance(event, TurnEnded) and event.reason is not EndReason.ANSWERED:
            reason = f", {event.problem}" if event.problem else ""
            print(f"turn ended: {event.reason}{reason}", file=sys.stderr)
        yield event
