"""`workbench labels queue`, `assign`, `unassign`, `progress` and `review`."""

import sys
from typing import Annotated

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.session_filters import ModelFilter, SinceFilter, UntilFilter
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, write_json_line
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.label.commands.options import (
    AsAccount,
    ContractFilter,
    FindingFilter,
    FixFilter,
    FormatFilter,
    Limit,
    Offset,
    Order,
    OwnerKey,
    ProjectName,
    RowFilter,
    Seed,
    SourceFilter,
    StateFilter,
    TagFilter,
    ToolFilter,
    VerdictFilter,
    Who,
    filter_of,
    labels_of,
    reference_of,
    sort_of,
)
from workbench.label.commands.projects import Name
from workbench.label.records.project import ProjectProgress, QueueFilter, QueueItem
from workbench.label.records.review import Dispute
from workbench.records.label import Label, content_json, content_text
from workbench.records.label_words import QueueState


def queue(
    project: ProjectName = "",
    state: StateFilter = None,
    assignee: Annotated[
        str | None,
        typer.Option("--assignee", "--annotator", metavar="NAME", help="Only sessions of this annotator"),
    ] = None,
    tag: TagFilter = None,
    verdict: VerdictFilter = None,
    contract: ContractFilter = None,
    model: ModelFilter = None,
    fixes: FixFilter = None,
    since: SinceFilter = None,
    until: UntilFilter = None,
    row_format: FormatFilter = None,
    source: SourceFilter = None,
    tool: ToolFilter = None,
    finding: FindingFilter = None,
    row: RowFilter = None,
    disputed: Annotated[
        bool | None,
        typer.Option("--disputed/--not-disputed", help="Only sessions with, or without, open disagreements"),
    ] = None,
    order: Order = None,
    seed: Seed = 0,
    limit: Limit = 50,
    offset: Offset = 0,
    owner: OwnerKey = "",
    account: AsAccount = "",
    json_output: JsonOption = False,
) -> None:
    """List the labelling queue."""
    chosen = filter_of(
        state=state,
        assignee=assignee,
        tag=tag,
        verdict=verdict,
        contract_version=contract,
        model=model,
        has_fix=fixes,
        since=since,
        until=until,
        format=row_format,
        source=source,
        tool=tool,
        finding=finding,
        row=row,
        is_disputed=disputed,
    )
    reference = reference_of(project, owner, account)
    with labels_of(owner, account) as services:
        page = services.label_queues.queue(
            chosen, project=reference, sort=sort_of(order, seed), limit=limit, offset=offset
        )
    if json_output:
        write_json_line({"total": page.total, "items": [item_json(item) for item in page.items]})
        return
    for item in page.items:
        print(item_line(item))
    print(f"{len(page.items)} of {page.total}", file=sys.stderr)


def assign(
    project: Name,
    session: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Session to assign, from `workbench sessions list`; repeatable"),
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Available annotator; repeatable; if omitted, the project's annotators"
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Assign all sessions")] = False,
    tag: TagFilter = None,
    contract: ContractFilter = None,
    model: ModelFilter = None,
    fixes: FixFilter = None,
    since: SinceFilter = None,
    until: UntilFilter = None,
    row_format: FormatFilter = None,
    source: SourceFilter = None,
    tool: ToolFilter = None,
    finding: FindingFilter = None,
    row: RowFilter = None,
    order: Order = None,
    seed: Seed = 0,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of sessions that are new in the project")
    ] = None,
    who: Who = "",
    owner: OwnerKey = "",
    account: AsAccount = "",
    json_output: JsonOption = False,
) -> None:
    """Assign sessions to annotators.

    Name sessions, or choose them with a filter, such as `--tag batch-1 --limit 100`. Each session goes to as many
    annotators as the overlap of the project says.
    """
    chosen = filter_of(
        tag=tag,
        contract_version=contract,
        model=model,
        has_fix=fixes,
        since=since,
        until=until,
        format=row_format,
        source=source,
        tool=tool,
        finding=finding,
        row=row,
    )
    is_filtered = chosen != QueueFilter() or everything
    if bool(session) == is_filtered:
        problem = "sessions and a filter are given" if is_filtered else "no sessions are chosen"
        raise BadInput("labels assign", problem, "use either --session, or a filter such as --tag, or --all")
    reference = reference_of(project, owner, account)
    with labels_of(owner, account) as services:
        if session:
            assigned = services.label_assignments.assign(session, to or (), project=reference, who=who)
        else:
            assigned = services.label_assignments.assign_matching(
                chosen, to or (), project=reference, sort=sort_of(order, seed), limit=limit, who=who
            )
    if json_output:
        write_json_line(
            {"given": [{"session": item.session_id, "labeller": item.annotator} for item in assigned]}
        )
        return
    for item in assigned if session else ():
        print(shown(f"{item.session_id}  {item.annotator}"))
    count = len({item.session_id for item in assigned})
    print(f"{count_of(count, 'session')} assigned", file=sys.stderr)


