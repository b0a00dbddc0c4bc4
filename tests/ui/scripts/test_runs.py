"""Runs of suites and measurements of contracts: charts, the matrix, and clicks."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.suite.reports.charts import Chart, ChartKind, ChartMark, count_chart
from workbench.ui.present.data import RowsView
from workbench.ui.present.measures import ChartView, MeasuresView
from workbench.ui.present.suites.run import (
    CaseCellView,
    RowView,
    RunBarView,
    SelectedCase,
    SuiteRunView,
    TableView,
)
from workbench.ui.present.suites.run_list import DeletedRunView, RunListView, RunRowView

pytestmark = pytest.mark.browser


def run(
    name: str = "r1", *, is_live: bool = False, picked: SelectedCase | None = None, share_key: str = ""
) -> SuiteRunView:
    cells = tuple(
        CaseCellView(arm=arm, text=text, tone=tone, count=1)
        for arm, text, tone in (("full", "5/5", "clean"), ("minimal", "1/5", "bad"))
    )
    marks = tuple(
        ChartMark(
            category=arm, y=rate, low=rate - 0.2, high=rate + 0.1, label=f"{arm}: {rate}", is_full=rate > 0.5
        )
        for arm, rate in (("full", 0.9), ("minimal", 0.25))
    )
    return SuiteRunView(
        id=name,
        title=name,
        note="",
        can_resume=False,
        is_live=is_live,
        tables=(),
        charts=(Chart(kind=ChartKind.RATES, title="Pass rate by arm", marks=marks),),
        failures=TableView(title="Failures and errors", note="", head=("case",), rows=(("weather",),)),
        tags=("nightly",),
        share_key=share_key,
        arms=("full", "minimal"),
        rows=(RowView(case="greeting", cells=cells), RowView(case="weather", cells=cells)),
        has_failed=True,
        has_passed=True,
        picked=picked,
    )


def query(component: Component) -> dict[str, list[str]]:
    return parse_qs(urlsplit(component.page.url).query)


def test_rates_are_drawn_with_their_intervals(component: Component) -> None:
    component.mount("suite_run", run())
    chart = component.element.get_by_role("img", name="Pass rate by arm")
    expect(chart.locator("circle")).to_have_count(2)
    assert chart.locator("circle title").all_text_contents() == ["full: 0.9", "minimal: 0.25"]
    assert chart.locator("circle").evaluate_all("all => all.map((dot) => dot.getAttribute('fill'))") == [
        "currentColor",
        "none",
    ]
    # A rate of 0.9 is to the right of 0.25, and an interval of 0.3 is a line of 0.3 of the axis.
    left, right = sorted(float(dot.get_attribute("cx") or 0) for dot in chart.locator("circle").all())
    lines = chart.locator('g[stroke-opacity="0.5"] line').evaluate_all(
        "all => all.map((line) => line.getAttribute('x2') - line.getAttribute('x1'))"
    )
    assert [round(line / (right - left), 3) for line in lines[:2]] == [round(0.3 / 0.65, 3)] * 2
    component.element.get_by_text("Show figures").click()
    expect(component.element.locator(".hw-dots li")).to_have_text(["full: 0.9", "minimal: 0.25"])


def test_a_report_is_changed_from_its_menu(component: Component) -> None:
    component.mount("suite_run", run(share_key="abc"))
    link = component.element.get_by_label("Link to this report")
    assert link.input_value().endswith("/report/abc")
    component.element.get_by_role("button", name="Menu of the run").click()
    component.element.get_by_role("menuitem", name="Rename").click()
    component.element.get_by_label("Title of the run").fill("better")
    component.press("Enter")
    component.element.get_by_role("button", name="Download report").click()
    component.element.get_by_role("menuitem", name="Download as HTML").click()
    page = component.page.url.partition("?")[0]
    assert component.events == [
        ("change_run", {"action": "rename", "id": "r1", "value": "better", "place": "run"}),
        ("download_report", {"id": "r1", "form": "html", "page": page}),
    ]


def listed(name: str, *tags: str) -> RunRowView:
    return RunRowView(
        id=name, title=name, suites="s", contracts="minimal", models="m", when="12:00", result="1/2 passed",
        share=0.5, state="", duration="9 s", tags=tags, is_shared=False,
    )  # fmt: skip


def test_the_list_is_filtered_by_tag_and_kept_behind_a_report(component: Component) -> None:
    gone = DeletedRunView(id="gone", title="gone")
    runs = RunListView(rows=(listed("first", "a"), listed("second", "b")), deleted=(gone,), undo=gone)
    component.mount("suite_run", runs)
    rows = component.element.locator("tbody tr")
    expect(rows).to_have_count(2)
    component.element.get_by_label("Runs with tag").select_option("b")
    expect(rows).to_have_count(1)
    component.element.get_by_role("button", name="second", exact=True).click()
    component.element.get_by_role("button", name="Undo gone").click()
    assert component.events == [
        ("open_run", {"run": "second", "case": "", "arm": ""}),
        ("change_run", {"action": "restore", "id": "gone", "value": "", "place": "list"}),
    ]
    component.update(run("second"))
    # Opening the tab again keeps the report that is shown.
    component.update(replace(runs, is_look=True))
    expect(component.element.get_by_role("heading", level=2)).to_have_text("second")
    component.update(run("other", is_live=True))
    expect(component.element.get_by_role("heading", level=2)).to_have_text("second")
    component.update(runs)
    expect(component.element.get_by_role("heading", level=2)).to_have_text("Recent runs")
    component.update(run("other", is_live=True))
    expect(component.element.get_by_role("heading", level=2)).to_have_text("Recent runs")


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
    marks = tuple(
        ChartMark(x=day * 86_400_000.0, y=y, low=y - 0.1, high=y + 0.1, series="full", label=f"{y:.0%}")
        for day, y in ((20_000, 0.5), (20_001, 0.75))
    )
    chart = Chart(kind=ChartKind.COURSES, title="Pass", series=("full",), marks=marks)
    view = MeasuresView(cards=None, charts=(ChartView(note="", chart=chart),), parts_note="", parts=())
    component.mount("contract_measures", view)
    drawn = component.element.get_by_role("img", name="Pass")
    expect(drawn.locator("circle title")).to_have_text(["50%", "75%"])
    assert drawn.locator('g[stroke-opacity="0.6"] path').count() >= 1


def test_counts_are_bars_with_their_numbers(component: Component) -> None:
    view = RowsView(
        charts=(count_chart("Stored", {"sessions": 1200, "calls": 30}),), hint="Nothing checked yet."
    )
    component.mount("row_preview", view)
    drawn = component.element.get_by_role("img", name="Stored")
    expect(drawn.locator("rect")).to_have_count(2)
    expect(drawn).to_contain_text("1,200")
