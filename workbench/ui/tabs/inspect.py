"""The Inspect tab: parse any completion as it is typed, without a model."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

import gradio as gr

from workbench.app.services import Services
from workbench.hermes.reading import Dialect, Level
from workbench.records.owner import Permission
from workbench.toolbox.catalog import Catalog
from workbench.toolspec.tools_text import render_tools
from workbench.ui.choices import toolsets_of
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import ChoiceField, CodeEditor, TextField, text_editor
from workbench.ui.components.heading import heading
from workbench.ui.gradio_parts.listen import any_of, listen
from workbench.ui.gradio_parts.names import Block
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, place_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.documents import DocumentChange, EditorsView
from workbench.ui.present.examples import EXAMPLES
from workbench.ui.present.notices import CLEAR, NoticeView, advice
from workbench.ui.present.pasted import NOTHING, PastedFields, show_pasted
from workbench.ui.present.tool_import import import_in_place
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState

FIRST_TOOLSET: Final = "nonsense"
"""The toolset that the examples call."""
NO_TOOLS: Final = ""
"""The toolset dropdown's choice that empties the editor."""
EDITORS: Final = EditorsView(
    names=(("inspect-text", "Completion"), ("inspect-tools-text", "Tools to check against (JSON)"))
)
TEXT: Final = "inspect:text"
"""The document that is pasted."""
TOOLS: Final = "inspect:tools"
"""The document of the tools to check against."""