def unassign(
    project: Name,
    session: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Only assignments of this session, from `workbench sessions list`; repeatable"
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove all assignments")] = False,
    annotator: Annotated[
        str | None,
        typer.Option("--annotator", "--assignee", metavar="NAME", help="Only assignments of this annotator"),
    ] = None,
    state: StateFilter = None,
    tag: TagFilter = None,
    row_format: FormatFilter = None,
    source: SourceFilter = None,
    row: RowFilter = None,
    started: Annotated[
        bool, typer.Option("--started", help="Also remove what is started, submitted or rejected")
    ] = False,
    who: Who = "",
    owner: OwnerKey = "",
    account: AsAccount = "",
    json_output: JsonOption = False,
) -> None:
    """Remove assignments of sessions to annotators.

    Name sessions or use filters; all of them must match. What an annotator has started stays assigned unless you add
    `--started`. Labels are never removed.
    """
    chosen = filter_of(
        state=state,
        assignee=annotator,
        tag=tag,
        format=row_format,
        source=source,
        row=row,
    )
    if not session and chosen == QueueFilter() and not everything:
        raise BadInput(
            "labels unassign",
            "no assignments are chosen",
            "use --session, a filter such as --annotator, or --all",
        )
    reference = reference_of(project, owner, account)
    with labels_of(owner, account) as services:
        removed = services.label_assignments.unassign(
            chosen, project=reference, session_ids=session, includes_started=started, who=who
        )
    if json_output:
        write_json_line(
            {"removed": [{"session": item.session_id, "labeller": item.annotator} for item in removed]}
        )
        return
    for item in removed if session else ():
        print(shown(f"{item.session_id}  {item.annotator}"))
    print(f"{count_of(len(removed), 'assignment')} removed", file=sys.stderr)


def progress(
    project: ProjectName = "", owner: OwnerKey = "", account: AsAccount = "", json_output: JsonOption = False
) -> None:
    """Show how far each annotator of a project is."""
    reference = reference_of(project, owner, account)
    with labels_of(owner, account) as services:
        found = services.label_queues.progress(project=reference)
    if json_output:
        write_json_line(_progress_json(found))
        return
    for annotator in found.annotators:
        rejected = annotator.counts.get(QueueState.DISCARDED, 0)
        note = f", {rejected} rejected" if rejected else ""
        print(shown(f"{annotator.name or '(nobody)'}: {annotator.done} of {annotator.total} done{note}"))
    if found.compared:
        sessions = count_of(found.compared, "session")
        print(
            f"{sessions} submitted by two or more: {found.disagreed} with disagreements, {found.disputed} open"
        )


def review(
    project: Name,
    everything: Annotated[
        bool, typer.Option("--all", help="Also show disagreements that are decided")
    ] = False,
    limit: Limit = 50,
    owner: OwnerKey = "",
    account: AsAccount = "",
    json_output: JsonOption = False,
) -> None:
    """List what annotators disagree about.

    Decide with `workbench labels add SESSION MESSAGE --decide`. The decision is exported; the other labels stay.
    """
    reference = reference_of(project, owner, account)
    with labels_of(owner, account) as services:
        page = services.label_queues.queue(
            QueueFilter(is_disputed=None if everything else True),
            project=reference,
            is_review=True,
            limit=limit,
        )
        disputes = [
            dispute
            for item in page.items
            for dispute in services.label_queues.compare(item.session_id, project=reference).disputes
            if everything or dispute.decision is None
        ]
    if json_output:
        write_json_line({"total": page.total, "disputes": [_dispute_json(dispute) for dispute in disputes]})
        return
    for dispute in disputes:
        call = "" if dispute.target.call_index is None else f" --call {dispute.target.call_index}"
        print(
            shown(
                f"{dispute.target.session_id} {dispute.target.message_id}{call}: {', '.join(dispute.about)}"
            )
        )
        for label in dispute.labels:
            print(shown(f"  {label.annotator}: {content_text(label.content)}"))
        if dispute.decision is not None:
            print(
                shown(f"  decided by {dispute.decision.annotator}: {content_text(dispute.decision.content)}")
            )
    print(count_of(len(disputes), "disagreement"), file=sys.stderr)


def item_json(item: QueueItem) -> JsonObject:
    """Return an item of the queue as JSON."""
    return {
        "session": item.session_id,
        "title": item.title,
        "state": item.state.value,
        "assignee": item.assignee,
        "revision": item.revision,
        "labels": item.label_count,
        "updated_at": item.updated_at.isoformat(),
        "row": None
        if item.row_number is None
        else {
            "id": item.row_id or None,
            "number": item.row_number,
            "file": item.file,
            "format": item.format,
        },
    }


def item_line(item: QueueItem) -> str:
    """Return an item of the queue as one line for a person."""
    labels = count_of(item.label_count, "label")
    row = "" if item.row_number is None else f"#{item.row_number} {item.row_id}".strip()
    parts = (item.session_id, f"{item.state:<9}", item.assignee, labels, row, item.title)
    return shown("  ".join(part for part in parts if part))


def _progress_json(found: ProjectProgress) -> JsonObject:
    return {
        "annotators": [
            {
                "name": annotator.name,
                **{state.value: annotator.counts.get(state, 0) for state in QueueState},
            }
            for annotator in found.annotators
        ],
        "compared": found.compared,
        "disagreed": found.disagreed,
        "disputed": found.disputed,
    }


def _dispute_json(dispute: Dispute) -> JsonObject:
    return {
        "session": dispute.target.session_id,
        "message": dispute.target.message_id,
        "call": dispute.target.call_index,
        "about": list(dispute.about),
        "labels": [_label_of_dispute(label) for label in dispute.labels],
        "decision": _label_of_dispute(dispute.decision) if dispute.decision else None,
    }


def _label_of_dispute(label: Label) -> JsonObject:
    return {"labeller": label.annotator, **content_json(label.content), "revision": label.revision}
