"""Mount one component on an empty page, with stubs for what Gradio provides."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Locator, Page

from tests.ui.script_types import values_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

STUBS = """
  const stubs = {
    events: [],
    props: null,
    mount(script, value) {
      const element = document.querySelector("#component");
      const props = (stubs.props = { value });
      const watchers = [];
      stubs.update = (value) => {
        props.value = value;
        for (const onValue of watchers) onValue();
      };
      const trigger = (name, data) => stubs.events.push([name, JSON.parse(JSON.stringify(data))]);
      return hermesWorkbench.mount(script, element, trigger, props, (name, onValue) => watchers.push(onValue));
    },
  };
"""
"""What Gradio passes to a script: an element, a trigger, properties, and a way to watch them."""


class Component:
    """A component and the events that it triggered."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def mount(self, script: str, value: "DataclassInstance | None" = None, *, around: str = "") -> Locator:
        """Put the component on the page, below the HTML `around`, and wait until it is drawn.

        Returns:
            The element of the component.
        """
        self.begin(script, value, around=around)
        self.page.evaluate("stubs.mounted")
        return self.element

    def begin(self, script: str, value: "DataclassInstance | None" = None, *, around: str = "") -> None:
        """Put the component on the page without waiting for it."""
        assert value is None or type(value).__name__ in values_of(script), "its `@param {Part<…>}` is another"
        self.page.evaluate(
            """([script, value, around]) => {
              document.querySelector("#around").innerHTML = around;
              stubs.mounted = stubs.mount(script, value);
              return null;
            }""",
            [script, value and asdict(value), around],
        )

    def at(self, query: str) -> None:
        """Open the page at an address with this query, before the component is mounted."""
        self.page.goto(self.page.url.partition("?")[0] + query)

    def update(self, value: "DataclassInstance | None") -> None:
        """Send a value, as the server does."""
        self.page.evaluate("value => stubs.update(value)", value and asdict(value))

    def reload(self) -> None:
        """Load the page again. The browser's storage stays."""
        self.page.reload()

    @property
    def value(self) -> Any:
        """The value of the component, which events would read."""
        return self.page.evaluate("stubs.props.value")

    @property
    def element(self) -> Locator:
        return self.page.locator("#component")

    @property
    def events(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The events since the last call, in order."""
        return [(name, data) for name, data in self.page.evaluate("stubs.events.splice(0)")]

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the focus is."""
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def focused(self) -> str:
        """The name or the text of the focused element."""
        return self.page.evaluate(
            "(document.activeElement.getAttribute('aria-label') || document.activeElement.textContent)"
        )