KINDS: Final[Mapping[str, Sequence[str]]] = {
    "dialect": [word.value for word in Dialect],
    "level": [word.value for word in Level],
    "finish": ["stop", "length"],
}
"""The options that addresses name, with their choices."""
FIRST_KIND: Final[Mapping[str, str]] = {
    "dialect": Dialect.AUTO.value,
    "level": Level.TOLERANT.value,
    "finish": "stop",
}
"""Their first values, which addresses leave out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectParts:
    """All components of the tab."""

    editors: Drawn
    text: CodeEditor
    clear: gr.Button
    toolset: gr.Dropdown
    tools_text: CodeEditor
    tools_notice: Drawn
    dialect: gr.Dropdown
    level: gr.Dropdown
    finish_reason: gr.Dropdown
    starts_in_thought: gr.Checkbox
    notice: Drawn
    read: Drawn
    calls: Drawn
    fixes: Drawn
    differ: Drawn

    @property
    def fields(self) -> list[Block]:
        """The input components in the order of `PastedFields`."""
        return [cast(Block, getattr(self, name)) for name in PastedFields._fields]

    @property
    def shown(self) -> list[Block]:
        """The components that show a reading."""
        return [self.read, self.calls, self.fixes, self.differ, self.tools_notice]


def build(services: Services) -> InspectParts:
    """Build the tab with its empty state."""
    first_tools = _tools_text(services.catalog, _first_toolset(services.catalog))
    opened = (_shown("inspect-text", TEXT, ""), _shown("inspect-tools-text", TOOLS, first_tools))
    editors = Drawn("editors", EDITORS.changed(0, *opened), elem_id="inspect-editors")
    with gr.Row(elem_id="inspect-columns"):
        with gr.Column(elem_id="inspect-setup", elem_classes=["hw-column"], min_width=0):
            toolset, tools_text, tools_notice = _build_tools(services)
            dialect, level, finish_reason, starts_in_thought = _build_terms()
            notice = Drawn("notice", elem_id="inspect-notice")
        with gr.Column(elem_id="inspect-write", elem_classes=["hw-column"], min_width=0):
            with gr.Row(elem_id="inspect-head"):
                heading("Completion", about="how-to/see-why-a-call-was-lost#inspect-a-completion")
                clear = gr.Button("Clear", size="sm", elem_id="inspect-clear")
            text = text_editor("Completion", None, "inspect-text", is_wrapped=True, max_lines=1000)
        with gr.Column(elem_id="inspect-text-read", elem_classes=["hw-column"], min_width=0):
            read = Drawn("read_text", NOTHING.read, elem_id="inspect-read")
        with gr.Column(elem_id="inspect-results", elem_classes=["hw-column"], min_width=0):
            calls = Drawn("calls", NOTHING.calls, elem_id="inspect-calls")
            fixes = Drawn("fixes", NOTHING.fixes, elem_id="inspect-fixes")
            differ = Drawn("differ", NOTHING.differ, elem_id="inspect-differ")
    return InspectParts(
        editors=editors, text=text, clear=clear, toolset=toolset, tools_text=tools_text, tools_notice=tools_notice,
        dialect=dialect, level=level, finish_reason=finish_reason, starts_in_thought=starts_in_thought,
        notice=notice, read=read, calls=calls, fixes=fixes, differ=differ,
    )  # fmt: skip


def _build_tools(services: Services) -> tuple[ChoiceField, CodeEditor, Drawn]:
    heading("Tools", about="reference/tools")
    first = _first_toolset(services.catalog)
    toolset = ChoiceField(
        _choices(services.catalog.toolsets()), value=first, label="Toolset to check against", show_label=False,
        container=False, elem_id="inspect-toolset",
    )  # fmt: skip
    tools_text = text_editor(
        "Tools to check against (JSON)", "json", "inspect-tools-text", is_wrapped=False, max_lines=14
    )
    return toolset, tools_text, Drawn("notice", elem_id="inspect-tools-notice")


def _build_terms() -> tuple[gr.Dropdown, gr.Dropdown, gr.Dropdown, gr.Checkbox]:
    heading("Reading", about="how-to/see-why-a-call-was-lost#read-the-result", term="reading")
    with gr.Row(elem_id="inspect-terms"):
        return (
            gr.Dropdown(
                [word.value for word in Dialect], value=Dialect.AUTO.value, label="Dialect", elem_id="inspect-dialect"
            ),
            gr.Dropdown(
                [word.value for word in Level], value=Level.TOLERANT.value, label="Level", elem_id="inspect-level"
            ),
            gr.Dropdown(
                [("stop", "stop"), ("length (cut off)", "length")], value="stop", label="Finish reason",
                elem_id="inspect-finish-reason",
            ),
            gr.Checkbox(label="The prompt ended inside a thought", elem_id="inspect-starts-in-thought"),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class InspectEvents:
    """Handlers of the tab."""

    services: Services

    @needs(Permission.WORK)
    def on_read(self, *fields: object) -> tuple[object, ...]:
        """Parse the text with the current options."""
        view = show_pasted(PastedFields._make(fields))
        return view.read, view.calls, view.fixes, view.differ, view.tools

    @needs(Permission.WORK)
    def on_choices(self, state: TabState, toolset: str | None, request: gr.Request) -> Update:
        """Refresh the list of toolsets."""
        toolsets = toolsets_of(services_of(self.services, state, request))
        return gr.update(choices=_choices({*toolsets, *filter(None, [toolset])}))

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE)
    def on_toolset(
        self, state: TabState, name: str | None, request: gr.Request
    ) -> tuple[EditorsView | Update, NoticeView | Update]:
        """Show the tools of the chosen toolset. Edited tools can be brought back."""
        services = services_of(self.services, state, request)
        tools = _replaced("inspect-tools-text", TOOLS, _tools_text(services.tools, name or NO_TOOLS))
        return EDITORS.changed(services.calendar.seconds(), tools), SAME

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE)
    def on_import_tools(
        self, state: TabState, tools_text: str, request: gr.Request
    ) -> tuple[EditorsView | Update, NoticeView]:
        """Write the tools in a text of another form as a JSON array in its place, and name those left out."""
        services = services_of(self.services, state, request)
        text, note = import_in_place(tools_text)
        shown = replace(_replaced("inspect-tools-text", TOOLS, text), note=note)
        return EDITORS.changed(services.calendar.seconds(), shown), CLEAR

    @needs(Permission.WORK)
    def on_open_kind(
        self, state: TabState, chosen: str | None, request: gr.Request, event: gr.EventData
    ) -> tuple[object, ...]:
        """Choose the options that an address names, with the tools of another toolset."""
        given = {name: id_of(event, name) for name in ("dialect", "level", "finish", "toolset")}
        values, wrong = read_kind(given, _first_toolset(self.services.catalog))
        notice = advice(" ".join(wrong))
        editors: EditorsView | Update = SAME
        toolset = values["toolset"]
        if toolset != (chosen or NO_TOOLS):
            editors, refused = self.on_toolset(state, toolset, request)
            if editors is SAME:
                toolset, notice = chosen or NO_TOOLS, refused
        return values["dialect"], values["level"], values["finish"], toolset, editors, notice

    @needs(Permission.WORK)
    def on_example(self, event: gr.EventData) -> tuple[object, ...]:
        """Load an example with its tools and options."""
        example = EXAMPLES[place_of(event, "index", len(EXAMPLES))]
        toolset = _first_toolset(self.services.catalog)
        tools = _tools_text(self.services.catalog, toolset)
        changes = (
            _replaced("inspect-text", TEXT, example.text),
            _replaced("inspect-tools-text", TOOLS, tools),
        )
        editors = EDITORS.changed(self.services.calendar.seconds(), *changes)
        return editors, toolset, Dialect.AUTO, Level.TOLERANT, example.finish_reason, False


def _shown(field: str, document: str, text: str) -> DocumentChange:
    return DocumentChange(how="open", field=field, document=document, text=text)


def _replaced(field: str, document: str, text: str) -> DocumentChange:
    return DocumentChange(
        how="replace", field=field, document=document, text=text, note="It replaced your text."
    )


def read_kind(values: Mapping[str, str], toolset: str) -> tuple[Mapping[str, str], Sequence[str]]:
    """Return the options that an address names, and what is wrong with it.

    Args:
        values: The parameters of the address. An unknown option is left out.
        toolset: The first toolset.
    """
    first = {**FIRST_KIND, "toolset": toolset}
    wrong = [
        f"The address names an unknown {name}: {values[name][:40]!r}."
        for name, offered in KINDS.items()
        if values.get(name) and values[name] not in offered
    ]
    return {
        name: value if (value := values.get(name)) and value in KINDS.get(name, (value,)) else first[name]
        for name in first
    }, wrong


def _first_toolset(catalog: Catalog) -> str:
    return FIRST_TOOLSET if FIRST_TOOLSET in catalog.toolsets() else NO_TOOLS


def _choices(toolsets: Iterable[str]) -> list[tuple[str, str]]:
    """Return the toolset choices, with `NO_TOOLS` first."""
    return [("No tools (names are not checked)", NO_TOOLS), *((name, name) for name in sorted(toolsets))]


def _tools_text(catalog: Catalog, name: str) -> str:
    """Return the tools of a toolset as JSON text, or empty text if `name` is empty.

    Raises:
        BadInput: There is no such toolset.
    """
    return render_tools(catalog.select((name,))) if name else ""


def wire(parts: InspectParts, services: Services, state: gr.State, *, tab: gr.Tab) -> None:
    """Connect the components with their handlers.

    Args:
        tab: The tab itself; opening it refreshes the list of toolsets.
    """
    events = InspectEvents(services)
    # One listener for all fields, so that its last run has seen every change, in whatever order they come.
    changed = any_of(*(cast(TextField, field).change for field in parts.fields))
    listen(changed, events.on_read, parts.fields, parts.shown, is_latest_only=True)
    listen(tab.select, events.on_choices, [state, parts.toolset], [parts.toolset])
    listen(
        parts.toolset.input,
        events.on_toolset,
        [state, parts.toolset],
        [parts.editors, parts.tools_notice],
        is_latest_only=True,
    )
    listen(
        parts.tools_notice.event("import_tools"),
        events.on_import_tools,
        [state, parts.tools_text],
        [parts.editors, parts.tools_notice],
    )
    terms = [parts.dialect, parts.level, parts.finish_reason, parts.starts_in_thought]
    listen(
        parts.read.event("example"),
        events.on_example,
        [],
        [parts.editors, parts.toolset, *terms],
    )
    first = {**FIRST_KIND, "toolset": _first_toolset(services.catalog)}
    kind = [parts.dialect, parts.level, parts.finish_reason, parts.toolset]
    listen(
        any_of(*(cast(TextField, field).change for field in kind)),
        None,
        kind,
        js=f"(...values) => hermesWorkbench.router.hereFields('inspect', {json.dumps(first)}, values)",
        is_queued=False,
    )
    listen(
        parts.read.event("open_kind"),
        events.on_open_kind,
        [state, parts.toolset],
        [*kind, parts.editors, parts.notice],
        is_latest_only=True,
    )
    # An empty editor brings the examples back.
    listen(
        parts.clear.click,
        None,
        js="() => (hermesWorkbench.documents.write('inspect-text', ''), [])",
        is_queued=False,
    )
