"""The browser's side of `Drawn`, called as Gradio calls its components."""

import pytest
from playwright.sync_api import Page

from tests.ui.scripts.component import Component

pytestmark = pytest.mark.browser

GRADIO = """() => {
  hermesWorkbench.mount = (script, element, trigger, props, watch) => {
    window.drawn = { script, trigger, props, seen: [JSON.stringify(props.value)] };
    element.textContent = script;
    watch("value", () => drawn.seen.push(JSON.stringify(props.value)));
  };
  window.calls = [];
  window.gradio_config = { layout: { id: 2 } };
  window.shared_props = {
    id: 7, elem_id: "part", elem_classes: ["hw", "hw-h"],
    register_component: (id, set, get) => Object.assign(window, { registered: id, set, get }),
    dispatcher: (...call) => calls.push(call),
  };
  document.querySelector("#around").innerHTML = "<i></i><b></b>";
  // Gradio's values are observed objects, which cannot be copied by `structuredClone`.
  window.given = new Proxy({ words: ["one"] }, {});
  return __GRADIO__CC__.drawn.component().then((module) =>
    module.default(document.querySelector("#around b"), { shared_props, props: { script: "raw", value: given } }));
}"""
"""What Gradio does with a component (gradio 6.31, js/core/src)."""


@pytest.fixture
def page(component: Component) -> Page:
    component.page.evaluate(GRADIO)
    return component.page


def test_the_element_goes_where_gradio_puts_the_component(page: Page) -> None:
    expected = '<i></i><div id="part" class="block hw hw-h"><div class="hw hw-h">raw</div></div><b></b>'
    assert page.evaluate("document.querySelector('#around').innerHTML") == expected


def test_events_are_those_of_the_page_and_carry_the_id_of_the_component(page: Page) -> None:
    page.evaluate("drawn.trigger('open', { id: 1 }); drawn.trigger('close')")
    assert page.evaluate("calls") == [[2, "open 7", {"id": 1}], [2, "close 7", {}]]
    assert page.evaluate("registered") == 7


def test_a_value_is_passed_on_once_and_the_last_one_of_a_moment_counts(page: Page) -> None:
    seen = page.evaluate(
        """async () => {
          const rest = () => new Promise((resolve) => setTimeout(resolve));
          set({ value: { words: ["one"] } });
          await rest();
          set({ value: { words: ["two"] } });
          set({ loading_status: "pending" });
          set({ value: { words: ["three"] } });
          await rest();
          set({ value: null });
          await rest();
          return drawn.seen;
        }"""
    )
    assert seen == ['{"words":["one"]}', '{"words":["three"]}', "null"]


def test_a_value_that_the_script_sets_is_what_events_read(page: Page) -> None:
    assert page.evaluate("get()") == {"value": {"words": ["one"]}}
    page.evaluate("drawn.props.value = { words: ['typed'] }")
    assert page.evaluate("get()") == {"value": {"words": ["typed"]}}


def test_a_value_that_arrives_again_replaces_what_the_script_set(page: Page) -> None:
    page.evaluate("drawn.props.value = { words: ['typed'] }; set({ value: { words: ['one'] } })")
    assert page.evaluate("get()") == {"value": {"words": ["one"]}}
    page.evaluate("drawn.props.value.words.push('drawn'); set({ value: { words: ['one'] } })")
    assert page.evaluate("get()") == {"value": {"words": ["one"]}}
    assert page.evaluate("drawn.seen.length") == 3


def test_gradio_s_own_values_are_copied(page: Page) -> None:
    page.evaluate("given.words.push('later')")
    assert page.evaluate("drawn.props.value") == {"words": ["one"]}


CLOCK = """
(name) => {
  window[name] = 0;
  const tick = () => requestAnimationFrame(() => { window[name] += 1; tick(); });
  tick();
}
"""
"""Counts frames for as long as it gets them, like the seconds of Gradio's loader."""


def test_a_chain_of_frames_that_began_before_the_page_was_there_is_ended(page: Page) -> None:
    page.evaluate("hermesWorkbench.mountedAt = undefined")
    page.evaluate(CLOCK, "loader")
    page.evaluate("hermesWorkbench.mountedAt = performance.now()")
    page.evaluate(CLOCK, "page")
    page.wait_for_function("performance.now() > hermesWorkbench.mountedAt + 2200")
    before = page.evaluate("[loader, page]")
    page.wait_for_function("(count) => page > count + 2", arg=before[1])
    assert page.evaluate("loader") == before[0] > 2
