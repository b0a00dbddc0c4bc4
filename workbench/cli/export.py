"""`workbench export`: write sessions as training rows."""

import sys
from collections import Counter
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.app.export import choice_of, lines_of, record
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.cli.rows.row_engine import (
    Arguments,
    ArgumentsOption,
    FrameOption,
    GroupOption,
    ResultRole,
    ResultRoleOption,
    SeedOption,
    SplitOption,
    check_writing,
    split_of,
)
from workbench.cli.terminal.paint import shown, with_progress, write_json_line
from workbench.errors import BadInput
from workbench.library.datasets.export_target import ExportRefused, ExportSummary, ExportTarget
from workbench.library.datasets.session_export import SessionDone
from workbench.records.corpus.material import SessionFilter
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.labels.label import MAX_RATING, MIN_RATING, Verdict
from workbench.records.labels.project import QueueState
from workbench.records.owner import Owner, UserRole
from workbench.settings import read_settings
from workbench.trajectory.formats.known import DEFAULT_FORMAT, WRITTEN
from workbench.trajectory.writing.row_draft import RowOptions

_MOST_LINES: Final = 20
"""Lines of each kind that are told."""


class ExportReport:
    """Tells of sessions on standard error: why one stays out, and what a row of it lost."""

    def __init__(self) -> None:
        self._told: Counter[str] = Counter()

    def add(self, done: SessionDone) -> None:
        """Tell of one session."""
        for line in lines_of(done):
            self._tell("left out", line)
        for made in done.rows:
            losses = sorted({str(one.code) for one in made.changes if one.is_loss}) if made.row else []
            if losses:
                self._tell("lost", f"session {done.session_id}: {', '.join(losses)}")

    def end(self) -> None:
        """Say how much more there was."""
        for kind, count in self._told.items():
            if count > _MOST_LINES:
                print(f"… {kind}: {count - _MOST_LINES:,} more", file=sys.stderr)

    def _tell(self, kind: str, line: str) -> None:
        self._told[kind] += 1
        if self._told[kind] <= _MOST_LINES:
            print(f"{kind}: {shown(line)}", file=sys.stderr)


def summary_json(summary: ExportSummary) -> JsonObject:
    """As `workbench export --json` prints it."""
    return {
        "sessions": summary.sessions,
        "rows": summary.rows,
        "splits": dict(summary.splits),
        "left_out": dict(sorted(summary.left_out.items())),
        "defective": summary.defective,
        "fixed_messages": summary.fixed_messages,
        "fixes": dict(sorted(summary.fixes.items())),
        "corrected_messages": summary.corrected_messages,
        "losses": dict(sorted(summary.losses.items())),
        "issues": dict(sorted(summary.issues.items())),
        "files": list(summary.files),
        "notes": list(summary.notes),
    }


def summary_lines(summary: ExportSummary) -> list[str]:
    """For a person."""
    left_out = sum(summary.left_out.values())
    lines = [f"{summary.rows:,} rows of {summary.sessions:,} sessions written"]
    for name, counts in (
        ("in splits", summary.splits),
        (f"left out, {left_out:,}", summary.left_out),
        (f"fixed, {summary.fixed_messages:,} messages", summary.fixes),
        ("lost", summary.losses),
        ("noticed", summary.issues),
    ):
        if counts:
            lines.append(
                f"{name}: " + ", ".join(f"{code} {count:,}" for code, count in sorted(counts.items()))
            )
    if summary.corrected_messages:
        lines.append(f"corrected: {summary.corrected_messages:,} messages")
    return [*lines, *summary.notes]


REFUSED: Final = 1
"""Exit code where sessions have defects, or there is no row to write."""
GENERATIONS: Final = "generations"
"""What `replay:FILE` answers from: no row format, but an export."""
Moment = Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="UTC.")]


class ExcludedKind(StrEnum):
    """What keeps a session out unless it is asked for."""

    STALE = "stale"
    DISCARDED = "discarded"
    UNFINISHED = "unfinished"


