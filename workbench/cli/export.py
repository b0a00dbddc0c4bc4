"""`workbench export`: export sessions as training rows."""

import functools
import sys
from collections import Counter
from datetime import UTC
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.app.export import choice_of, lines_of, record
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.cli.rows.check_filter import IgnoreOption, codes_of
from workbench.cli.rows.row_engine import (
    Arguments,
    ArgumentsOption,
    FrameOption,
    GroupOption,
    ResultRole,
    ResultRoleOption,
    SeedOption,
    SplitOption,
    StripOption,
    check_writing,
    split_of,
)
from workbench.cli.session_filters import ModelFilter, SessionSourceFilter, SinceFilter, UntilFilter
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, with_progress, write_json_line
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.library.datasets.export_target import ExportRefused, ExportSummary, ExportTarget
from workbench.library.datasets.session_export import SessionDone
from workbench.records.corpus.material import SessionFilter
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.label import MAX_RATING, MIN_RATING, Verdict
from workbench.records.label_words import QueueState
from workbench.records.owner import Owner, UserRole
from workbench.settings import read_settings
from workbench.trajectory.formats.known import DEFAULT_FORMAT, WRITTEN
from workbench.trajectory.writing.row_draft import RowOptions

_MOST_LINES: Final = 20
"""Maximum number of lines printed for each kind."""


class ExportReport:
    """Reports on standard error which sessions are skipped and why, and what rows lose."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, done: SessionDone) -> None:
        """Report one session."""
        for line in lines_of(done):
            self._print("skipped", line)
        for row in done.rows:
            losses = sorted({change.name for change in row.changes if change.is_loss}) if row.row else []
            if losses:
                self._print("lost", f"session {done.session_id}: {', '.join(losses)}")

    def end(self) -> None:
        """Report how many lines were not printed."""
        for kind, count in self._counts.items():
            if count > _MOST_LINES:
                print(f"… {kind}: {count - _MOST_LINES:,} more", file=sys.stderr)

    def _print(self, kind: str, line: str) -> None:
        self._counts[kind] += 1
        if self._counts[kind] <= _MOST_LINES:
            print(f"{kind}: {shown(line)}", file=sys.stderr)


def summary_json(summary: ExportSummary) -> JsonObject:
    """Return the summary that `workbench export --json` prints."""
    return {
        "sessions": summary.sessions,
        "rows": summary.rows,
        "splits": dict(summary.splits),
        "left_out": dict(sorted(summary.left_out.items())),
        "defective": summary.defective,
        "fixed_messages": summary.fixed_messages,
        "fixes": dict(sorted(summary.fixes.items())),
        "corrected_messages": summary.corrected_messages,
        "person_messages": summary.person_messages,
        "losses": dict(sorted(summary.losses.items())),
        "issues": dict(sorted(summary.issues.items())),
        "files": list(summary.files),
        "notes": list(summary.notes),
    }


def summary_lines(summary: ExportSummary) -> list[str]:
    """Return the summary as lines for a person."""
    left_out = sum(summary.left_out.values())
    lines = [f"{count_of(summary.rows, 'row')} from {count_of(summary.sessions, 'session')} written"]
    for name, counts in (
        ("splits", summary.splits),
        (f"skipped ({left_out:,})", summary.left_out),
        (f"fixed ({count_of(summary.fixed_messages, 'message')})", summary.fixes),
        ("lost", summary.losses),
        ("issues", summary.issues),
    ):
        if counts:
            lines.append(
                f"{name}: " + ", ".join(f"{code} {count:,}" for code, count in sorted(counts.items()))
            )
    if summary.corrected_messages:
        lines.append(f"corrected: {count_of(summary.corrected_messages, 'message')}")
    if summary.person_messages:
        lines.append(f"written by a person: {count_of(summary.person_messages, 'message')}")
    return [*lines, *summary.notes]


REFUSED: Final = 1
"""Exit code if sessions have defects, or there are no rows to write."""
GENERATIONS: Final = "generations"
"""A recording of completions for the model `replay:FILE`. It is not a row format, but can be exported."""


class ExcludedKind(StrEnum):
    """Messages and sessions that are skipped unless requested with `--take`."""

    STALE = "stale"
    DISCARDED = "discarded"
    UNFINISHED = "unfinished"


def export(
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="File to write: .jsonl, .jsonl.gz, .parquet, or - for standard output; "
            "a folder with --split",
        ),
    ],
    format_: Annotated[
        str,
        typer.Option("--format", metavar="FORMAT", help=f"Row format: {', '.join(WRITTEN)}, {GENERATIONS}"),
    ] = DEFAULT_FORMAT,
    session: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Only this session, from `workbench sessions list`; repeatable"),
    ] = None,
    owner: Annotated[
        str, typer.Option(metavar="OWNER", help="Sessions of another owner, such as account:ann")
    ] = "",
    tag: Annotated[
        str | None, typer.Option(metavar="TAG", help="Only sessions with this tag, on the session or a label")
    ] = None,
    verdict: Annotated[
        Verdict | None, typer.Option(metavar="VERDICT", help=f"Only this verdict: {', '.join(Verdict)}")
    ] = None,
    min_rating: Annotated[
        int | None, typer.Option(min=MIN_RATING, max=MAX_RATING, help="Only sessions without a lower rating")
    ] = None,
    max_rating: Annotated[
        int | None, typer.Option(min=MIN_RATING, max=MAX_RATING, help="Only sessions without a higher rating")
    ] = None,
    state: Annotated[QueueState | None, typer.Option(help="Only sessions in this state of labelling")] = None,
    project: Annotated[
        str | None, typer.Option(metavar="PROJECT", help="Only labels and queue of this labelling project")
    ] = None,
    contract: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this contract: its name or hash")
    ] = None,
    model: ModelFilter = None,
    source: SessionSourceFilter = None,
    since: SinceFilter = None,
    until: UntilFilter = None,
    take: Annotated[list[ExcludedKind] | None, typer.Option(help="Also include these; repeatable")] = None,
    skip_invalid: Annotated[bool, typer.Option("--skip-invalid", help="Skip sessions with errors")] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Export completions as the model wrote them, with their errors")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Treat lossy conversion as an error")] = False,
    split: SplitOption = "",
    seed: SeedOption = 0,
    group: GroupOption = "",
    result_role: ResultRoleOption = ResultRole.TOOL,
    frame: FrameOption = "hermes-array",
    strip_tool_prompt: StripOption = False,
    ignore: IgnoreOption = None,
    arguments: ArgumentsOption = Arguments.AUTO,
    licence: Annotated[
        str,
        typer.Option(
            "--licence",
            "--license",
            metavar="LICENCE",
            help="Also write a dataset card with this licence, such as apache-2.0",
        ),
    ] = "",
    title: Annotated[str, typer.Option(help="Title of the dataset card")] = "",
    push: Annotated[
        str,
        typer.Option(metavar="OWNER/NAME", help="Upload the files to this dataset on the Hugging Face Hub"),
    ] = "",
    public: Annotated[bool, typer.Option("--public", help="Create a new repository as public")] = False,
    as_json: JsonOption = False,
) -> None:
    """Export sessions as training rows.

    Writes the rows and their receipt, and reports which sessions were skipped and why.
    """
    _check(out, frame, licence, push, as_json=as_json)
    included = frozenset(take or ())
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
        source=source,
        since=since and since.replace(tzinfo=UTC),
        until=until and until.replace(tzinfo=UTC),
        includes_discarded=ExcludedKind.DISCARDED in included or bool(session),
    )
    options = ExportOptions(
        choice=choice,
        format=format_,
        row_options=RowOptions(
            result_role=result_role.value, frame=frame, strips_tool_prompt=strip_tool_prompt
        ),
        ignored_codes=codes_of(ignore, "--ignore"),
        arguments=arguments.value,
        includes_stale=ExcludedKind.STALE in included,
        includes_unfinished=ExcludedKind.UNFINISHED in included,
        is_raw=raw,
        is_strict=strict,
    )
    row_split = split_of(split, seed, group)
    target = ExportTarget(out=out, split=row_split, skips_invalid=skip_invalid, licence=licence, title=title)
    _write_and_push(owner, session, options, target, push=push, is_public=public, as_json=as_json)


def _write_and_push(
    owner: str,
    session_ids: list[str] | None,
    options: ExportOptions,
    target: ExportTarget,
    *,
    push: str,
    is_public: bool,
    as_json: bool,
) -> None:
    """Write the selected sessions, and upload the files if `push` names a repository."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        owned = services.of(Owner(key=owner, role=UserRole.LOCAL)) if owner else services
        choice_of(owned, session_ids)
        if options.format == GENERATIONS:
            _record(owned, options.choice, target.out)
            return
        summary = _export(owned, options, target)
        if push and summary.files:
            message = count_of(summary.rows, "row")
            url = owned.datasets.push(
                push, summary.files, message=message, is_private=not is_public, token=None
            )
            print(url, file=sys.stderr)
    if as_json:
        write_json_line(summary_json(summary))
    if not summary.rows:
        raise typer.Exit(REFUSED)


