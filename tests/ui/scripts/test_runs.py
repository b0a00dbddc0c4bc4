"""Runs of suites and measurements of contracts: charts, the matrix, and clicks."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.ui.present.measures import ChartView, MeasuresView, PointView, SeriesView
from workbench.ui.present.suites.run import (
    CaseCellView,
    DotView,
    RowView,
    RunBarView,
    SelectedCase,
    SuiteRunView,
)

pytestmark = pytest.mark.browser

BOTTOM, HEIGHT, LEFT, WIDTH = 168, 156, 52, 522
"""The frame of a chart, in the units of its SVG."""


def run(name: str = "r1", *, is_live: bool = False, picked: SelectedCase | None = None) -> SuiteRunView:
    cells = tuple(
        CaseCellView(arm=arm, text=text, tone=tone, count=1)
        for arm, text, tone in (("full", "5/5", "clean"), ("minimal", "1/5", "bad"))
    )
    dots = (
        DotView(label="full", x=1.0, y=1.0, low=0.6, high=1.0, is_on_front=True),
        DotView(label="minimal", x=0.0, y=0.25, low=0.0, high=0.6, is_on_front=False),
    )
    return SuiteRunView(
        id=name,
        title=name,
        note="",
        can_resume=False,
        is_live=is_live,
        tables=(),
        dots=dots,
        most_tokens="500",
        arms=("full", "minimal"),
        rows=(RowView(case="greeting", cells=cells), RowView(case="weather", cells=cells)),
        picked=picked,
    )


def query(component: Component) -> dict[str, list[str]]:
    return parse_qs(urlsplit(component.page.url).query)


def test_dots_are_placed_by_their_rates_and_labelled(component: Component) -> None:
    component.mount("suite_run", run())
    chart = component.element.get_by_role("img")
    places = chart.locator("circle").evaluate_all(
        "all => all.map((dot) => [dot.getAttribute('cx'), dot.getAttribute('cy'), dot.textContent])"
    )
    assert [(float(x), float(y), label) for x, y, label in places] == [
        (LEFT + WIDTH, BOTTOM - HEIGHT, "full"),
        (LEFT, BOTTOM - HEIGHT / 4, "minimal"),
    ]
    expect(component.element.locator("ol li")).to_have_text(["● full", "○ minimal"])


def test_a_cell_opens_its_runs_and_is_named_in_the_address(component: Component) -> None:
    component.at("?tab=suites")
    component.mount("suite_run", run())
    cell = component.element.get_by_role("button", name="weather: 1/5")
    cell.click()
    assert component.events == [("open_case", {"run": "r1", "case": "weather", "arm": "minimal"})]
    expect(cell).to_have_attribute("aria-pressed", "true")
    assert query(component) == {"tab": ["suites"], "run": ["r1"], "case": ["weather"], "arm": ["minimal"]}
    component.element.get_by_role("button", name="greeting", exact=True).click()
    assert component.events == [("open_case", {"run": "r1", "case": "greeting", "arm": ""})]
    assert query(component) == {"tab": ["suites"], "run": ["r1"], "case": ["greeting"]}
    pressed = component.element.locator(".hw-cell[aria-pressed=true]")
    expect(pressed).to_have_text(["greeting", "✓ 5/5", "✗ 1/5"])


def test_a_link_opens_its_case(component: Component) -> None:
    component.mount("suite_run", run(picked=SelectedCase(case="weather", arm="full")))
    assert component.events == [("open_case", {"run": "r1", "case": "weather", "arm": "full"})]


def test_the_address_asks_for_its_run_and_case_once(component: Component) -> None:
    component.at("?tab=suites&run=r1&case=weather&arm=full")
    component.mount("suite_run")
    link = {"run": "r1", "case": "weather", "arm": "full"}
    assert component.events == [("open_run", link)]
    component.update(run(picked=SelectedCase(case="weather", arm="full")))
    assert component.events == [("open_case", link)]
    component.page.evaluate("hermesWorkbench.router.goTo('suites', { run: 'r1' })")
    assert component.events == [("open_case", {**link, "case": "", "arm": ""})]
    component.page.go_back()
    component.page.wait_for_function("stubs.events.length > 0")
    assert component.events == [("open_case", link)]


def test_an_update_of_another_run_is_not_drawn(component: Component) -> None:
    component.mount("suite_run", run("r1"))
    component.update(run("r2", is_live=True))
    expect(component.element.get_by_role("heading", level=2)).to_have_text("r1")
    component.update(run("r2"))
    expect(component.element.get_by_role("heading", level=2)).to_have_text("r2")


def test_an_update_waits_until_the_pointer_is_released_and_keeps_the_focus(component: Component) -> None:
    component.mount("suite_run", run(is_live=True))
    component.element.get_by_role("button", name="weather: 1/5").hover()
    component.page.mouse.down()
    component.update(replace(run(is_live=True), note="3 of 5"))
    expect(component.element.get_by_text("3 of 5")).to_have_count(0)
    component.page.mouse.up()
    expect(component.element.get_by_text("3 of 5")).to_be_visible()
    assert [name for name, _ in component.events] == ["open_case"]
    expect(component.element.get_by_role("button", name="weather: 1/5")).to_be_focused()


def test_the_stop_button_stays_the_same_during_a_run(component: Component) -> None:
    component.mount("run_bar", RunBarView(note="0 of 5", share=0.0, is_running=True))
    component.page.evaluate("window.stop = document.querySelector('#component button')")
    component.update(RunBarView(note="1 of 5", share=0.2, is_running=True))
    assert component.page.evaluate("window.stop === document.querySelector('#component button')")
    component.element.get_by_role("button", name="Stop").click()
    assert component.events == [("stop_run", {})]
    component.update(RunBarView(note="1 of 5, stopped", share=0.2, is_running=False))
    expect(component.element.get_by_role("button", name="Stop")).to_have_count(0)


def test_the_rates_of_a_contract_are_a_line_with_intervals(component: Component) -> None:
    points = tuple(
        PointView(x=x, y=y, low=y - 0.1, high=y + 0.1, label=f"{y:.0%}") for x, y in ((0.0, 0.5), (1.0, 0.75))
    )
    chart = ChartView(
        title="Pass", note="", start="v1", end="v2", series=(SeriesView(label="full", points=points),)
    )
    component.mount("contract_measures", MeasuresView(cards=None, charts=(chart,), parts_note="", parts=()))
    drawn = component.element.get_by_role("img", name="Pass")
    assert (
        drawn.locator(".hw-course").get_attribute("d")
        == f"M{LEFT} 90L{LEFT + WIDTH} {BOTTOM - HEIGHT * 0.75:g}"
    )
    assert drawn.locator("circle title").all_text_contents() == ["full · 50%", "full · 75%"]
    assert drawn.locator(".hw-whisker").count() == 2
