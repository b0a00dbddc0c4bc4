"""Load and check contracts and tools, compose the system text, and manage contract versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.hermes.json_mode import find_schema
from workbench.records.owner import Permission
from workbench.records.run_config import RunConfig
from workbench.records.versions import NewVersion, VersionKind
from workbench.rollout.models import Models
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import check_tools_text, parse_tools, render_tools
from workbench.ui.choices import choices, toolsets_of
from workbench.ui.incoming.fields import id_of, text_of
from workbench.ui.owners import needs, permitted_to, services_of
from workbench.ui.present.notices import CLEAR, NoticeView, advice, grammar_advice, problem, tool_findings
from workbench.ui.present.setup import (
    HeaderView,
    SystemTextView,
    kept_choice,
    model_advice,
    parse_setup,
    show_header,
    show_setup,
    show_system_text,
    tool_choices,
    undeclared_advice,
    variables_label,
)
from workbench.ui.present.versions import VersionsView, show_versions
from workbench.ui.tabs.play.screen import SAME, Update
from workbench.ui.visitor import Visitor

EDITED: Final = "Edited here. The changes are saved with the session, not in the toolset."
"""Said of a text that is not its file's any more."""


@dataclass(frozen=True, slots=True)
class SetupEvents:
    """Handlers of the left column."""

    services: Services

    @needs(Permission.WORK)
    def on_contract(
        self, visitor: Visitor, name: str | None, request: gr.Request
    ) -> tuple[object, NoticeView]:
        """The newest version of a contract that was chosen."""
        try:
            return services_of(self.services, visitor, request).contract_version(name or "").text, CLEAR
        except WorkbenchError as error:
            return SAME, problem(error)

    @needs(Permission.WORK)
    def on_toolset(
        self, visitor: Visitor, name: str | None, request: gr.Request
    ) -> tuple[object, NoticeView, frozenset[str]]:
        """The tools of a toolset that was chosen, all switched on."""
        try:
            tools = services_of(self.services, visitor, request).tools
            return render_tools(tools.select((name or "",))), CLEAR, frozenset()
        except WorkbenchError as error:
            return SAME, problem(error), frozenset()

    @needs(Permission.WORK)
    def on_choices(
        self, visitor: Visitor, name: str | None, toolset: str | None, request: gr.Request
    ) -> tuple[Update, Update, NoticeView | Update]:
        """The contracts and toolsets there are by now; while the page opens, its opening fills them in."""
        if name is None:
            return SAME, SAME, SAME
        services = services_of(self.services, visitor, request)
        try:
            return choices(services.contract_names(), name), choices(toolsets_of(services), toolset), SAME
        except WorkbenchError as error:
            return SAME, SAME, problem(error)

    @needs(Permission.WORK)
    def on_tools_text(
        self, visitor: Visitor, text: str, disabled: frozenset[str], choice: str, request: gr.Request
    ) -> tuple[NoticeView, Update, Update]:
        """Findings of the text as it is typed; the switches and the tool choice, kept in step."""
        findings = check_tools_text(text)
        if findings:
            return tool_findings(findings), SAME, SAME
        tools = parse_tools(text)
        names, told = tools.names, grammar_advice(tools)
        is_kept = _toolset(toolsets_of(services_of(self.services, visitor, request)), text) is not None
        notice = advice(" ".join([*([] if is_kept else [EDITED]), *told]))
        return notice, _switches(names, disabled), _choices(names, disabled, choice)

    @needs(Permission.WORK)
    def on_enabled(self, text: str, enabled: list[str], choice: str) -> tuple[frozenset[str], Update]:
        """Tools switched on or off."""
        if check_tools_text(text):
            return frozenset(), SAME
        names = parse_tools(text).names
        disabled = frozenset(names) - frozenset(enabled)
        return disabled, _choices(names, disabled, choice)

    @needs(Permission.WORK)
    def on_compose(
        self, request: gr.Request, *fields: object
    ) -> tuple[SystemTextView | Update, NoticeView, Update]:
        """The system text as it would be sent; the variables that the contract declares."""
        variables: Update = SAME
        models = permitted_to(self.services, request).models
        try:
            setup = parse_setup(fields)
            contract = setup.contract()
            is_used = bool(contract.variables or setup.variables)
            variables = gr.update(label=variables_label(contract), visible=is_used)
            if check_tools_text(setup.tools_text):
                return SAME, CLEAR, variables
            status = models.status(setup.model)
            text = setup.system_text(date=self.services.today(), are_tools_apart=status.writes_tools)
            tokens = _count(models, setup.model, text)
        except WorkbenchError as error:
            return SAME, problem(error), variables
        told = "; ".join(finding.message for finding in find_schema(text).findings)
        notice = advice(" ".join(filter(None, (told, undeclared_advice(setup)))))
        return show_system_text(text, tokens=tokens), notice, variables

    @needs(Permission.WORK)
    def on_model(self, model: str | None, choice: str | None) -> NoticeView:
        """What to expect of a model."""
        return advice(model_advice(self.services.models.status(model or ""), choice or ""))

    @needs(Permission.ASK)
    def on_warm(
        self, chosen: str | None, choice: str | None, request: gr.Request
    ) -> tuple[HeaderView, NoticeView]:
        """Loads the model, so that the first answer comes quickly and tokens can be counted."""
        model = chosen or ""
        try:
            permitted_to(self.services, request).models.engine(model)
        except WorkbenchError as error:
            return self.header(model), problem(error)
        return self.header(model), self.on_model(model, choice)

    def header(self, chosen: str | None, *, is_busy: bool = False) -> HeaderView:
        """The state of a model."""
        model = chosen or ""
        status = self.services.models.status(model)
        return show_header(status.name, status.device, is_loaded=status.is_loaded, is_busy=is_busy)

    def filled(self, services: Services, setup: RunConfig) -> tuple[object, ...]:
        """A setup, as values of the fields, of the toolset and of the switches."""
        contract = choices(services.contract_names(), setup.contract_name)
        toolsets = toolsets_of(services)
        toolset = _toolset(toolsets, setup.tools_text)
        try:
            names: Sequence[str] = parse_tools(setup.tools_text).names
        except BadInput:
            names = ()
        shown = show_setup(setup)
        shown["contract_name"] = {**contract, "value": setup.contract_name}
        shown["tool_choice"] = {
            **_choices(names, setup.disabled_tools, setup.tool_choice),
            "value": setup.tool_choice,
        }
        return (
            *shown.values(),
            {**choices(toolsets, toolset), "value": toolset},
            _switches(names, setup.disabled_tools),
        )