def _export(services: Services, options: ExportOptions, target: ExportTarget) -> ExportSummary:
    """Write the rows, and report each session that is skipped."""
    summary, report = ExportSummary(), ExportReport()
    try:
        sessions = services.datasets.export(services.corpus, options, target, summary)
        total = functools.partial(services.corpus.count, options.choice)
        for session in with_progress(sessions, "sessions", total):
            report.add(session)
    except ExportRefused as error:
        report.end()
        print(f"workbench: {error}", file=sys.stderr)
        raise typer.Exit(REFUSED) from None
    report.end()
    for line in summary_lines(summary):
        print(line, file=sys.stderr)
    return summary


def _record(services: Services, choice: SessionFilter, out: str) -> None:
    recording = record(services, choice)
    if out == "-":
        sys.stdout.write(recording.text)
    else:
        try:
            Path(out).write_text(recording.text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise BadInput(f"--out {out}", str(error.strerror or error)) from error
    for line in recording.left_out:
        print(f"skipped: {line}", file=sys.stderr)
    print(f"{count_of(recording.row_count, 'row')} written", file=sys.stderr)


def _check(out: str, frame: str, licence: str, push: str, *, as_json: bool) -> None:
    check_writing(out, frame, as_json=as_json)
    if push and (out == "-" or not licence):
        raise BadInput("--push", "requires files and a dataset card", "give --out a file, and --licence")
