"""From a policy to rows: talk to the model, save the talk as a case, measure it, fix the contract, export what passed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import TURN_MS, Play, expect_text, open_tab
from tests.e2e.sizes import every_size
from tests.e2e.test_every_tab import findings
from tests.e2e.test_world import call
from tests.served import Server, served, write_script

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ASKS, CANCELS = "What is your mail address?", call("cancel_order", order_id="O-101")
RIGHT, WRONG = (ASKS, CANCELS, "O-101 is cancelled."), (ASKS, "I cannot cancel it.")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with a model that fails the third of the first ten repetitions, and then none."""
    folder = tmp_path_factory.mktemp("journey")
    talks = (RIGHT, RIGHT, RIGHT, WRONG, *(RIGHT,) * 17)
    script = write_script(folder / "model.yaml", *(text for talk in talks for text in talk))
    write_script(folder / "person.yaml", "ana@example.org", "###STOP###")
    yield from served(folder, f"scripted:{script}", WORKBENCH_CONTRACT="shop")


def change_policy(play: Play, line: str) -> None:
    """Add a line to the policy, as a draft."""
    editor = play.part("contract-text")
    text = (Path(__file__).parents[2] / "prompts/contracts/shop.md").read_text(encoding="utf-8")
    play.edit("contract-text", text.replace("# How to call", f"- {line}\n\n# How to call"))
    expect_text(editor, line)


def test_a_policy_is_edited_talked_to_measured_fixed_and_exported(
    fresh_page: Page, server: Server, artifacts: Path, tmp_path: Path
) -> None:
    page = fresh_page
    play = Play(page, server).open()
    play.choose("Toolsets", "shop")
    expect_text(play.part("tools-text"), "cancel_order")
    change_policy(play, "Thank the customer.")

    # The person of this conversation is the one at the keyboard.
    play.ask("Please cancel my order O-101.")
    play.ask("It's ana@example.org.")
    expect(play.entries.last).to_contain_text("O-101 is cancelled.")
    changes = play.part("transcript").locator(".hw-changes li")
    expect(changes.first).to_contain_text('/shop/orders/O-101/status"paid""cancelled"')

    play.menu(play.entries.last, "Create a case from this conversation …")
    pane = play.part("message-pane")
    suite = pane.get_by_role("combobox", name="Suite, also a new one")
    expect(suite).to_be_focused()
    for _ in every_size(page, artifacts, "play-case"):
        assert findings(page, "the form of a case") == []
    page.set_viewport_size({"width": 1440, "height": 900})
    suite.fill("a/b")
    pane.get_by_role("button", name="Save case").click()
    expect(play.part("notice")).to_contain_text("not usable as a file name")
    suite.fill("journey")
    pane.get_by_role("button", name="Save case").click()
    expect(play.part("notice")).to_contain_text("Added the case please-cancel-my-order-o-101-")
    expect(pane.locator("section")).to_have_count(0)
    play.part("notice").get_by_role("link", name="Open").click()
    expect(page.locator("#suites-text")).to_contain_text("mail address")
    expect(page.locator("#suites-text")).to_contain_text("/shop/orders/O-101/status")
    expect(page.locator("#suites-checked")).to_contain_text("No problems found.")
    page.get_by_role("button", name="Use in a run").click()

    person = page.locator("#suites-person input")
    page.get_by_label("Repetitions").fill("10")
    page.get_by_text("Cases and limits").click()
    person.fill(f"scripted:{server.folder / 'person.yaml'}")
    person.press("Enter")
    expect(page.locator("#suites-size")).to_contain_text("10 case runs: 1 case × 1 arm × 10 repetitions")
    page.keyboard.press("Control+Enter")
    shown = page.locator("#suites-run")
    expect(shown).to_contain_text("10 of 10 results · done", timeout=TURN_MS)
    expect(shown).to_contain_text("model 1")
    shown.locator(".hw-cell").filter(has_text="9/10").click()
    failed = page.locator("#suites-plays .hw-play").filter(has_text="who failed")
    expect(failed).to_have_count(1)
    expect(failed).to_contain_text("(turn 2)")
    for _ in every_size(page, artifacts, "suites-conversations"):
        assert findings(page, "conversations of a run") == []
    page.set_viewport_size({"width": 1440, "height": 900})

    failed.get_by_role("link", name="Open turn 2 in Play").click()
    expect(play.part("transcript").locator(".hw-entry.is-selected")).to_contain_text("ana@example.org")
    change_policy(play, "Cancel a paid order at once.")
    open_tab(page, "Suites")
    shown.get_by_role("button", name="Run failing cases again").click()
    expect(page.locator("#suites-comparison")).to_contain_text("1 fixed", timeout=TURN_MS)
    expect(shown).to_contain_text("10 of 10 results · done")

    shown.get_by_role("button", name="Keep passed rollouts as sessions").click()
    expect(page.locator("#suites-notice")).to_contain_text("Kept 10 of 10 passed rollouts")
    open_tab(page, "Play")
    with page.expect_download() as download:
        page.get_by_role("button", name="All sessions").click()
    rows = tmp_path / "rows.jsonl"
    download.value.save_as(rows)
    kept = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    assert len(kept) == 11
    checked = subprocess.run(
        [sys.executable, "-m", "workbench", "check", str(rows)], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
