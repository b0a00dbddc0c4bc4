"""The components of the Compare tab, and the updates that events make to them."""

from dataclasses import dataclass
from typing import NamedTuple, cast

import gradio as gr

from workbench.app.comparisons.planning import LETTERS
from workbench.app.runs.drafts import Drafts, contract_choices
from workbench.app.services import Services
from workbench.records.comparisons import MAX_COLUMNS, MIN_COLUMNS
from workbench.rollout.sampling import number_range
from workbench.rollout.setting_field import NumberRange
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import ChoiceField, NumberField, TextField, number_field
from workbench.ui.components.heading import heading
from workbench.ui.gradio_parts.names import Block
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.present.compare.board import BoardView, LiveColumns
from workbench.ui.present.compare.form import (
    COMPARED,
    NO_TARGET,
    OWN,
    OWN_LABEL,
    SCOPES,
    ColumnFields,
    CompareForm,
    CompareTargetView,
    first_form,
)
from workbench.ui.present.notices import NoticeView
from workbench.ui.present.setup import setup_label


class CompareScreen(NamedTuple):
    """One value per component, in the order of `CompareParts.screen`; omitted ones stay unchanged."""

    tabs: Update = SAME
    question: Update = SAME
    tools: Update = SAME
    target: str | Update = SAME
    scope: Update = SAME
    used: int | Update = SAME
    line: CompareTargetView | Update = SAME
    run: Update = SAME
    stop: Update = SAME
    notice: NoticeView | Update = SAME
    live: LiveColumns | Update = SAME
    board: BoardView | Update | None = SAME
    previous: Update = SAME

    def with_line(self, line: CompareTargetView) -> "CompareScreen":
        """Return the screen with the turn to answer, which replaces the fields of a question."""
        has_target = bool(line.session)
        return self._replace(
            line=line,
            question={**self._of("question"), "visible": not has_target},
            tools={**self._of("tools"), "visible": not has_target},
            scope={**self._of("scope"), "visible": has_target},
        )

    def with_shared(self, form: CompareForm) -> "CompareScreen":
        """Return the screen with the fields that all columns share."""
        return self._replace(
            question=gr.update(value=form.question),
            tools=gr.update(value=list(form.tools)),
            target=form.target,
            scope=gr.update(value=form.scope),
            used=form.count,
        )

    def with_run(self, *, is_running: bool) -> "CompareScreen":
        """Return the screen with the buttons for a running comparison, or for none."""
        return self._replace(
            run=gr.update(interactive=not is_running), stop=gr.update(interactive=is_running)
        )

    def _of(self, name: str) -> Update:
        return cast(Update, getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnParts:
    """The components of a column, with the names of `ColumnFields`."""

    pane: gr.Column
    contract: gr.Dropdown
    model: gr.Dropdown
    tool_choice: gr.Dropdown
    sampling: tuple[NumberField, ...]
    is_constrained: gr.Checkbox

    @property
    def fields(self) -> list[Block]:
        """The components in the order of `ColumnFields.values`."""
        return [self.contract, self.model, self.tool_choice, *self.sampling, self.is_constrained]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskParts:
    """The row with the question."""

    question: TextField
    line: Drawn
    run: gr.Button
    stop: gr.Button


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSettingsParts:
    """The row with the settings that all columns share, and with previous comparisons."""

    link: TextField
    take: gr.Button
    scope: gr.Radio
    tools: gr.Dropdown
    used: gr.Radio
    previous: gr.Dropdown


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareParts:
    """All components of the tab except the tabs themselves."""

    draft: TextField
    drafts: TextField
    """Drafts of contracts, which the browser fills in."""
    secret: TextField
    target: TextField
    ask: AskParts
    shared: SharedSettingsParts
    columns: tuple[ColumnParts, ...]
    notice: Drawn
    live: Drawn
    board: Drawn

    def screen(self, tabs: gr.Tabs) -> list[Block]:
        """Return the components that a `CompareScreen` has values for, in its order."""
        return [tabs if name == "tabs" else self._part(name) for name in CompareScreen._fields]

    @property
    def column_fields(self) -> list[Block]:
        """The components of all columns, in order."""
        return [field for column in self.columns for field in column.fields]

    @property
    def form(self) -> list[Block]:
        """The components in the order of `CompareForm.values`."""
        shared = [self.ask.question, self.shared.tools, self.target, self.shared.scope, self.shared.used]
        return [*shared, *self.column_fields]

    def _part(self, name: str) -> Block:
        return next(
            cast(Block, getattr(group, name))
            for group in (self, self.ask, self.shared)
            if hasattr(group, name)
        )


def build(services: Services) -> CompareParts:
    """Build the tab."""
    model = services.models.status(services.settings.model)
    first = first_form(services.settings, services.contract_names(), model)
    draft = TextField(visible=False, elem_id="compare-draft")
    drafts = TextField(visible=False, elem_id="compare-drafts")
    secret = TextField(visible=False, elem_id="compare-secret")
    target = TextField(visible=False, elem_id="compare-target")
    with gr.Column(elem_id="compare-page", elem_classes=["hw-column"], min_width=0):
        ask, shared = _build_ask(first), _build_shared(services, first)
        with gr.Row(elem_id="compare-columns"):
            columns = tuple(
                _build_column(services, LETTERS[place], fields, is_visible=place < first.count)
                for place, fields in enumerate(first.columns)
            )
        notice = Drawn("notice", elem_id="compare-notice")
        live = Drawn("compare_live", LiveColumns(), elem_id="compare-live")
        board = Drawn("compare_board", elem_id="compare-board")
    return CompareParts(
        draft=draft, drafts=drafts, secret=secret, target=target, ask=ask, shared=shared, columns=columns,
        notice=notice, live=live, board=board,
    )  # fmt: skip


def _build_ask(first: CompareForm) -> AskParts:
    with gr.Row(elem_id="compare-ask"):
        question = TextField(
            first.question, label="Question", show_label=False, container=False, lines=2, max_lines=8,
            scale=1, placeholder="Ask every column the same question", elem_id="compare-question",
        )  # fmt: skip
        line = Drawn("compare_target", NO_TARGET, elem_id="compare-line")
        with gr.Column(elem_id="compare-buttons", min_width=0, scale=0):
            run = gr.Button("Compare", variant="primary", size="md", elem_id="compare-run")
            stop = gr.Button("Stop", size="md", interactive=False, elem_id="compare-stop")
    return AskParts(question=question, line=line, run=run, stop=stop)


def _build_shared(services: Services, first: CompareForm) -> SharedSettingsParts:
    with gr.Row(elem_id="compare-what"):
        link = TextField(
            label="Link to a turn", lines=1, max_lines=1, elem_id="compare-link",
            placeholder="Paste a link and press Enter",
        )  # fmt: skip
        take = gr.Button("Use turn from Play", size="sm", elem_id="compare-take")
        scope = gr.Radio(
            list(SCOPES), value=first.scope, label="Answer", visible=False, elem_id="compare-scope"
        )
        tools = gr.Dropdown(
            list(services.catalog.toolsets()), value=list(first.tools), multiselect=True,
            allow_custom_value=True, label="Tools (all columns)", elem_id="compare-tools",
        )  # fmt: skip
        used = gr.Radio(
            list(range(MIN_COLUMNS, MAX_COLUMNS + 1)), value=first.count, label="Columns",
            elem_id="compare-used",
        )  # fmt: skip
        previous = ChoiceField([], label="Previous comparisons", elem_id="compare-former")
    return SharedSettingsParts(link=link, take=take, scope=scope, tools=tools, used=used, previous=previous)


def column_contracts(services: Services, drafts: Drafts) -> list[tuple[str, str]]:
    """Return the contract choices of a column. Users can also type a version, such as `minimal@3`."""
    return [*contract_choices(services, drafts), (OWN_LABEL, OWN)]


def _build_column(services: Services, letter: str, fields: ColumnFields, *, is_visible: bool) -> ColumnParts:
    own = f"compare-{letter.lower()}"
    with gr.Column(visible=is_visible, min_width=0, elem_id=own, elem_classes=["hw-compare-fields"]) as pane:
        heading(f"Column {letter}", about="how-to/compare-models-and-contracts")
        with gr.Row(elem_classes=["hw-compare-who"]):
            contract = gr.Dropdown(
                column_contracts(services, {}), value=fields.contract, allow_custom_value=True,
                label=f"{setup_label('contract_name')} {letter}", elem_id=f"{own}-contract",
            )  # fmt: skip
            model = gr.Dropdown(
                list(services.models.names()), value=fields.model, allow_custom_value=True,
                label=f"{setup_label('model')} {letter}", elem_id=f"{own}-model",
            )  # fmt: skip
        with gr.Row(elem_classes=["hw-compare-numbers"]):
            tool_choice = gr.Dropdown(
                ["auto", "required", "none"], value=fields.tool_choice, allow_custom_value=True,
                label=f"{setup_label('tool_choice')} {letter}", min_width=0, elem_id=f"{own}-tool-choice",
            )  # fmt: skip
            sampling = tuple(
                _number(number_range(name), letter, cast(float, value))
                for name, value in zip(COMPARED, fields.sampling, strict=True)
            )
        is_constrained = gr.Checkbox(
            fields.is_constrained, label=setup_label("is_constrained"), container=False,
            elem_id=f"{own}-grammar",
        )  # fmt: skip
    return ColumnParts(
        pane=pane, contract=contract, model=model, tool_choice=tool_choice, sampling=sampling,
        is_constrained=is_constrained,
    )  # fmt: skip


def _number(numbers: NumberRange, letter: str, value: float) -> NumberField:
    elem_id = f"compare-{letter} {numbers.label}".lower().replace(" ", "-")
    return number_field(numbers, elem_id, value, label=f"{numbers.label} {letter}")
