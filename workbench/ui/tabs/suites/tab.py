"""The Suites tab: its parts, built and wired."""

from dataclasses import dataclass

import gradio as gr
from gradio.blocks import Block

from workbench.desk.runs.planning import suite_names
from workbench.desk.services import Services
from workbench.ui.components.fields import heading
from workbench.ui.components.notice import Notice
from workbench.ui.components.run_bar import RunBar
from workbench.ui.components.suite_run import SuiteRun
from workbench.ui.listen import any_of, listen
from workbench.ui.present.setup import first_choice
from workbench.ui.tabs.play.tab import PlayParts
from workbench.ui.tabs.suites.events import RunsUnderWay, SuitesEvents, SuitesScreen


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitesParts:
    """All parts of the tab."""

    suites: gr.Dropdown
    contracts: gr.Dropdown
    models: gr.Dropdown
    tool_choice: gr.Dropdown
    repeat: gr.Number
    further: gr.CheckboxGroup
    start: gr.Button
    resume: gr.Button
    shown: gr.Dropdown
    baseline: gr.Dropdown
    notice: Notice
    bar: RunBar
    run: SuiteRun

    @property
    def screen(self) -> list[Block]:
        """The parts that a `SuitesScreen` has values for, in its order."""
        return [getattr(self, name) for name in SuitesScreen._fields]


def build(services: Services) -> SuitesParts:
    """Builds the tab."""
    settings = services.settings
    with gr.Row(elem_id="suites-columns"):
        with gr.Column(elem_id="suites-setup-column", elem_classes=["hw-column"], min_width=0):
            heading("Play")
            suites = _choice("Suites", list(suite_names(services)), ["nonsense"], "suites-suites")
            contracts = _choice(
                "Contracts", list(services.contract_names()), [settings.contract], "suites-contracts"
            )
            models = _choice("Models", list(services.models.names()), [settings.model], "suites-models")
            tool_choice = gr.Dropdown(
                ["auto", "required", "none"],
                value=first_choice(settings.model),
                label="Tool choice",
                elem_id="suites-tool-choice",
            )
            repeat = gr.Number(
                1, label="Plays of each case", minimum=1, maximum=1000, precision=0, elem_id="suites-repeat"
            )
            further = gr.CheckboxGroup(
                [("without each paragraph of the contract", "ablate")], label="Also", elem_id="suites-further"
            )
            start = gr.Button("Run", variant="primary", size="sm", elem_id="suites-start")
            heading("Runs")
            shown = gr.Dropdown([], label="Show", elem_id="suites-shown")
            baseline = gr.Dropdown([], label="Compare with", elem_id="suites-baseline")
            resume = gr.Button("Go on with it", size="sm", elem_id="suites-resume")
        with gr.Column(elem_id="suites-run-column", elem_classes=["hw-column"], min_width=0):
            notice = Notice(elem_id="suites-notice")
            bar = RunBar(elem_id="suites-bar")
            run = SuiteRun(elem_id="suites-run")
    return SuitesParts(
        suites=suites,
        contracts=contracts,
        models=models,
        tool_choice=tool_choice,
        repeat=repeat,
        further=further,
        start=start,
        resume=resume,
        shown=shown,
        baseline=baseline,
        notice=notice,
        bar=bar,
        run=run,
    )


def wire(parts: SuitesParts, services: Services, tab: gr.Tab, play: PlayParts) -> None:
    """Lets the parts answer.

    Args:
        parts: Of the tab.
        services: The edges.
        tab: The tab itself; what can be chosen is looked up each time that it is opened.
        play: The Play tab: says whose runs they are, and its turns become cases.
    """
    events, visitor = SuitesEvents(services, RunsUnderWay()), play.visitor
    screen = parts.screen
    asked = [
        visitor,
        parts.suites,
        parts.contracts,
        parts.models,
        parts.tool_choice,
        parts.repeat,
        parts.further,
    ]
    listen(tab.select, events.on_open, [visitor], screen)
    listen(parts.start.click, events.on_run, asked, screen, is_model_work=True)
    listen(parts.resume.click, events.on_resume, [visitor, parts.shown], screen, is_model_work=True)
    listen(parts.bar.event("stop_run"), events.on_stop, is_queued=False)
    chosen = any_of(parts.shown.input, parts.baseline.input)
    listen(chosen, events.on_show, [visitor, parts.shown, parts.baseline], screen)
    listen(parts.run.event("label_case"), events.on_label, [visitor], [parts.notice])
    talk = play.talk
    listen(talk.transcript.event("make_case"), events.on_case, [visitor], [talk.notice])


def _choice(label: str, choices: list[str], chosen: list[str], elem_id: str) -> gr.Dropdown:
    there = [one for one in chosen if one in choices]
    return gr.Dropdown(choices, value=there, multiselect=True, label=label, elem_id=elem_id)
