"""Load and check contracts and tools, compose the system text, and manage contract versions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, cast

import gradio as gr

from workbench.app.services import Services
from workbench.app.version_names import version_of_name
from workbench.chat.finding import Finding
from workbench.contract.contract import Contract
from workbench.contract.lint import lint_contract
from workbench.errors import BadInput, WorkbenchError
from workbench.hermes.json_mode import find_schema
from workbench.records.owner import Permission
from workbench.records.run_config import RunConfig
from workbench.records.versions import NewVersion, VersionKind, name_in
from workbench.rollout.models import Models
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import read_tools, render_tools
from workbench.ui.choices import catalog_of, list_choices, toolsets_of
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.contracts import OF_TOOLS, show_problems
from workbench.ui.present.documents import (
    CONTRACT_TEXT,
    PLAY_EDITORS,
    TEXT_FIELDS,
    DocumentChange,
    EditorsView,
    contract_change,
    tools_change,
)
from workbench.ui.present.notices import (
    CLEAR,
    NoticeView,
    advice,
    grammar_advice,
    problem,
)
from workbench.ui.present.setup import (
    ALL_ENABLED,
    SETUP_FIELDS,
    HeaderView,
    SystemTextView,
    ToolSwitchesView,
    model_advice,
    parse_setup,
    show_header,
    show_setup,
    show_switches,
    show_system_text,
    tool_choices,
    valid_choice,
)
from workbench.ui.present.tool_import import import_in_place, tool_lines
from workbench.ui.present.transcript import TranscriptView, show_examples
from workbench.ui.present.variables import VariablesView, show_variable_fields
from workbench.ui.present.versions import VersionsView, show_versions
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState

EDITED: Final = "Edited here. The changes are saved with the session, not in the toolset."
"""Shown when the tools differ from every toolset."""


class ToolsShown(NamedTuple):
    """What follows from the tools."""

    notice: NoticeView
    switches: ToolSwitchesView | Update = SAME
    tool_choice: Update = SAME
    transcript: TranscriptView | Update = SAME
    """Example questions, while no session is open."""


class TextsShown(NamedTuple):
    """What follows from the contract and the tools, in the order of the outputs of `SetupEvents.on_texts`."""

    system_text: SystemTextView | Update
    contract_notice: NoticeView
    variable_fields: VariablesView | Update
    versions: VersionsView | None
    tools_notice: NoticeView
    switches: ToolSwitchesView | Update
    tool_choice: Update
    transcript: TranscriptView | Update


@dataclass(frozen=True, slots=True)
class SetupEvents:
    """Handlers of the run configuration, the left column."""

    services: Services

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE)
    def on_contract(
        self, state: TabState, name: str | None, request: gr.Request
    ) -> tuple[EditorsView | Update, NoticeView]:
        """Show the chosen contract: its draft, or its newest version."""
        services = services_of(self.services, state, request)
        text = services.contract_version(name or "").text
        shown = contract_change(name or "", text, saved=text)
        return PLAY_EDITORS.changed(services.calendar.seconds(), shown), CLEAR

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE, SAME)
    def on_toolset(
        self, state: TabState, names: list[str] | None, request: gr.Request
    ) -> tuple[EditorsView | Update, NoticeView, ToolSwitchesView | Update]:
        """Show the tools of the chosen toolsets, all of them enabled. Edited tools can be brought back."""
        services = services_of(self.services, state, request)
        shown = tools_change(state, render_tools(services.tools.select(tuple(names or ()))))
        return PLAY_EDITORS.changed(services.calendar.seconds(), shown), CLEAR, ALL_ENABLED

    @needs(Permission.WORK)
    def on_add_toolset(
        self, state: TabState, names: list[str] | None, request: gr.Request, event: gr.EventData
    ) -> tuple[EditorsView | Update, NoticeView, ToolSwitchesView | Update, Update, NoticeView]:
        """Add a toolset to the chosen ones."""
        chosen = list(dict.fromkeys((*(names or ()), text_of(event, "toolset"))))
        return *self.on_toolset(state, chosen, request), gr.update(value=chosen), CLEAR

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE)
    def on_import_tools(
        self, state: TabState, tools_text: str, request: gr.Request
    ) -> tuple[EditorsView | Update, NoticeView]:
        """Write the tools in a text of another form as a JSON array in its place, and name those left out."""
        services = services_of(self.services, state, request)
        text, note = import_in_place(tools_text)
        # The text that changes replaces the notice, so the tools left out are named beside Undo.
        shown = replace(tools_change(state, text), note=note)
        return PLAY_EDITORS.changed(services.calendar.seconds(), shown), CLEAR

    @needs(Permission.WORK)
    @shows_error(SAME, SAME, NOTICE)
    def on_choices(
        self, state: TabState, name: str | None, toolsets: list[str] | None, request: gr.Request
    ) -> tuple[Update, Update, NoticeView | Update]:
        """Refresh the lists of contracts and toolsets. Does nothing while the page is still being opened."""
        if name is None:
            return SAME, SAME, SAME
        services = services_of(self.services, state, request)
        return (
            list_choices(services.contract_names(), name),
            list_choices(toolsets_of(services), *(toolsets or ())),
            SAME,
        )

    @needs(Permission.WORK)
    def on_texts(
        self, state: TabState, name: str | None, text: str, request: gr.Request, *fields: object
    ) -> "TextsShown":
        """Show what follows from the contract and the tools as they are typed.

        Args:
            state: The state of the tab, which has an open session or none.
            name: The contract that the editor shows.
            text: Its text.
            request: The request.
            fields: The setup, in the order of `SETUP_FIELDS`.
        """
        services = services_of(self.services, state, request)
        line, tools = _shown(services, name, text), _of_tools(services, state, fields)
        # The tokens are counted last. A model that is loaded meanwhile counts them too, and that answer comes first.
        return TextsShown(*self.on_compose(state, request, *fields), line, *tools)

    @needs(Permission.WORK)
    def on_compose(
        self, state: TabState, request: gr.Request, *fields: object
    ) -> tuple[SystemTextView | Update, NoticeView, VariablesView | Update]:
        """Compose the system text, and show the contract's variables."""
        variables: VariablesView | Update = SAME
        models = services_of(self.services, state, request).models
        try:
            setup = parse_setup(fields)
            contract = setup.contract()
            variables = show_variable_fields(contract, setup.variables)
            if isinstance(read_tools(setup.tools_text), Finding):
                # The notice at the tools says why.
                return SAME, CLEAR, variables
            status = models.status(setup.model)
            text = setup.parsed().system_text(date=self.services.today(), are_tools_apart=status.writes_tools)
            tokens = count_tokens(models, setup.model, text)
        except BadInput as error:
            return SAME, show_problems((), CONTRACT_TEXT, error), variables
        except WorkbenchError as error:
            return SAME, problem(error), variables
        notes = advice("; ".join(finding.message for finding in find_schema(text).findings)).lines
        shown = _problems(contract, setup.offered_tools(), writes_tools=status.writes_tools)
        shown = replace(shown, lines=(*shown.lines, *notes))
        return show_system_text(text, tokens=tokens), shown, variables

    @needs(Permission.WORK)
    def on_model(self, model: str | None, choice: str | None) -> NoticeView:
        """Show advice about the chosen model."""
        return advice(model_advice(self.services.models.status(model or ""), choice or ""))

    @needs(Permission.ASK)
    def on_warm(
        self, state: TabState, chosen: str | None, choice: str | None, _header: object, request: gr.Request
    ) -> tuple[HeaderView, NoticeView]:
        """Load the model, so that the first answer comes quickly and tokens can be counted.

        The browser knows from the header whether the model of a page that opens is loaded already.
        For a model on a server: ask whether the server accepts the key and has the model.
        """
        model = chosen or ""
        services = services_of(self.services, state, request)
        models = services.models
        try:
            models.engine(model)
            models.check(model)
        except WorkbenchError as error:
            return self.header(services, model), problem(error)
        return self.header(services, model), self.on_model(model, choice)

    @needs(Permission.ASK)
    def on_servers(self, state: TabState, _header: object, request: gr.Request) -> Update:
        """Ask the servers for their models, and show them among the choices.

        The browser knows from the header whether a page that opens needs to.
        """
        models = services_of(self.services, state, request).models
        # A server that does not answer is reported when one of its models is chosen.
        models.ask_servers()
        return gr.update(choices=list(models.names()))

    def header(self, services: Services, chosen: str | None) -> HeaderView:
        """Return the header with the model's state while no turn is running."""
        servers = services.servers
        return replace(
            show_header(services.models.status(chosen or "")),
            asks_servers=not all(map(servers.lists.is_fresh, servers.all)),
        )

    def filled(self, services: Services, setup: RunConfig) -> tuple[object, ...]:
        """Return a setup as values of the fields, the toolset, and the advice about its model."""
        contract = list_choices(services.contract_names(), setup.contract_name)
        catalog = catalog_of(services)
        chosen = catalog.toolsets_of(setup.tools_text)
        switches = show_switches(setup.tools_text, setup.disabled_tools)
        # `session_changes` shows the texts, of which the browser may have drafts.
        shown = {**show_setup(setup), **dict.fromkeys(TEXT_FIELDS, SAME)}
        shown["contract_name"] = {**contract, "value": setup.contract_name}
        shown["tool_choice"] = {
            **_choices(switches.names or (), setup.disabled_tools, setup.tool_choice),
            "value": setup.tool_choice,
        }
        shown["disabled_tools"] = switches
        # Servers may have listed more models since the page was built.
        shown["model"] = gr.update(choices=list(services.models.names()), value=setup.model)
        return (
            *shown.values(),
            {**list_choices(catalog.toolsets(), *chosen), "value": list(chosen)},
            self.on_model(setup.model, setup.tool_choice),
        )


