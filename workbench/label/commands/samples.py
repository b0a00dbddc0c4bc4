"""`workbench labels sample`, `lot`, `gold` and `judge`: sample rows for review, and judge lots and annotators."""

import sys
from functools import partial
from typing import Annotated

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, with_progress, write_json_line
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.label.commands.options import (
    FindingFilter,
    FormatFilter,
    OwnerKey,
    Seed,
    SourceFilter,
    TagFilter,
    ToolFilter,
    Who,
    filter_of,
    labels_of,
)
from workbench.label.commands.projects import Name
from workbench.label.records.quality import GoldAccuracy, LotState
from workbench.label.records.sampling import SamplingPlan, smallest_plan
from workbench.records.label import annotator_name


def sample(
    project: Name,
    per_tool: Annotated[int, typer.Option(min=0, help="Number of rows for each tool that they call")] = 0,
    per_finding: Annotated[int, typer.Option(min=0, help="Number of rows for each finding or fix")] = 0,
    tag: TagFilter = None,
    row_format: FormatFilter = None,
    source: SourceFilter = None,
    seed: Seed = 0,
    who: Who = "",
    owner: OwnerKey = "",
    json_output: JsonOption = False,
) -> None:
    """Assign random rows for each tool or finding.

    A row with two of them counts for both.
    """
    if not per_tool and not per_finding:
        raise BadInput("labels sample", "nothing is chosen", "use --per-tool 5, --per-finding 5, or both")
    chosen = filter_of(tag=tag, format=row_format, source=source)
    with labels_of(owner, "") as services:
        assign = partial(services.label_samples.assign_strata, chosen, project=project, seed=seed, who=who)
        assigned = (*assign(by="tool", count=per_tool), *assign(by="finding", count=per_finding))
    if json_output:
        write_json_line(
            {"given": [{"session": item.session_id, "labeller": item.annotator} for item in assigned]}
        )
        return
    print(f"{count_of(len({item.session_id for item in assigned}), 'session')} assigned", file=sys.stderr)


def lot(
    project: Name,
    name: Annotated[
        str, typer.Argument(metavar="LOT", help="Name of a new lot; if omitted, list the lots")
    ] = "",
    good: Annotated[float, typer.Option(help="Share of bad rows of a lot that should be accepted")] = 0.01,
    bad: Annotated[float, typer.Option(help="Share of bad rows of a lot that should be rejected")] = 0.05,
    size: Annotated[
        int | None,
        typer.Option(
            "--sample", min=1, help="Number of rows to label", show_default="as many as the risks need"
        ),
    ] = None,
    accept: Annotated[
        int | None, typer.Option(min=0, help="With --sample, maximum number of bad rows to accept")
    ] = None,
    producer_risk: Annotated[float, typer.Option(help="Maximum risk that a good lot is rejected")] = 0.05,
    consumer_risk: Annotated[float, typer.Option(help="Maximum risk that a bad lot is accepted")] = 0.1,
    tag: TagFilter = None,
    row_format: FormatFilter = None,
    source: SourceFilter = None,
    tool: ToolFilter = None,
    finding: FindingFilter = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the plan and its risks")] = False,
    decide: Annotated[bool, typer.Option("--decide", help="Record the verdict on the lot")] = False,
    seed: Seed = 0,
    who: Who = "",
    owner: OwnerKey = "",
    json_output: JsonOption = False,
) -> None:
    """Accept or reject a lot of rows by a sample.

    The lot is all rows that match the filter. It is accepted if few enough rows of the sample are bad. Both risks
    are shown. Without LOT, lists the lots of the project and how far they are.
    """
    fields = {"tag": tag, "format": row_format, "source": source, "tool": tool, "finding": finding}
    with labels_of(owner, "") as services:
        if not name or decide:
            states = (
                [services.label_samples.decide_lot(name, project=project, who=who)]
                if name
                else services.label_samples.lots(project=project)
            )
        else:
            chosen = filter_of(tag=tag, format=row_format, source=source, tool=tool, finding=finding)
            rows = services.label_samples.count_rows(chosen)
            plan = _plan(rows, size, accept, good=good, bad=bad, risks=(producer_risk, consumer_risk))
            if dry_run:
                print(plan.describe())
                return
            text = ", ".join(f"{key} {value}" for key, value in fields.items() if value)
            added = services.label_samples.add_lot(
                name, chosen, plan, project=project, seed=seed, shown=text, who=who
            )
            states = [LotState(added, 0, 0)]
    if json_output:
        write_json_line({"lots": [lot_json(state) for state in states]})
        return
    for state in states:
        print(shown(f"{state.lot.name}: {state.lot.plan.describe()}"))
        print(shown(f"  {state.describe()}"))


