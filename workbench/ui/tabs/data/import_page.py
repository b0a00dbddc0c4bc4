"""Build the page Import, where rows become sessions, and connect its events."""

from dataclasses import dataclass

import gradio as gr

from workbench.app.services import Services
from workbench.trajectory.formats.known import FORMATS
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import TextField
from workbench.ui.components.heading import heading
from workbench.ui.gradio_parts.listen import listen
from workbench.ui.present.data import IMPORTING
from workbench.ui.tabs.data.events import DataEvents
from workbench.ui.tabs.data.form import Jobs
from workbench.ui.tabs.data.import_events import ImportEvents
from workbench.ui.tabs.data.parts import choice_field, row_file, text_field


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportParts:
    """The fields that import a file of rows, their button, and the result."""

    file: gr.File
    tag: TextField
    queue: gr.Checkbox
    read_as: gr.Dropdown
    button: gr.Button
    notice: Drawn
    job: Drawn
    findings: Drawn


def build() -> ImportParts:
    """Build the page."""
    with gr.Row(elem_classes=["data-columns"]):
        with gr.Column(elem_id="import-choose-column", elem_classes=["hw-column"], min_width=0):
            heading("Import rows", about="how-to/import-and-label-rows")
            file = row_file("Rows file", "import-file")
            with gr.Row(elem_classes=["data-pair"]):
                tag = text_field("Tag for imported sessions", "batch-1", "import-tag")
                read_as = choice_field("Read as", ("auto", *FORMATS), "import-format")
            queue = gr.Checkbox(
                label="Add them to the labelling queue", container=False, elem_id="import-queue"
            )
            button = gr.Button("Import rows", size="sm", variant="primary", elem_id="import-start")
        with gr.Column(elem_classes=["hw-column", "data-results"], min_width=0):
            notice = Drawn("notice", elem_id="import-notice")
            job = Drawn("job_bar", elem_id="import-job", elem_classes=["data-job"])
            findings = Drawn("row_findings", IMPORTING, elem_id="import-findings")
    return ImportParts(
        file=file,
        tag=tag,
        queue=queue,
        read_as=read_as,
        button=button,
        notice=notice,
        job=job,
        findings=findings,
    )


def wire(parts: ImportParts, services: Services, state: gr.State, jobs: Jobs, *, sessions: Drawn) -> None:
    """Connect the components with their handlers.

    Args:
        sessions: The session list of the Play tab, which shows imported sessions.
    """
    listen(
        parts.button.click,
        ImportEvents(services, jobs).on_import,
        [state, parts.file, parts.tag, parts.queue, parts.read_as],
        [parts.job, parts.notice, parts.findings, sessions, parts.file],
    )
    listen(parts.job.event("stop_job"), DataEvents(services, jobs).on_stop, is_queued=False)
