"""The Tools tab: its handlers and its wires."""

from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.desk.ports.tools import ToolDraft
from workbench.desk.services import Services
from workbench.desk.tool_sizes import tool_sizes
from workbench.errors import BadInput
from workbench.toolspec.tools_text import parse_tools
from workbench.ui.listen import any_of, listen
from workbench.ui.present.notices import CLEAR, NoticeView, problem
from workbench.ui.present.tools import (
    ToolListView,
    TriedView,
    read_arguments,
    show_draft,
    show_sizes,
    show_tools,
    show_tried,
)
from workbench.ui.tabs.tools.parts import ToolsParts

FIRST_TOOL: Final = "get_flumbuster"
"""What is open at first."""


@dataclass(frozen=True, slots=True)
class ToolsEvents:
    """Handlers of the tab."""

    services: Services
    """The edges."""

    def on_page(self) -> tuple[object, ...]:
        """The list, and the first tool."""
        names = [one.name for one in self.services.catalog.availability()]
        return self._opened(FIRST_TOOL if FIRST_TOOL in names else next(iter(names), ""))

    def on_open_tool(self, event: gr.EventData) -> tuple[object, ...]:
        """A tool that was picked from the list."""
        return self._opened(str(event.name))

    def on_draft(
        self, spec_text: str, rules_text: str, name: str
    ) -> tuple[NoticeView, NoticeView, NoticeView, NoticeView, str]:
        """What is wrong with the draft as it is typed, what it costs, and its file."""
        draft = ToolDraft(spec_text=spec_text, rules_text=rules_text)
        spec, rules, lint = show_draft(self.services.studio.check_draft(draft))
        toolset = next(
            (one.toolset for one in self.services.catalog.availability() if one.name == name), "mine"
        )
        try:
            text = self.services.studio.file_text(draft, toolset=toolset)
        except BadInput:
            text = ""
        return spec, rules, lint, self._sizes(spec_text), text

    def on_call(
        self, spec_text: str, rules_text: str, arguments: str, seed: float | None, call_number: float | None
    ) -> tuple[NoticeView, TriedView | None]:
        """One call of the draft."""
        draft = ToolDraft(spec_text=spec_text, rules_text=rules_text)
        try:
            given = read_arguments(arguments)
            number = min(max(int(call_number or 1), 1), 1000)
            run = self.services.studio.try_draft(draft, given, call_number=number, seed=int(seed or 0))
        except BadInput as error:
            return problem(error), None
        return CLEAR, show_tried(run)

    def _opened(self, name: str) -> tuple[object, ...]:
        try:
            draft = self.services.studio.open_tool(name)
        except BadInput as error:
            return self._list(name), name, "", "", "{}", problem(error), None
        return self._list(name), name, draft.spec_text, draft.rules_text, draft.arguments_text, CLEAR, None

    def _sizes(self, spec_text: str) -> NoticeView:
        """Tokens are counted by the model of the settings, once it is loaded."""
        text = spec_text if spec_text.lstrip().startswith("[") else f"[{spec_text}]"
        try:
            tools = parse_tools(text)
        except BadInput:
            return CLEAR
        models, model = self.services.models, self.services.settings.model
        count = models.engine(model).count_tokens if models.status(model).is_loaded else None
        return show_sizes(tool_sizes(tools, count))

    def _list(self, open_name: str) -> ToolListView:
        catalog = self.services.catalog
        return show_tools(catalog.availability(), catalog.problems(), open_name=open_name)


def wire(blocks: gr.Blocks, parts: ToolsParts, services: Services) -> None:
    """Lets the parts answer."""
    events = ToolsEvents(services)
    opened = [
        parts.tools, parts.open_name, parts.spec, parts.rules, parts.arguments, parts.notice, parts.tried,
    ]  # fmt: skip
    listen(blocks.load, events.on_page, [], opened)
    listen(parts.tools.event("open_tool"), events.on_open_tool, [], opened)
    # One listener for both: its last run has seen both texts, whatever order they change in.
    listen(
        any_of(parts.spec.change, parts.rules.change),
        events.on_draft,
        [parts.spec, parts.rules, parts.open_name],
        [parts.spec_notice, parts.rules_notice, parts.lint, parts.sizes, parts.file],
        is_latest_only=True,
    )
    listen(
        parts.call.click,
        events.on_call,
        [parts.spec, parts.rules, parts.arguments, parts.seed, parts.call_number],
        [parts.notice, parts.tried],
    )