def saved_contract(services: Services, name: str) -> str | None:
    """Return the newest saved text of a contract, or None if there is none, or it cannot be read."""
    try:
        return services.contract_version(name).text if name in services.contract_names() else None
    except WorkbenchError:
        return None


def count_tokens(models: Models, model: str, text: str) -> int | None:
    """Count the tokens of a text, or return None if the model is not loaded or has no tokenizer."""
    if not models.status(model).is_loaded:
        return None
    engine = models.engine(model)
    return engine.count_tokens(text) if engine.capabilities.has_tokenizer else None


def _problems(contract: Contract, tools: OfferedTools, *, writes_tools: bool) -> NoticeView:
    """Return the problems of a contract. A server that writes the tools itself needs none in the contract."""
    findings = [
        finding
        for finding in lint_contract(contract, tools)
        if finding.code not in OF_TOOLS and not (writes_tools and finding.code == "no-tools")
    ]
    return show_problems(findings, CONTRACT_TEXT)


def _of_tools(services: Services, state: TabState, fields: Sequence[object]) -> ToolsShown:
    setup = dict(zip(SETUP_FIELDS, fields, strict=False))
    tools_text = str(setup["tools_text"] or "")
    tools = read_tools(tools_text)
    lines = tool_lines(tools_text, tools)
    if isinstance(tools, Finding):
        return ToolsShown(NoticeView(lines=lines))
    disabled = cast(frozenset[str], setup["disabled_tools"])
    is_saved = not tools.names or bool(catalog_of(services).toolsets_of(tools_text))
    enabled = [tool for tool in tools.names if tool not in disabled]
    is_empty = state.session_id is None
    notes = advice(" ".join([*([] if is_saved else [EDITED]), *grammar_advice(tools)]))
    return ToolsShown(
        NoticeView(lines=(*lines, *notes.lines)),
        ToolSwitchesView(names=tuple(tools.names)),
        _choices(tools.names, disabled, str(setup["tool_choice"] or "")),
        show_examples(enabled, toolsets_of(services)) if is_empty else SAME,
    )


