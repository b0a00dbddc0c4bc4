"""Build the page Explore, where data sets are opened as pictures, and connect its events."""

from dataclasses import dataclass

import gradio as gr

from workbench.app.services import Services
from workbench.trajectory.formats.known import FORMATS
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import NumberField, TextField, number_field
from workbench.ui.components.heading import heading
from workbench.ui.components.layout import fold
from workbench.ui.gradio_parts.listen import any_of, listen
from workbench.ui.gradio_parts.names import Block
from workbench.ui.present.data import EXPLORING
from workbench.ui.tabs.data.events import DataEvents
from workbench.ui.tabs.data.form import Jobs
from workbench.ui.tabs.data.look_events import MAX_LENGTH, USUAL_LENGTH, LookEvents, LookForm
from workbench.ui.tabs.data.parts import FilterParts, build_filters, choice_field, row_file


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploreParts:
    """The components of a `LookForm`, with the same names, and those around it."""

    file: gr.File
    path: TextField
    other_file: gr.File
    other_path: TextField
    read_as: gr.Dropdown
    max_length: NumberField
    tokenizer: TextField
    open_file: gr.Button
    filters: FilterParts
    open_sessions: gr.Button
    compare: gr.Button
    notice: Drawn
    job: Drawn
    diff: Drawn
    picture: Drawn
    found: Drawn
    stored: Drawn
    """Charts of what is stored, until a data set is opened."""

    def values(self) -> list[Block]:
        """Return the components in the order of `LookForm`."""
        return [getattr(self, name) for name in LookForm._fields]


def build(*, takes_paths: bool) -> ExploreParts:
    """Build the page.

    Args:
        takes_paths: Whether the user may open files of this machine by their paths.
    """
    with gr.Row(elem_classes=["data-columns"]):
        with gr.Column(elem_id="explore-choose-column", elem_classes=["hw-column"], min_width=0):
            heading("Look at rows", about="how-to/look-at-a-data-set")
            file, path = _build_file("Rows file to look at", "explore", takes_paths=takes_paths)
            with gr.Row(elem_classes=["data-pair"]):
                read_as = choice_field("Read as", ("auto", *FORMATS), "explore-format")
                max_length = number_field(MAX_LENGTH, "explore-length", USUAL_LENGTH)
            tokenizer = TextField(
                label="Tokenizer", placeholder="estimate: 4 characters a token", lines=1, max_lines=1, min_width=0,
                info="A model with a tokenizer, such as embedded or FILE.gguf.",
                visible=takes_paths, elem_id="explore-tokenizer",
            )  # fmt: skip
            open_file = gr.Button("Open file", size="sm", variant="primary", elem_id="explore-open")
            with fold("Compare with another file", "explore-compare"):
                other_file, other_path = _build_file(
                    "File to compare with", "explore-other", takes_paths=takes_paths
                )
                compare = gr.Button("Compare files", size="sm", elem_id="explore-compare-files")
            filters = build_filters("Sessions to look at", "explore")
            open_sessions = gr.Button("Open sessions", size="sm", elem_id="explore-sessions")
        with gr.Column(elem_classes=["hw-column", "data-results"], min_width=0):
            notice = Drawn("notice", elem_id="explore-notice")
            job = Drawn("job_bar", elem_id="explore-job", elem_classes=["data-job"])
            diff = Drawn("set_diff", elem_id="explore-diff")
            picture = Drawn("row_picture", elem_id="explore-picture")
            found = Drawn("row_finder", elem_id="explore-found")
            stored = Drawn("row_preview", EXPLORING, elem_id="explore-stored")
    return ExploreParts(
        file=file, path=path, other_file=other_file, other_path=other_path, read_as=read_as, max_length=max_length,
        tokenizer=tokenizer, open_file=open_file, filters=filters, open_sessions=open_sessions, compare=compare,
        notice=notice, job=job, diff=diff, picture=picture, found=found, stored=stored,
    )  # fmt: skip


def wire(parts: ExploreParts, services: Services, state: gr.State, jobs: Jobs, *, tab: gr.Tab) -> None:
    """Connect the components with their handlers. Opening the tab shows what is stored."""
    events = LookEvents(services, jobs)
    screen = [parts.job, parts.notice, parts.diff, parts.picture, parts.found, parts.stored]
    values = parts.values()
    listen(tab.select, events.on_open, [state], [parts.stored])
    looked = [
        listen(parts.open_file.click, events.on_look_file, [state, *values], screen),
        listen(
            parts.open_sessions.click,
            events.on_look_sessions,
            [state, *values, *parts.filters.values()],
            screen,
        ),
    ]
    listen(parts.compare.click, events.on_compare, [state, *values], screen)
    drawn_again = events.on_max_length, [state, parts.max_length], [parts.picture]
    listen(parts.max_length.change, *drawn_again, is_latest_only=True)
    for look in looked:
        listen(look.then, *drawn_again)
    finds = any_of(parts.picture.event("find_rows"), parts.found.event("find_rows"))
    listen(finds, events.on_find, [state], screen, is_latest_only=True)
    listen(parts.job.event("stop_job"), DataEvents(services, jobs).on_stop, is_queued=False)


def _build_file(label: str, elem_id: str, *, takes_paths: bool) -> tuple[gr.File, TextField]:
    path = TextField(
        label="Or a path on this machine", placeholder="~/rows.jsonl", lines=1, max_lines=1, min_width=0,
        visible=takes_paths, elem_id=f"{elem_id}-path", render=False,
    )  # fmt: skip
    file = row_file(label, f"{elem_id}-file")
    path.render()
    return file, path