def _plan(
    rows: int, sample: int | None, accept: int | None, *, good: float, bad: float, risks: tuple[float, float]
) -> SamplingPlan:
    if not rows:
        raise BadInput("labels lot", "no rows match the filter", "use another filter, such as --tag")
    if (sample is None) != (accept is None):
        raise BadInput("labels lot", "--sample and --accept belong together", "give both, or none")
    if sample is None or accept is None:
        return smallest_plan(rows, good=good, bad=bad, producer=risks[0], consumer=risks[1])
    plan = SamplingPlan(size=rows, sample=sample, accept=accept, good=good, bad=bad)
    plan.check()
    return plan


def lot_json(state: LotState) -> JsonObject:
    """Return a lot as JSON."""
    lot, plan = state.lot, state.lot.plan
    return {
        "name": lot.name,
        "filter": lot.chosen,
        "size": plan.size,
        "sample": plan.sample,
        "accept": plan.accept,
        "good": plan.good,
        "bad": plan.bad,
        "producer_risk": plan.producer_risk,
        "consumer_risk": plan.consumer_risk,
        "seed": lot.seed,
        "judged": state.judged,
        "bad_rows": state.bad,
        "verdict": state.verdict.value,
        "recorded_at": lot.decided_at.isoformat() if lot.decided_at else None,
        "recorded_by": lot.decided_by,
    }


def gold(
    project: Name,
    session: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Session to make a gold row, from `workbench sessions list`; repeatable"
        ),
    ] = None,
    tag: TagFilter = None,
    remove: Annotated[bool, typer.Option("--remove", help="Make them ordinary rows")] = False,
    who: Who = "",
    owner: OwnerKey = "",
    json_output: JsonOption = False,
) -> None:
    """Measure annotators by rows whose labels are known.

    Makes the sessions gold rows and assigns them to all annotators, who cannot tell them from other rows. Without a
    session or a tag, shows how often each annotator is right.
    """
    with labels_of(owner, "") as services:
        chosen = tuple(session or ()) or (
            services.label_samples.session_ids(filter_of(tag=tag)) if tag else ()
        )
        if chosen:
            rows = services.label_samples.set_gold(chosen, project=project, is_gold=not remove, who=who)
            print(count_of(len(rows), "gold row"), file=sys.stderr)
        found = services.label_samples.accuracies(project=project)
    if json_output:
        write_json_line({"annotators": [_accuracy_json(accuracy) for accuracy in found]})
        return
    for accuracy in found:
        print(shown(accuracy.describe()))


def _accuracy_json(accuracy: GoldAccuracy) -> JsonObject:
    return {
        "name": accuracy.name,
        "kind": "model" if accuracy.is_model else "person",
        "right": accuracy.right,
        "total": accuracy.total,
        "low": accuracy.interval.low,
        "high": accuracy.interval.high,
    }


def judge(
    project: Name,
    model: Annotated[str, typer.Option(metavar="MODEL", help="Model that labels")],
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Name as an annotator", show_default="the model's name")
    ] = "",
    owner: OwnerKey = "",
    json_output: JsonOption = False,
) -> None:
    """Let a model label the rows as one more annotator.

    It labels what is assigned to people. Its labels never count as those of a person. `agreement` and `gold` show them
    beside those of people.
    """
    from workbench.label.app.judge import judge_rows

    labelled = unclear = rows = 0
    with labels_of(owner, "") as services:
        engine = services.engine(model)
        annotator = name or engine.name
        judged = judge_rows(services, engine, project=project, name=annotator, is_cancelled=lambda: False)
        for row in with_progress(judged, "rows"):
            rows, labelled, unclear = rows + 1, labelled + row.labelled, unclear + row.unclear
    if json_output:
        write_json_line({"annotator": annotator, "rows": rows, "labelled": labelled, "unclear": unclear})
        return
    who = annotator_name(annotator, is_model=True)
    print(
        shown(
            f"{who}: {count_of(labelled, 'label')} in {count_of(rows, 'row')}, {unclear} without a valid answer"
        )
    )
