"""Mounting components: nothing is lost while a module is loading."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Route, expect

from tests.ui.scripts.component import Component
from workbench.ui.present.data import IMPORTING
from workbench.ui.present.documents import EditorsView
from workbench.ui.present.glossary_terms import TERMS
from workbench.ui.present.guide import PaletteView
from workbench.ui.present.notices import NoticeLine, NoticeView
from workbench.ui.present.sessions import DownloadView
from workbench.ui.script_files import script_paths

pytestmark = pytest.mark.browser

COMPONENTS = [name for name, path in script_paths().items() if "export const mount" in path.read_text()]


@contextmanager
def delayed(component: Component) -> Iterator[list[Route]]:
    """Delay the loading of the scripts until the end of the block."""
    routes: list[Route] = []
    is_over = False
    pattern = "**/all.js"

    def on_request(route: Route) -> None:
        # A slow browser may ask only after the block has ended.
        if is_over:
            route.continue_()
        else:
            routes.append(route)

    component.page.route(pattern, on_request)
    try:
        yield routes
        is_over = True
        for route in routes:
            route.continue_()
        component.page.evaluate("stubs.mounted")
    finally:
        component.page.unroute(pattern)


@pytest.mark.parametrize("script", COMPONENTS)
def test_every_component_draws_an_empty_value_without_errors(component: Component, script: str) -> None:
    columns = "".join(f'<div id="play-{name}"></div>' for name in ("sessions", "setup", "talk", "inspector"))
    component.mount(script, around=f'<div id="play-columns">{columns}</div>')
    component.update(None)


def test_values_that_arrive_before_the_module_are_drawn_in_order(component: Component) -> None:
    page = component.page
    page.evaluate("document.addEventListener('click', (event) => event.preventDefault())")
    page.evaluate("URL.createObjectURL = () => '#'; window.saved = []")
    page.evaluate("document.addEventListener('click', (event) => window.saved.push(event.target.download))")
    with delayed(component):
        component.begin("download", DownloadView(name="old.jsonl", text="", serial=1))
        component.update(DownloadView(name="first.jsonl", text="{}", serial=2))
        component.update(DownloadView(name="second.jsonl", text="{}", serial=3))
        assert page.evaluate("window.saved") == []
    assert page.evaluate("window.saved") == ["first.jsonl", "second.jsonl"]
    component.update(DownloadView(name="third.jsonl", text="{}", serial=4))
    assert page.evaluate("window.saved") == ["first.jsonl", "second.jsonl", "third.jsonl"]


def test_the_last_value_is_shown(component: Component) -> None:
    with delayed(component):
        component.begin("notice")
        for text in ("first", "second"):
            component.update(NoticeView(lines=(NoticeLine(word="error", text=text),)))
        expect(component.element).to_be_empty()
    expect(component.element).to_have_text("errorsecond")


def test_a_key_pressed_before_the_module_is_loaded_is_handled_afterwards(
    component: Component,
) -> None:
    with delayed(component):
        component.begin("palette", PaletteView())
        component.press("Control+k")
        assert component.page.locator("dialog").count() == 0
    expect(component.page.get_by_role("dialog", name="Find anything")).to_be_visible()
    component.press("Control+k")
    expect(component.page.get_by_role("dialog", name="Find anything")).to_be_hidden()


def test_a_handled_key_is_not_pressed_again(component: Component) -> None:
    component.page.evaluate(
        """() => {
          window.handled = 0;
          document.addEventListener("keydown", (event) => {
            if (event.key !== "k") return;
            window.handled += 1;
            event.preventDefault();
          });
        }"""
    )
    with delayed(component):
        component.begin("palette", PaletteView())
        component.press("Control+k")
    expect(component.page.get_by_role("dialog", name="Find anything")).to_be_hidden()
    assert component.page.evaluate("window.handled") == 1


def test_names_and_tooltips_are_added_once_gradio_has_drawn_the_fields(component: Component) -> None:
    names = EditorsView(names=(("text", "Contract text"),), tooltips=(("field", "contract"),))
    component.mount("editors", names, around="<div id=text></div><div id=field></div>")
    component.page.evaluate(
        """() => {
          document.querySelector("#text").innerHTML = "<div class=cm-content></div>";
          document.querySelector("#field").innerHTML = "<span data-testid=block-info>Contract</span>";
        }"""
    )
    expect(component.page.get_by_label("Contract text")).to_have_attribute("tabindex", "0")
    expect(component.page.get_by_title(TERMS["contract"])).to_have_text("Contract")


def test_of_fields_that_change_together_only_the_last_event_is_sent(component: Component) -> None:
    sent = component.page.evaluate(
        """async () => {
          const events = await Promise.allSettled([
            hermesWorkbench.newest("on_texts 1", ["length", ""]),
            hermesWorkbench.newest("on_texts 2", ["other"]),
            hermesWorkbench.newest("on_texts 1", ["length", "text"]),
          ]);
          return events.map((event) => event.value || null);
        }"""
    )
    assert sent == [None, ["other"], ["length", "text"]]
    assert component.page.evaluate("hermesWorkbench.newest('on_texts 1', ['stop', ''])") == ["stop", ""]


def test_an_example_row_waits_for_the_field_of_the_import(component: Component) -> None:
    shown = component.mount("row_findings", IMPORTING, around='<div id="import-file"></div>')
    shown.get_by_role("button").click()
    component.page.evaluate(
        """document.querySelector("#import-file").innerHTML =
          `<input type="file" onchange="this.title = this.files[0].name">`"""
    )
    expect(component.page.get_by_title("example.jsonl")).to_have_count(1)
