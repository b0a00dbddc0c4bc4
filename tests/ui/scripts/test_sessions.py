"""The list of sessions: search and filters."""

import json

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.ui.present.sessions import SessionsView

pytestmark = pytest.mark.browser


def test_filters_have_visible_labels_and_are_sent_together(component: Component) -> None:
    component.mount("sessions", SessionsView(rows=()))
    element = component.element
    element.get_by_text("Filter", exact=True).click()
    for text in ("Used since", "Used before"):
        expect(element.get_by_text(text, exact=True)).to_be_visible()
    element.get_by_label("Used since").fill("2026-11-21")
    element.get_by_label("Tag").fill("batch")
    expect(element.get_by_text("2 active")).to_be_visible()
    name, data = component.events[-1]
    assert (name, json.loads(data["filter"])) == ("search_sessions", {"tag": "batch", "since": "2026-11-21"})
