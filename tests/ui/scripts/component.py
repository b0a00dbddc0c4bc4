"""One component on an empty page, with stubs for what Gradio gives it."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Locator, Page

from workbench.ui.script_files import address_of_script

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

STUBS = """
  const stubs = {
    events: [],
    mount(address, value) {
      const element = document.querySelector("#component");
      const props = { value };
      const watchers = [];
      stubs.update = (value) => {
        props.value = value;
        for (const heard of watchers) heard();
      };
      const trigger = (name, data) => stubs.events.push([name, JSON.parse(JSON.stringify(data))]);
      return hermesWorkbench.mount(address, element, trigger, props, (name, heard) => watchers.push(heard));
    },
  };
"""
"""What Gradio hands to a script: an element, a trigger, properties, and a way to watch them."""


class Component:
    """A component, and what it did."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def mount(self, script: str, value: "DataclassInstance | None" = None, *, around: str = "") -> Locator:
        """Puts the component on the page, below the HTML `around`, and waits until it is drawn.

        Returns:
            The component's element.
        """
        self.begin(script, value, around=around)
        self.page.evaluate("stubs.mounted")
        return self.element

    def begin(self, script: str, value: "DataclassInstance | None" = None, *, around: str = "") -> None:
        """The same without waiting."""
        address = address_of_script(script)
        self.page.evaluate(
            """([address, value, around]) => {
              document.querySelector("#around").innerHTML = around;
              stubs.mounted = stubs.mount(address, value);
              return null;
            }""",
            [address, value and asdict(value), around],
        )

    def update(self, value: "DataclassInstance | None") -> None:
        """Sends a value, as the server does."""
        self.page.evaluate("value => stubs.update(value)", value and asdict(value))

    def reload(self) -> None:
        """Loads the page again; what the browser keeps stays."""
        self.page.reload()

    @property
    def element(self) -> Locator:
        return self.page.locator("#component")

    @property
    def events(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The events that it triggered, in order, and forgets them."""
        return [(name, data) for name, data in self.page.evaluate("stubs.events.splice(0)")]

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other, wherever the focus is."""
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def focused(self) -> str:
        """The name or the text of the element that has the focus."""
        return self.page.evaluate(
            "(document.activeElement.getAttribute('aria-label') || document.activeElement.textContent)"
        )
