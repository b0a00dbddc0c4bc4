"""What the Contracts tab answers of a contract's text: it is linted, shown as a model gets it, and used."""

from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.runs.casting import measured
from workbench.app.services import Services
from workbench.contract.compose import compose
from workbench.contract.contract import parse_contract
from workbench.contract.lint import lint_contract
from workbench.contract.variables import parse_variables
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.records.versions import VersionKind
from workbench.toolspec.spec import OfferedTools
from workbench.ui.choices import choices, toolsets_of
from workbench.ui.owners import services_of
from workbench.ui.permitted import needs
from workbench.ui.present.contracts import PreviewView, show_lint, show_preview
from workbench.ui.present.measures import MeasuresView, show_measures
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.suites.grid import ABLATE
from workbench.ui.present.versions import VersionsView
from workbench.ui.tabs.kept_text import StoredTextEvents
from workbench.ui.tabs.play.screen import SAME, Update
from workbench.ui.visitor import Visitor

BLANK: Final = """---
title: {name}
family: hermes-lines
description: What it is for.
---
You can call tools. These are your tools:
<tools>
{{{{ tools }}}}
</tools>
"""
"""What a new contract begins with."""


def contract_texts(services: Services) -> StoredTextEvents:
    """The handlers of the list, the editor and the versions of contracts."""
    return StoredTextEvents(
        services,
        VersionKind.CONTRACT,
        names=lambda own: own.contract_names(),
        newest=lambda own, name: own.contract_version(name).text,
        blank=BLANK,
    )


@dataclass(frozen=True, slots=True)
class ContractEvents:
    """Handlers of the contract in the editor."""

    services: Services
    """The edges."""
    texts: StoredTextEvents
    """Of contracts."""

    @needs(Permission.WORK)
    def on_toolset(self, visitor: Visitor, name: str, chosen: str | None, request: gr.Request) -> Update:
        """The toolsets there are by now; that which a contract is shown with, when the tab is opened first."""
        services = services_of(self.services, visitor, request)
        toolsets, first = toolsets_of(services), next(iter(services.settings.tools), "")
        there = choices(toolsets, chosen)
        return {**there, "value": first} if not name and first in toolsets else there

    @needs(Permission.WORK)
    def on_text(
        self, visitor: Visitor, name: str, text: str, toolset: str | None, variables: str, request: gr.Request
    ) -> tuple[VersionsView | None, NoticeView, PreviewView | Update | None]:
        """Versions, lint and preview of the text as it is typed."""
        if not name:
            return None, CLEAR, None
        services = services_of(self.services, visitor, request)
        line = self.texts.version_line(services, name, text)
        try:
            tools = services.tools.select((toolset,)) if toolset else OfferedTools()
            contract = parse_contract(text, name=name)
            lint = show_lint(lint_contract(contract, tools))
        except BadInput as error:
            return line, problem(error), SAME
        try:
            values = {"date": services.today(), **parse_variables(variables)}
            composed = compose(contract, tools, variables=values)
        except BadInput as error:
            return line, NoticeView(lines=(*problem(error).lines, *lint.lines)), SAME
        return line, lint, show_preview(composed, tokens=self._count(composed))

    @needs(Permission.WORK)
    def on_use(self, visitor: Visitor, name: str, text: str, request: gr.Request) -> tuple[object, ...]:
        """The text, as it stands here, is the contract of Play."""
        services = services_of(self.services, visitor, request)
        try:
            parse_contract(text, name=name)
        except BadInput as error:
            return SAME, SAME, SAME, problem(error)
        names = sorted({*services.contract_names(), name})
        return gr.update(choices=names, value=name), text, gr.update(selected="play"), CLEAR

    @needs(Permission.WORK)
    def on_measures(
        self, visitor: Visitor, name: str, request: gr.Request
    ) -> tuple[MeasuresView | None, NoticeView | Update]:
        """What runs and sessions say of the contract's versions; None where they say nothing."""
        if not name:
            return None, SAME
        try:
            found = measured(services_of(self.services, visitor, request), name)
        except WorkbenchError as error:
            return None, problem(error)
        return show_measures(found) if found.arms or found.days else None, SAME

    @needs(Permission.WORK)
    def on_measure(
        self, visitor: Visitor, name: str, text: str, request: gr.Request
    ) -> tuple[Update, Update, Update, NoticeView]:
        """The Suites tab, with the contract and its ablation chosen."""
        services = services_of(self.services, visitor, request)
        try:
            names = services.contract_names()
            if name not in names or text != services.contract_version(name).text:
                return SAME, SAME, SAME, advice("Save it as a version first: a run plays what is saved.")
        except WorkbenchError as error:
            return SAME, SAME, SAME, problem(error)
        chosen = gr.update(choices=list(services.contract_names()), value=[name])
        return chosen, gr.update(value=[ABLATE]), gr.update(selected="suites"), CLEAR

    def _count(self, text: str) -> int | None:
        """Tokens are counted by the model of the settings, once it is loaded."""
        models, model = self.services.models, self.services.settings.model
        if not models.status(model).is_loaded:
            return None
        engine = models.engine(model)
        return engine.count_tokens(text) if engine.capabilities.has_tokenizer else None
