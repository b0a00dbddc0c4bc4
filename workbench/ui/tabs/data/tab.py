"""Build the Data tab and connect its events."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import gradio as gr

from workbench.ui.gradio_parts.names import Block
from workbench.ui.components.heading import heading
from workbench.ui.components.layout import fold
from workbench.ui.components.fields import TextField
from workbench.app.services import Services
from workbench.trajectory.formats.known import DEFAULT_FORMAT, FORMATS, WRITTEN
from workbench.ui.components.drawn import Drawn
from workbench.ui.gradio_parts.listen import any_of, listen
from workbench.ui.present.data import TEACHING
from workbench.ui.components.fields import NumberField, number_field
from workbench.ui.present.words import SEED
from workbench.ui.tabs.data.events import DataEvents
from workbench.ui.tabs.data.form import CHOICES, ENDINGS, FILTERS, FIRST, INCLUDABLE, OPTIONS, DataForm
from workbench.ui.tabs.data.import_events import ImportEvents
from workbench.ui.tabs.data.form import Jobs
from workbench.ui.tabs.data.look_events import MAX_LENGTH, USUAL_LENGTH, LookEvents, LookForm


ROW_FILE_TYPES: Final = [".jsonl", ".json", ".gz", ".zst", ".parquet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormParts:
    """The components of a `DataForm`, with the same names."""

    tag: TextField
    verdict: gr.Dropdown
    min_rating: gr.Dropdown
    state: gr.Dropdown
    contract: TextField
    model: TextField
    source: gr.Dropdown
    since: TextField
    until: TextField
    included: gr.CheckboxGroup
    format: gr.Dropdown
    ending: gr.Dropdown
    split: TextField
    seed: NumberField
    options: gr.CheckboxGroup
    licence: TextField
    title: TextField

    def values(self) -> list[Block]:
        """Return the components in the order of `DataForm`."""
        assert tuple(part.name for part in fields(self)) == DataForm._fields
        return [getattr(self, name) for name in DataForm._fields]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportParts:
    """The fields that import a file of rows, and their button."""

    file: gr.File
    tag: TextField
    queue: gr.Checkbox
    read_as: gr.Dropdown
    button: gr.Button


@dataclass(frozen=True, slots=True, kw_only=True)
class LookParts:
    """The components of a `LookForm`, with the same names, and the buttons."""

    file: gr.File
    path: TextField
    other_file: gr.File
    other_path: TextField
    read_as: gr.Dropdown
    max_length: NumberField
    tokenizer: TextField
    open_file: gr.Button
    open_sessions: gr.Button
    compare: gr.Button
    diff: Drawn
    picture: Drawn
    found: Drawn

    def values(self) -> list[Block]:
        """Return the components in the order of `LookForm`."""
        return [getattr(self, name) for name in LookForm._fields]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataParts:
    """All components of the tab."""

    look: LookParts
    form: FormParts
    check: gr.Button
    make: gr.Button
    repo: TextField
    is_public: gr.Checkbox
    token: TextField
    push: gr.Button
    imports: ImportParts
    job: Drawn
    notice: Drawn
    findings: Drawn
    rows: Drawn
    files: gr.File


def build(*, takes_token: bool, takes_paths: bool) -> DataParts:
    """Build the tab. Nothing is read until the user presses a button.

    Args:
        takes_token: Whether users enter their own access token to push, as on a server with accounts.
        takes_paths: Whether the user may open files of this machine by their paths.
    """
    diff = Drawn("set_diff", elem_id="data-diff", render=False)
    picture = Drawn("row_picture", elem_id="data-picture", render=False)
    found = Drawn("row_finder", elem_id="data-found", render=False)
    with gr.Row(elem_id="data-columns"):
        with gr.Column(elem_id="data-choose-column", elem_classes=["hw-column"], min_width=0):
            look = _build_look(diff, picture, found, takes_paths=takes_paths)
            form = _build_form()
            with gr.Row(elem_id="data-buttons"):
                check = gr.Button("Check rows", size="sm", elem_id="data-check")
                make = gr.Button("Create files", size="sm", variant="primary", elem_id="data-make")
            heading("Push to the Hub")
            repo = _text("Repository", "OWNER/NAME", "data-repo")
            is_public = gr.Checkbox(label="Create as public", container=False, elem_id="data-public")
            token = TextField(
                label="Hugging Face access token", type="password", max_lines=1, visible=takes_token,
                info="Needs write access to the repository. It is used for this push only and is not stored.",
                elem_id="data-token",
            )  # fmt: skip
            push = gr.Button("Push to Hub", size="sm", elem_id="data-push")
            imports = _build_import()
        with gr.Column(elem_id="data-rows-column", elem_classes=["hw-column"], min_width=0):
            notice = Drawn("notice", elem_id="data-notice")
            job = Drawn("job_bar", elem_id="data-job")
            files = gr.File(
                label="Files", file_count="multiple", interactive=False, visible=False, elem_id="data-files"
            )
            findings = Drawn("row_findings", elem_id="data-findings")
            diff.render()
            picture.render()
            found.render()
            rows = Drawn("row_preview", TEACHING, elem_id="data-rows")
    return DataParts(
        look=look, form=form, check=check, make=make, repo=repo, is_public=is_public, token=token, push=push, imports=imports,
        job=job, notice=notice, findings=findings, rows=rows, files=files,
    )  # fmt: skip


def wire(
    parts: DataParts, services: Services, visitor: gr.State, sessions: Drawn, *, tab: gr.Tab
) -> None:
    """Connect the components with their handlers.

    Args:
        sessions: The session list of the Play tab, which shows imported sessions.
        tab: The tab itself; opening it shows what is stored.
    """
    jobs = Jobs()
    events, import_events = DataEvents(services, jobs), ImportEvents(services, jobs)
    screen = [parts.job, parts.notice, parts.findings, parts.rows, parts.files]
    values = parts.form.values()
    _wire_address(parts, events)
    listen(tab.select, events.on_open, [visitor], [parts.rows])
    listen(parts.check.click, events.on_check, [visitor, *values], screen)
    listen(parts.make.click, events.on_make, [visitor, *values], screen)
    listen(parts.push.click, events.on_push, [visitor, parts.repo, parts.is_public, parts.token, *values], screen)
    listen(parts.job.event("stop_job"), events.on_stop, is_queued=False)
    _wire_look(parts, LookEvents(services, jobs), visitor)
    imports = parts.imports
    listen(
        imports.button.click,
        import_events.on_import,
        [visitor, imports.file, imports.tag, imports.queue, imports.read_as],
        [parts.job, parts.notice, parts.findings, sessions, imports.file],
    )


def _wire_look(parts: DataParts, events: LookEvents, visitor: gr.State) -> None:
    look = parts.look
    screen = [parts.job, parts.notice, look.diff, look.picture, look.found, parts.findings, parts.rows, parts.files]
    values = look.values()
    listen(look.open_file.click, events.on_look_file, [visitor, *values], screen)
    listen(look.open_sessions.click, events.on_look_sessions, [visitor, *values, *parts.form.values()], screen)
    for button in (parts.check, parts.make):
        listen(button.click, events.on_close, [], [look.diff, look.picture, look.found])
    listen(look.compare.click, events.on_compare, [visitor, *values], screen)
    listen(look.max_length.change, events.on_max_length, [visitor, look.max_length], [look.picture], is_latest_only=True)
    finds = any_of(look.picture.event("find_rows"), look.found.event("find_rows"))
    listen(finds, events.on_find, [visitor], screen, is_latest_only=True)


def _wire_address(parts: DataParts, events: DataEvents) -> None:
    """Keep the address at the filters of the form, and fill the form with those of an address."""
    named = [getattr(parts.form, name) for name in FILTERS.values()]
    listen(
        any_of(*(part.change for part in named)),
        None,
        named,
        js=f"(...values) => hermesWorkbench.router.hereFields('data', {json.dumps(FIRST)}, values)",
        is_queued=False,
    )
    listen(parts.rows.event("open_filter"), events.on_open_filter, [], [*named, parts.notice], is_latest_only=True)


def _build_look(diff: Drawn, picture: Drawn, found: Drawn, *, takes_paths: bool) -> LookParts:
    heading("Look at rows")
    file, path = _build_file("Rows file to look at", "data-look", takes_paths=takes_paths)
    with gr.Row(elem_classes=["data-pair"]):
        read_as = _list("Read as", ("auto", *FORMATS), "data-look-format")
        max_length = number_field(MAX_LENGTH, "data-look-length", USUAL_LENGTH)
    tokenizer = TextField(
        label="Tokenizer", placeholder="estimate: 4 characters a token", lines=1, max_lines=1, min_width=0,
        info="A model with a tokenizer, such as embedded or FILE.gguf.",
        visible=takes_paths, elem_id="data-look-tokenizer",
    )  # fmt: skip
    with gr.Row(elem_id="data-look-buttons"):
        open_file = gr.Button("Open file", size="sm", variant="primary", elem_id="data-look-open")
        open_sessions = gr.Button("Open sessions", size="sm", elem_id="data-look-sessions")
    with fold("Compare with another file", "data-compare"):
        other_file, other_path = _build_file("File to compare with", "data-other", takes_paths=takes_paths)
        compare = gr.Button("Compare files", size="sm", elem_id="data-compare-files")
    return LookParts(
        file=file, path=path, other_file=other_file, other_path=other_path, compare=compare, diff=diff, read_as=read_as, max_length=max_length, tokenizer=tokenizer, open_file=open_file,
        open_sessions=open_sessions, picture=picture, found=found,
    )  # fmt: skip


def _build_file(label: str, elem_id: str, *, takes_paths: bool) -> tuple[gr.File, TextField]:
    file = gr.File(label=label, file_types=ROW_FILE_TYPES, height=96, elem_id=f"{elem_id}-file")
    path = TextField(
        label="Or a path on this machine", placeholder="~/rows.jsonl", lines=1, max_lines=1, min_width=0,
        visible=takes_paths, elem_id=f"{elem_id}-path",
    )  # fmt: skip
    return file, path


def _build_form() -> FormParts:
    heading("Sessions to export")
    with gr.Row(elem_classes=["data-pair"]):
        tag = _text("Tag", "any", "data-tag")
        state = _list("Labelling state", CHOICES["state"], "data-state")
    with gr.Row(elem_classes=["data-pair"]):
        verdict = _list("Verdict", CHOICES["verdict"], "data-verdict")
        min_rating = _list("Minimum rating", CHOICES["rating"], "data-min-rating")
    with gr.Row(elem_classes=["data-pair"]):
        contract = _text("Contract", "any", "data-contract")
        model = _text("Model", "any", "data-model")
    source = _list("Source", CHOICES["source"], "data-source")
    with gr.Row(elem_classes=["data-pair"]):
        since = _text("Used since", "2026-11-21", "data-since")
        until = _text("Used before", "2026-11-28", "data-until")
    included = _ticks("Also include", INCLUDABLE, "data-taken")
    heading("Row format")
    with gr.Row(elem_classes=["data-pair"]):
        form = _list("Format", WRITTEN, "data-format", value=DEFAULT_FORMAT)
        ending = _list("File type", ENDINGS, "data-ending")
    with gr.Row(elem_classes=["data-pair"]):
        split = _text("Split", "train=0.9,test=0.1", "data-split")
        seed = number_field(SEED, "data-seed", 0, label="Split seed")
    options = _ticks("Options", OPTIONS, "data-manners")
    with gr.Row(elem_classes=["data-pair"]):
        licence = _text("Licence (dataset card)", "apache-2.0", "data-licence")
        title = _text("Title (dataset card)", "Weather calls", "data-title")
    return FormParts(
        tag=tag, verdict=verdict, min_rating=min_rating, state=state, contract=contract, model=model,
        source=source, since=since, until=until, included=included, format=form, ending=ending, split=split, seed=seed,
        options=options, licence=licence, title=title,
    )  # fmt: skip


def _build_import() -> ImportParts:
    heading("Import rows")
    file = gr.File(
        label="Rows file",
        file_types=ROW_FILE_TYPES,
        height=96,
        elem_id="data-import-file",
    )
    with gr.Row(elem_classes=["data-pair"]):
        tag = _text("Tag for imported sessions", "batch-1", "data-import-tag")
        read_as = _list("Read as", ("auto", *FORMATS), "data-import-format")
    queue = gr.Checkbox(label="Add them to the labelling queue", container=False, elem_id="data-import-queue")
    button = gr.Button("Import rows", size="sm", elem_id="data-import")
    return ImportParts(file=file, tag=tag, queue=queue, read_as=read_as, button=button)


def _text(label: str, placeholder: str, elem_id: str) -> TextField:
    return TextField(label=label, placeholder=placeholder, lines=1, max_lines=1, min_width=0, elem_id=elem_id)


def _list(label: str, choices: Sequence[str], elem_id: str, *, value: str | None = None) -> gr.Dropdown:
    values = [str(choice) for choice in choices]
    return gr.Dropdown(values, value=value or values[0], label=label, min_width=0, elem_id=elem_id)


def _ticks(label: str, choices: tuple[str, ...], elem_id: str) -> gr.CheckboxGroup:
    return gr.CheckboxGroup(list(choices), label=label, elem_id=elem_id)
