"""What the Contracts tab answers: a contract is opened, linted, shown as a model gets it, saved, compared, named."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.contract.compose import compose
from workbench.contract.contract import parse_contract
from workbench.contract.lint import lint_contract
from workbench.desk.services import Services
from workbench.desk.versions.content import diff_contents
from workbench.desk.versions.names import check_name
from workbench.desk.versions.version import NewVersion, VersionKind
from workbench.errors import BadInput, WorkbenchError
from workbench.toolspec.spec import OfferedTools
from workbench.ui.owners import services_of
from workbench.ui.present.contracts import (
    ContractListView,
    DiffView,
    PreviewView,
    read_variables,
    show_diff,
    show_lint,
    show_list,
    show_preview,
)
from workbench.ui.present.notices import CLEAR, NoticeView, problem
from workbench.ui.present.versions import VersionsView, show_versions
from workbench.ui.tabs.play.screen import SAME, Update
from workbench.ui.visitor import Visitor

SHOWN: Final = 50
"""Versions that the list shows; `workbench versions history` has all."""
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
_KIND: Final = VersionKind.CONTRACT
Told = tuple[ContractListView | Update, VersionsView | Update | None, NoticeView]


@dataclass(frozen=True, slots=True)
class ContractEvents:
    """Handlers of the tab."""

    services: Services
    """The edges."""

    def on_tab(
        self, visitor: Visitor, name: str, _text: str, request: gr.Request
    ) -> tuple[ContractListView, str | Update]:
        """The tab is opened: at first the browser says which contract it had open."""
        services = services_of(self.services, visitor, request)
        toolset = SAME if name else next(iter(services.settings.tools), "")
        known = services.catalog.toolsets()
        return self._list(services, name, wants_open=not name), toolset if toolset in known else SAME

    def on_open(self, visitor: Visitor, request: gr.Request, event: gr.EventData) -> tuple[object, ...]:
        """A contract that was picked; what was typed in it before and saved nowhere comes back."""
        services, name, draft = (
            services_of(self.services, visitor, request),
            str(event.name),
            str(event.draft),
        )
        try:
            text = self._newest(services, name)
            history = services.versions.history(_KIND, name, limit=SHOWN)
        except WorkbenchError as error:
            if not draft:
                return self._list(services, ""), SAME, SAME, problem(error), None
            text, history = "", ()
        is_draft = bool(draft) and draft != text and draft not in {version.text for version in history}
        view = self._list(services, name, is_draft=is_draft)
        return view, name, draft if is_draft else text, CLEAR, None

    def on_new(
        self, visitor: Visitor, _text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[object, ...]:
        """A new contract, to be saved as its first version."""
        services, name = services_of(self.services, visitor, request), str(event.name)
        try:
            check_name(name)
            if name in services.contract_names():
                raise BadInput(f"contract {name!r}", "there is one of that name", "pick it from the list")
        except WorkbenchError as error:
            return SAME, SAME, SAME, problem(error), SAME
        return self._list(services, name), name, BLANK.format(name=name), CLEAR, None

    def on_text(
        self, visitor: Visitor, name: str, text: str, toolset: str | None, variables: str, request: gr.Request
    ) -> tuple[VersionsView | None, NoticeView, PreviewView | Update | None]:
        """Versions, lint and preview of the text as it is typed."""
        if not name:
            return None, CLEAR, None
        services = services_of(self.services, visitor, request)
        line = self._line(services, name, text)
        try:
            tools = services.catalog.select((toolset,)) if toolset else OfferedTools()
            contract = parse_contract(text, name=name)
            lint = show_lint(lint_contract(contract, tools))
        except BadInput as error:
            return line, problem(error), SAME
        try:
            values = {"date": services.today(), **read_variables(variables)}
            composed = compose(contract, tools, variables=values)
        except BadInput as error:
            return line, NoticeView(lines=(*problem(error).lines, *lint.lines)), SAME
        return line, lint, show_preview(composed, tokens=self._count(composed))

    def on_save(
        self, visitor: Visitor, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> Told:
        """The text becomes a version."""
        new = NewVersion(
            kind=_KIND,
            name=name,
            text=text,
            message=str(event.message).strip(),
            parent_id=str(event.base) or None,
        )
        return self._changed(visitor, name, text, request, lambda own: own.versions.save(new))

    def on_mark(
        self, visitor: Visitor, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> Told:
        """A version gets a name."""
        version_id, mark = str(event.id), str(event.mark)
        return self._changed(visitor, name, text, request, lambda own: own.versions.tag(version_id, mark))

    def on_restore(
        self, visitor: Visitor, name: str, _text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[object, ...]:
        """An old version is the newest again, and stands in the editor."""
        services = services_of(self.services, visitor, request)
        try:
            restored = services.versions.restore(str(event.id))
        except WorkbenchError as error:
            return SAME, SAME, SAME, problem(error)
        text = restored.text
        return text, *self._changed(visitor, name, text, request, lambda _own: None)

    def on_compare(
        self, visitor: Visitor, name: str, text: str, request: gr.Request, event: gr.EventData
    ) -> tuple[DiffView | None, NoticeView]:
        """What was changed from a version to the text in the editor."""
        services = services_of(self.services, visitor, request)
        try:
            version = services.versions.version(str(event.id))
        except WorkbenchError as error:
            return None, problem(error)
        if version is None:
            return None, problem(BadInput("version", "there is none", "choose one of the list"))
        labels = (f"v{version.number}", "the editor")
        diff = diff_contents(_KIND, version.text, text, labels)
        return show_diff(f"From v{version.number} of {name} to the editor", diff), CLEAR

    def on_use(self, visitor: Visitor, name: str, text: str, request: gr.Request) -> tuple[object, ...]:
        """The text, as it stands here, is the contract of Play."""
        services = services_of(self.services, visitor, request)
        try:
            parse_contract(text, name=name)
        except BadInput as error:
            return SAME, SAME, SAME, problem(error)
        names = sorted({*services.contract_names(), name})
        return gr.update(choices=names, value=name), text, gr.update(selected="play"), CLEAR

    def _changed(
        self,
        visitor: Visitor,
        name: str,
        text: str,
        request: gr.Request,
        change: Callable[[Services], object],
    ) -> Told:
        services = services_of(self.services, visitor, request)
        try:
            change(services)
            return self._list(services, name), self._line(services, name, text), CLEAR
        except WorkbenchError as error:
            return SAME, SAME, problem(error)

    def _newest(self, services: Services, name: str) -> str:
        return services.contract_version(name).text

    def _line(self, services: Services, name: str, text: str) -> VersionsView:
        history = services.versions.history(_KIND, name, limit=SHOWN)
        now = services.calendar.now().astimezone()
        return show_versions(name, text, history, now=now, can_compare=True)

    def _list(
        self, services: Services, open_name: str, *, wants_open: bool = False, is_draft: bool = False
    ) -> ContractListView:
        return show_list(
            services.contract_names(),
            services.versions.lines(_KIND),
            open_name=open_name,
            serial=services.calendar.seconds(),
            wants_open=wants_open,
            is_draft=is_draft,
        )

    def _count(self, text: str) -> int | None:
        """Tokens are counted by the model of the settings, once it is loaded."""
        models, model = self.services.models, self.services.settings.model
        if not models.status(model).is_loaded:
            return None
        engine = models.engine(model)
        return engine.count_tokens(text) if engine.capabilities.has_tokenizer else None