def _count(models: Models, model: str, text: str) -> int | None:
    if not models.status(model).is_loaded:
        return None
    engine = models.engine(model)
    return engine.count_tokens(text) if engine.capabilities.has_tokenizer else None


def _toolset(toolsets: Mapping[str, OfferedTools], text: str) -> str | None:
    """The toolset whose tools these are, as yet unedited."""
    return next((name for name, tools in toolsets.items() if render_tools(tools) == text), None)


def _switches(names: Sequence[str], disabled: frozenset[str]) -> Update:
    return gr.update(choices=list(names), value=[name for name in names if name not in disabled])


def _choices(names: Sequence[str], disabled: frozenset[str], choice: str) -> Update:
    """The choices; the value changes only where it is none of them: it may just be on its way here."""
    enabled = [name for name in names if name not in disabled]
    kept, choices = kept_choice(choice, enabled), tool_choices(enabled)
    return gr.update(choices=choices) if kept == choice else gr.update(choices=choices, value=kept)


SHOWN: Final = 30
"""Versions that the list shows; `workbench versions history` has all."""


@dataclass(frozen=True, slots=True)
class VersionEvents:
    """Handlers of the line under the contract."""

    services: Services

    @needs(Permission.WORK)
    def on_text(
        self, visitor: Visitor, name: str | None, text: str, request: gr.Request
    ) -> VersionsView | None:
        """The line for the text as it stands in the editor."""
        return _shown(services_of(self.services, visitor, request), name, text)

    @needs(Permission.WORK)
    def on_save(
        self, visitor: Visitor, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[VersionsView | Update | None, NoticeView]:
        """The text becomes a version, made from the one that stood in the line."""
        services = services_of(self.services, visitor, request)
        new = NewVersion(
            kind=VersionKind.CONTRACT,
            name=name,
            text=text,
            message=text_of(event, "message").strip(),
            parent_id=id_of(event, "base") or None,
        )
        try:
            services.versions.save(new)
            return _shown(services, name, text), CLEAR
        except WorkbenchError as error:
            return SAME, problem(error)

    @needs(Permission.WORK)
    def on_restore(
        self, visitor: Visitor, name: str, request: gr.Request, event: gr.EventData
    ) -> tuple[str | Update, VersionsView | Update | None, NoticeView]:
        """An old version is the newest again, and stands in the editor."""
        services = services_of(self.services, visitor, request)
        try:
            restored = services.versions.restore(id_of(event))
            return restored.text, _shown(services, name, restored.text), CLEAR
        except WorkbenchError as error:
            return SAME, SAME, problem(error)

    @needs(Permission.WORK)
    def on_mark(
        self, visitor: Visitor, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[VersionsView | Update | None, NoticeView]:
        """A version is the one in use, or the one that may be next."""
        services = services_of(self.services, visitor, request)
        try:
            services.versions.tag(id_of(event), id_of(event, "mark"))
            return _shown(services, name, text), CLEAR
        except WorkbenchError as error:
            return SAME, problem(error)


def _shown(services: Services, name: str | None, text: str) -> VersionsView | None:
    if not name:
        return None
    history = services.versions.history(VersionKind.CONTRACT, name, limit=SHOWN)
    return show_versions(name, text, history, now=services.calendar.now().astimezone())