def export(
    out: Annotated[str, typer.Option(help="NAME.jsonl, .jsonl.gz, .parquet or -; with --split a folder.")],
    format_: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(WRITTEN)}, {GENERATIONS}.")
    ] = DEFAULT_FORMAT,
    session: Annotated[list[str] | None, typer.Option(help="Only this session; repeatable.")] = None,
    owner: Annotated[str, typer.Option(help="Whose sessions, such as account:ann; empty for your own.")] = "",
    tag: Annotated[str | None, typer.Option(help="A tag of the session or of a label.")] = None,
    verdict: Annotated[Verdict | None, typer.Option(help="A label says so.")] = None,
    min_rating: Annotated[
        int | None, typer.Option(min=MIN_RATING, max=MAX_RATING, help="No rating is lower.")
    ] = None,
    max_rating: Annotated[
        int | None, typer.Option(min=MIN_RATING, max=MAX_RATING, help="No rating is higher.")
    ] = None,
    state: Annotated[QueueState | None, typer.Option(help="How far its labelling is.")] = None,
    project: Annotated[
        str | None, typer.Option(help="Only labels and queue of this labelling project.")
    ] = None,
    contract: Annotated[str | None, typer.Option(help="Name of the contract, or its hash.")] = None,
    model: Annotated[str | None, typer.Option(help="Which model wrote it.")] = None,
    since: Moment = None,
    until: Moment = None,
    take: Annotated[
        list[ExcludedKind] | None, typer.Option(help="Do not leave these out; repeatable.")
    ] = None,
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Leave out sessions with a defect, and say how many.")
    ] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Write texts as the model did, defects too.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="A row that would lose something is a defect.")
    ] = False,
    split: SplitOption = "",
    seed: SeedOption = 0,
    group: GroupOption = "",
    result_role: ResultRoleOption = ResultRole.TOOL,
    frame: FrameOption = "hermes-array",
    arguments: ArgumentsOption = Arguments.AUTO,
    licence: Annotated[
        str, typer.Option("--licence", "--license", help="Write a card too; as the hub names licences.")
    ] = "",
    title: Annotated[str, typer.Option(help="Title of the card.")] = "",
    push: Annotated[
        str, typer.Option(metavar="OWNER/NAME", help="Send it all to a data set on the hub.")
    ] = "",
    public: Annotated[bool, typer.Option("--public", help="Make a new repository public.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Write sessions as rows with their receipt; say which stay out, and why."""
    _check(out, frame, licence, push, as_json=as_json)
    taken = frozenset(take or ())
    choice = SessionFilter(
        session_ids=tuple(session) if session else None,
        tag=tag,
        verdict=verdict.value if verdict else None,
        min_rating=min_rating,
        max_rating=max_rating,
        state=state,
        project=project,
        contract=contract,
        model=model,
        since=since and since.replace(tzinfo=UTC),
        until=until and until.replace(tzinfo=UTC),
        includes_discarded=ExcludedKind.DISCARDED in taken or bool(session),
    )
    wanted = ExportOptions(
        choice=choice,
        format=format_,
        row_options=RowOptions(result_role=result_role.value, frame=frame),
        arguments=arguments.value,
        includes_stale=ExcludedKind.STALE in taken,
        includes_unfinished=ExcludedKind.UNFINISHED in taken,
        is_raw=raw,
        is_strict=strict,
    )
    dealt = split_of(split, seed, group)
    target = ExportTarget(out=out, split=dealt, skips_invalid=skip_invalid, licence=licence, title=title)
    _written(owner, session, wanted, target, push=push, is_public=public, as_json=as_json)


def _written(
    owner: str,
    session_ids: list[str] | None,
    wanted: ExportOptions,
    target: ExportTarget,
    *,
    push: str,
    is_public: bool,
    as_json: bool,
) -> None:
    """Writes what was chosen, and sends it."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        own = services.of(Owner(key=owner, role=UserRole.LOCAL)) if owner else services
        choice_of(own, session_ids)
        if wanted.format == GENERATIONS:
            _record(own, wanted.choice, target.out)
            return
        summary = _export(own, wanted, target)
        if push and summary.files:
            message = f"{summary.rows} rows"
            sent = own.datasets.push(
                push, summary.files, message=message, is_private=not is_public, token=None
            )
            print(sent, file=sys.stderr)
    if as_json:
        write_json_line(summary_json(summary))
    if not summary.rows:
        raise typer.Exit(REFUSED)


def _export(services: Services, wanted: ExportOptions, target: ExportTarget) -> ExportSummary:
    """Write it, telling of each session that stays out."""
    summary, report = ExportSummary(), ExportReport()
    try:
        done = services.datasets.export(services.corpus, wanted, target, summary)
        for one in with_progress(done, "sessions"):
            report.add(one)
    except ExportRefused as error:
        report.end()
        print(f"workbench: {error}", file=sys.stderr)
        raise typer.Exit(REFUSED) from None
    report.end()
    for line in summary_lines(summary):
        print(line, file=sys.stderr)
    return summary


def _record(services: Services, choice: SessionFilter, out: str) -> None:
    done = record(services, choice)
    if out == "-":
        sys.stdout.write(done.text)
    else:
        try:
            Path(out).write_text(done.text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise BadInput(f"--out {out}", str(error.strerror or error)) from error
    for line in done.left_out:
        print(f"left out: {line}", file=sys.stderr)
    print(f"{done.row_count} rows written", file=sys.stderr)


def _check(out: str, frame: str, licence: str, push: str, *, as_json: bool) -> None:
    check_writing(out, frame, as_json=as_json)
    if push and (out == "-" or not licence):
        raise BadInput("--push", "it needs files and a card", "give --out a file, and --licence")