def _choices(names: Sequence[str], disabled: frozenset[str], choice: str) -> Update:
    """Return the tool choices. The value is only changed if it is not among them."""
    enabled = [name for name in names if name not in disabled]
    value, options = valid_choice(choice, enabled), tool_choices(enabled)
    return gr.update(choices=options) if value == choice else gr.update(choices=options, value=value)


SHOWN: Final = 30
"""The most versions in the list; `workbench versions history` shows all."""


@dataclass(frozen=True, slots=True)
class VersionEvents:
    """Handlers of the version line of the contract."""

    services: Services

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE, SAME)
    def on_save(
        self, state: TabState, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[VersionsView | Update | None, NoticeView, EditorsView | Update]:
        """Save the text as a version, based on the version shown in the line."""
        services = services_of(self.services, state, request)
        new = NewVersion(
            kind=VersionKind.CONTRACT,
            name=name_in(name),
            text=text,
            message=text_of(event, "message").strip(),
            parent_id=id_of(event, "base") or None,
        )
        services.versions.save(new)
        return _shown(services, name, text), CLEAR, _changed(services, "saved", name, text)

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE, SAME)
    def on_restore(
        self, state: TabState, name: str, _text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[VersionsView | Update | None, NoticeView, EditorsView | Update]:
        """Save an old version as the newest, and put it into the editor. A draft can be brought back."""
        services = services_of(self.services, state, request)
        old = version_of_name(services, VersionKind.CONTRACT, name_in(name), id_of(event))
        restored = services.versions.restore(old.id)
        changed = _changed(services, "restored", name, restored.text)
        return _shown(services, name, restored.text), CLEAR, changed

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE)
    def on_mark(
        self, state: TabState, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[VersionsView | Update | None, NoticeView]:
        """Mark a version as `production` or `candidate`."""
        services = services_of(self.services, state, request)
        version = version_of_name(services, VersionKind.CONTRACT, name_in(name), id_of(event))
        services.versions.tag(version.id, id_of(event, "mark"))
        return _shown(services, name, text), CLEAR


def _changed(services: Services, how: Literal["saved", "restored"], name: str, text: str) -> EditorsView:
    change = DocumentChange(
        how=how,
        field=CONTRACT_TEXT,
        document=f"contract:{name}",
        text=text,
        note="The restored version replaced your draft.",
    )
    return PLAY_EDITORS.changed(services.calendar.seconds(), change)


def _shown(services: Services, name: str | None, text: str) -> VersionsView | None:
    if not name:
        return None
    name = name_in(name)
    now = services.calendar.now().astimezone()
    history = services.versions.history(VersionKind.CONTRACT, name, limit=SHOWN)
    return show_versions(name, text, history, now=now)
