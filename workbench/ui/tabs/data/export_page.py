"""Build the page Export, where sessions become training rows, and connect its events."""

import json
from dataclasses import dataclass
from typing import Any

import gradio as gr

from workbench.app.services import Services
from workbench.trajectory.formats.known import DEFAULT_FORMAT, WRITTEN
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import NumberField, TextField, number_field
from workbench.ui.components.heading import heading
from workbench.ui.gradio_parts.listen import any_of, listen
from workbench.ui.present.data import TEACHING
from workbench.ui.present.words import SEED
from workbench.ui.tabs.data.events import DataEvents
from workbench.ui.tabs.data.form import ENDINGS, FILTERS, FIRST, OPTIONS, DataForm, Jobs
from workbench.ui.tabs.data.parts import FilterParts, build_filters, choice_field, text_field, build_check_boxes


@dataclass(frozen=True, slots=True, kw_only=True)
class RowParts:
    """The last fields of a `DataForm`, which say how rows are written, with the same names."""

    format: gr.Dropdown
    ending: gr.Dropdown
    split: TextField
    seed: NumberField
    options: gr.CheckboxGroup
    licence: TextField
    title: TextField


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportParts:
    """All components of the page."""

    filters: FilterParts
    rows_form: RowParts
    check: gr.Button
    make: gr.Button
    repo: TextField
    is_public: gr.Checkbox
    token: TextField
    push: gr.Button
    job: Drawn
    notice: Drawn
    push_notice: Drawn
    findings: Drawn
    rows: Drawn
    files: gr.File

    def field(self, name: str) -> Any:
        """Return the component of a field of `DataForm`."""
        return getattr(self.filters if hasattr(self.filters, name) else self.rows_form, name)


def build(*, takes_token: bool, can_push: bool) -> ExportParts:
    """Build the page.

    Args:
        takes_token: Whether users enter their own access token to push, as on a server with accounts.
        can_push: Whether rows can be pushed. Visitors of a Space without a sign-in cannot.
    """
    with gr.Row(elem_classes=["data-columns"]):
        with gr.Column(elem_id="data-choose-column", elem_classes=["hw-column"], min_width=0):
            filters = build_filters("Sessions to export", "data")
            rows_form = _build_rows_form()
            with gr.Row(elem_id="data-buttons"):
                check = gr.Button("Check rows", size="sm", elem_id="data-check")
                make = gr.Button("Create files", size="sm", variant="primary", elem_id="data-make")
            notice = Drawn("notice", elem_id="data-notice")
            with gr.Column(visible=can_push, min_width=0, scale=0):
                heading("Push to the Hub", about="how-to/export-training-rows#push-to-the-hub")
                repo = text_field("Repository", "OWNER/NAME", "data-repo")
                is_public = gr.Checkbox(label="Create as public", container=False, elem_id="data-public")
                token = TextField(
                    label="Hugging Face access token", type="password", max_lines=1, visible=takes_token,
                    info="Needs write access to the repository. It is used for this push only and is not stored.",
                    elem_id="data-token",
                )  # fmt: skip
                push = gr.Button("Push to Hub", size="sm", elem_id="data-push")
                push_notice = Drawn("notice", elem_id="data-push-notice")
        with gr.Column(elem_classes=["hw-column", "data-results"], min_width=0):
            job = Drawn("job_bar", elem_id="data-job", elem_classes=["data-job"])
            files = gr.File(
                label="Files", file_count="multiple", interactive=False, visible=False, elem_id="data-files"
            )
            findings = Drawn("row_findings", elem_id="data-findings")
            rows = Drawn("row_preview", TEACHING, elem_id="data-rows")
    return ExportParts(
        filters=filters, rows_form=rows_form, check=check, make=make, repo=repo, is_public=is_public, token=token,
        push=push, job=job, notice=notice, push_notice=push_notice, findings=findings, rows=rows, files=files,
    )  # fmt: skip


def wire(parts: ExportParts, services: Services, state: gr.State, jobs: Jobs) -> None:
    """Connect the components with their handlers."""
    events = DataEvents(services, jobs)
    notices = [parts.notice, parts.push_notice]
    screen, pushed = (
        [parts.job, notice, parts.findings, parts.rows, parts.files] for notice in notices
    )
    values = [parts.field(name) for name in DataForm._fields]
    _wire_address(parts, events)
    clicked = any_of(parts.check.click, parts.make.click, parts.push.click)
    listen(clicked, None, [], notices, js="() => [null, null]", is_queued=False)
    listen(parts.check.click, events.on_check, [state, *values], screen)
    listen(parts.make.click, events.on_make, [state, *values], screen)
    listen(
        parts.push.click, events.on_push, [state, parts.repo, parts.is_public, parts.token, *values], pushed
    )
    listen(parts.job.event("stop_job"), events.on_stop, is_queued=False)


def _wire_address(parts: ExportParts, events: DataEvents) -> None:
    """Keep the address at the filters of the form, and fill the form with those of an address."""
    named = [parts.field(name) for name in FILTERS.values()]
    listen(
        any_of(*(part.change for part in named)),
        None,
        named,
        js=f"(...values) => hermesWorkbench.router.hereFields('data', {json.dumps(FIRST)}, values)",
        is_queued=False,
    )
    listen(
        parts.rows.event("open_filter"),
        events.on_open_filter,
        [],
        [*named, parts.notice],
        is_latest_only=True,
    )


def _build_rows_form() -> RowParts:
    heading("Row format", about="reference/formats")
    with gr.Row(elem_classes=["data-pair"]):
        form = choice_field("Format", WRITTEN, "data-format", value=DEFAULT_FORMAT)
        ending = choice_field("File type", ENDINGS, "data-ending")
    with gr.Row(elem_classes=["data-pair"]):
        split = text_field("Split", "train=0.9,test=0.1", "data-split")
        seed = number_field(SEED, "data-seed", 0, label="Split seed")
    options = build_check_boxes("Options", OPTIONS, "data-manners")
    with gr.Row(elem_classes=["data-pair"]):
        licence = text_field("Licence (dataset card)", "apache-2.0", "data-licence")
        title = text_field("Title (dataset card)", "Weather calls", "data-title")
    return RowParts(
        format=form, ending=ending, split=split, seed=seed, options=options, licence=licence, title=title
    )
