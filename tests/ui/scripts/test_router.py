"""The router of addresses, with a stub of Gradio's tabs."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.ui.scripts.component import Component

pytestmark = [pytest.mark.browser]

TABS = """
  const names = ["play", "contracts", "suites", "data"];
  document.querySelector("#around").innerHTML =
    `<div id="page-tabs"><div class="tab-wrapper">${names
      .map((name) => `<button role="tab" data-tab-id="${name}" aria-selected="${name === "play"}">${name}</button>`)
      .join("")}</div></div>`;
  const buttons = [...document.querySelectorAll("[role=tab]")];
  const select = (chosen) => {
    for (const button of buttons) button.setAttribute("aria-selected", String(button === chosen));
  };
  for (const button of buttons) button.addEventListener("click", () => select(button));
  stubs.asked = [];
  stubs.select = (name) => select(buttons.find((button) => button.dataset.tabId === name));
  for (const name of names)
    hermesWorkbench.router.onPlace(name, (values, request) => {
      stubs.asked.push([name, { ...values }, request]);
    });
  hermesWorkbench.router.here("play", Object.fromEntries(new URLSearchParams(location.search)), { request: 1 });
  hermesWorkbench.router.start();
"""


class Tabs:
    """A page with a few tabs."""

    def __init__(self, component: Component, query: str = "") -> None:
        self.page: Page = component.page
        component.at(query)
        self.page.evaluate(f"() => {{ {TABS} }}")
        self.settle()

    def settle(self) -> None:
        self.page.evaluate("() => new Promise((done) => setTimeout(done, 80))")

    def call(self, name: str, *values: Any) -> Any:
        result = self.page.evaluate(f"values => hermesWorkbench.router.{name}(...values)", list(values))
        self.settle()
        return result

    def here(self, tab: str, values: dict[str, str], **more: Any) -> None:
        self.call("here", tab, values, more)

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.page.url).query))

    @property
    def tab(self) -> str:
        return self.page.evaluate("document.querySelector('[role=tab][aria-selected=true]').dataset.tabId")

    @property
    def asked(self) -> list[tuple[str, dict[str, str], int]]:
        return [(tab, values, number) for tab, values, number in self.page.evaluate("stubs.asked.splice(0)")]

    def click(self, tab: str) -> None:
        self.call("choose", tab)

    def back(self) -> None:
        self.page.evaluate("history.back()")
        self.settle()


def test_tabs_and_what_they_show_are_steps_of_the_history(component: Component) -> None:
    tabs = Tabs(component)
    tabs.here("play", {"session": "a"})
    assert tabs.query == {"tab": "play", "session": "a"}
    tabs.click("contracts")
    tabs.here("contracts", {"contract": "full"})
    tabs.call("goTo", "contracts", {"contract": "minimal"})
    assert tabs.query == {"tab": "contracts", "contract": "minimal"}
    [(_, values, number)] = tabs.asked
    assert values == {"contract": "minimal"}
    tabs.here("contracts", {"contract": "minimal"}, request=number)
    tabs.back()
    assert tabs.query == {"tab": "contracts", "contract": "full"}
    [(_, values, number)] = tabs.asked
    tabs.here("contracts", values, request=number)
    tabs.back()
    # Play still shows that session: nothing is opened again.
    assert (tabs.query, tabs.tab, tabs.asked) == ({"tab": "play", "session": "a"}, "play", [])


def test_a_selected_message_replaces_the_step(component: Component) -> None:
    tabs = Tabs(component)
    tabs.here("play", {"session": "a"})
    steps = tabs.page.evaluate("history.length")
    for message in "xyz":
        tabs.here("play", {"session": "a", "message": message})
    assert tabs.query["message"] == "z"
    assert tabs.page.evaluate("history.length") == steps
    tabs.here("play", {"session": "b"})
    assert tabs.page.evaluate("history.length") == steps + 1


def test_late_answers_do_not_change_the_address(component: Component) -> None:
    tabs = Tabs(component)
    tabs.here("play", {"session": "a"})
    for session in "bc":
        tabs.call("goTo", "play", {"session": session})
    first, second = (number for _, _, number in tabs.asked)
    tabs.here("play", {"session": "a", "message": "m"})
    tabs.here("play", {"session": "b"}, request=first)
    assert tabs.query["session"] == "c"
    assert tabs.call("session") == "a"
    tabs.here("play", {"session": "c"}, request=second)
    assert (tabs.query["session"], tabs.call("session")) == ("c", "c")


def test_an_address_of_something_gone_stays_until_something_else_is_shown(component: Component) -> None:
    tabs = Tabs(component)
    tabs.call("goTo", "play", {"session": "gone"})
    tabs.here("play", {}, request=tabs.asked[0][2])
    assert (tabs.query["session"], tabs.call("session")) == ("gone", "")
    tabs.here("play", {"session": "new"})
    assert tabs.query["session"] == "new"


def test_a_link_to_a_tab_opens_it_and_a_reload_remembers_the_others(component: Component) -> None:
    tabs = Tabs(component, "?session=a")
    tabs.here("play", {"session": "a"})
    tabs.call("goTo", "suites", {"run": "r", "case": "one"})
    tabs = Tabs(component, "?tab=data&tag=x&__theme=dark&other=1")
    assert (tabs.tab, tabs.call("valuesOf", "play"), tabs.call("ofPlay")) == (
        "data",
        {"session": "a"},
        ["?tab=play&session=a"],
    )
    assert [(tab, values) for tab, values, _ in tabs.asked] == [("data", {"tag": "x"})]
    tabs.click("suites")
    assert [(tab, values) for tab, values, _ in tabs.asked] == [("suites", {"run": "r", "case": "one"})]
    assert tabs.query["case"] == "one"
    tabs.click("play")
    assert tabs.query == {"tab": "play", "session": "a", "__theme": "dark", "other": "1"}


@pytest.mark.parametrize(
    "query",
    [
        "?tab=__proto__&session=a",
        "?tab=constructor",
        "?tab=%22%5D%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
        "?tab=contracts&contract=%22%5D%20*%20%7B%7D",
        "?tab=data&tag=" + "x" * 5000,
    ],
)
def test_an_address_may_be_anything(component: Component, query: str) -> None:
    tabs = Tabs(component, query)
    assert tabs.tab in ("play", "contracts", "data")
    assert all(len(value) <= 200 for _, values, _ in tabs.asked for value in values.values())
    tabs.click("suites")
    assert tabs.query == {"tab": "suites"}


def test_stored_places_may_be_anything(component: Component) -> None:
    for text in (
        "{",
        "[]",
        "null",
        '{"play": null}',
        '{"play": {"session": {"x": 1}}, "no": {"a": "b"}}',
        '"x"',
    ):
        component.page.evaluate("text => sessionStorage.setItem('hermes-workbench:places', text)", text)
        tabs = Tabs(component, "?tab=data")
        assert tabs.tab == "data"
        component.page.evaluate("sessionStorage.clear()")


def test_links_to_places_do_not_load_the_page_again(component: Component) -> None:
    tabs = Tabs(component)
    tabs.page.evaluate(
        """() => {
          window.isSame = true;
          document.querySelector("#component").innerHTML =
            `<a href="?session=s&message=m">here</a> <a href="?x=1#y">elsewhere</a>
             <a href="?tab=data" target="_blank">other</a>`;
        }"""
    )
    tabs.page.get_by_text("here", exact=True).click()
    tabs.settle()
    assert tabs.query == {"tab": "play", "session": "s", "message": "m"}
    assert [(tab, values) for tab, values, _ in tabs.asked] == [("play", {"session": "s", "message": "m"})]
    with tabs.page.context.expect_page() as opened:
        tabs.page.get_by_text("other").click(modifiers=["Control"])
    opened.value.close()
    assert tabs.page.evaluate("window.isSame")


def test_a_tab_that_the_server_opens_is_a_step(component: Component) -> None:
    tabs = Tabs(component)
    tabs.page.evaluate("stubs.select('suites')")
    tabs.settle()
    assert tabs.query == {"tab": "suites"}
    tabs.back()
    assert (tabs.query, tabs.tab) == ({}, "play")


def test_quick_steps_back_end_at_the_last_one(component: Component) -> None:
    tabs = Tabs(component)
    for tab in ("contracts", "suites", "data", "contracts"):
        tabs.click(tab)
    tabs.page.evaluate("() => { for (let step = 0; step < 3; step += 1) history.back(); }")
    tabs.settle()
    assert (tabs.query, tabs.tab) == ({"tab": "contracts"}, "contracts")
    tabs.page.evaluate("history.forward()")
    tabs.settle()
    assert (tabs.query, tabs.tab) == ({"tab": "suites"}, "suites")


def test_a_tab_that_is_chosen_while_the_page_loads_stays_open(component: Component) -> None:
    page = component.page
    component.at("")
    page.evaluate(f"() => {{ {TABS.replace('hermesWorkbench.router.start();', '')} }}")
    page.evaluate("() => hermesWorkbench.router.choose('contracts')")
    page.evaluate("() => hermesWorkbench.router.start()")
    expect(page.locator("[data-tab-id=contracts]")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile(r"\?tab=contracts$"))
