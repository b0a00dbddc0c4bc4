"""The button that shows and hides components that are seldom needed."""

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.ui.present.fold import FoldView

pytestmark = pytest.mark.browser


def test_the_button_shows_and_hides_the_components(component: Component) -> None:
    content = "<div id='more' class='hw-fold-content'><input aria-label='Seed'></div>"
    component.mount("fold", FoldView(label="More sampling", content="more"), around=content)
    button = component.element.get_by_role("button", name="More sampling")
    seed = component.page.get_by_label("Seed")
    expect(button).to_have_attribute("aria-controls", "more")
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(seed).to_be_hidden()
    button.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(seed).to_be_visible()
    button.press("Space")
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(seed).to_be_hidden()
