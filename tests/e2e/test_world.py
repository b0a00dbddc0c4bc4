"""The world of a session on the page: changes in the transcript, the World pane, and a what-if branch."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.play import Play, expect_text
from tests.e2e.sizes import every_size
from tests.served import write_script

pytestmark = pytest.mark.browser


def call(name: str, **arguments: str) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


@pytest.fixture
def cancelled(play: Play, tmp_path: Path) -> Play:
    """A conversation in which an order is cancelled."""
    steps = (call("cancel_order", order_id="O-101"), "Done.", call("check_stock", item="mug"), "Nine.")
    play.use_script(write_script(tmp_path / "script.yaml", *steps))
    play.choose("Toolsets", "shop")
    expect_text(play.part("tools-text"), "cancel_order")
    return play.ask("Cancel O-101, please.")


def test_a_call_shows_what_it_changed_and_a_what_if_branch_goes_on_from_another_world(
    cancelled: Play, artifacts: Path
) -> None:
    page = cancelled.page
    changes = cancelled.entries.nth(2).locator(".hw-changes li")
    expect(changes).to_have_text(['~/shop/orders/O-101/status"paid""cancelled"', "~/shop/stock/mug57"])
    cancelled.tab("World")
    world = cancelled.part("world")
    search = world.get_by_role("searchbox", name="Search the world")
    search.fill("O-101")
    expect(world.locator("table")).to_contain_text('/shop/orders/O-101/status"cancelled"')
    expect(world.locator("table")).not_to_contain_text("O-103")
    for _ in every_size(page, artifacts, "world"):
        pass
    page.set_viewport_size({"width": 1440, "height": 900})

    world.get_by_role("button", name="Edit world").click()
    field = world.get_by_role("textbox", name="World as JSON")
    value = json.loads(field.input_value())
    assert value["shop"]["stock"]["mug"] == 7
    field.fill("{")
    world.get_by_role("button", name="Save as branch").click()
    expect(cancelled.part("notice")).to_contain_text("the world: it is not JSON")
    value["shop"]["stock"]["mug"] = -1
    field.fill(json.dumps(value))
    world.get_by_role("button", name="Save as branch").click()
    expect(cancelled.part("notice")).to_contain_text("it does not match its schema: /stock/mug")
    value["shop"]["stock"]["mug"] = 9
    field.fill(json.dumps(value))
    world.get_by_role("button", name="Save as branch").click()
    expect(world.locator("table")).to_contain_text("O-101")
    search.fill("/stock/mug")
    expect(world.locator("table")).to_contain_text("/shop/stock/mug9")

    cancelled.ask("How many mugs?")
    expect(cancelled.entries.last).to_contain_text("Nine.")
    assert '"in_stock": 9' in cancelled.server.path(cancelled.session_id)[-2].message.text

    cancelled.tab("World")
    world.get_by_role("button", name="Reset world").click()
    expect(world.locator("table")).to_contain_text("/shop/stock/mug5")


def test_without_a_world_the_pane_says_so(play: Play) -> None:
    play.tab("World")
    expect(play.part("world")).to_contain_text("once a conversation has started")
