"""The Models tab in a browser: search, download, use, delete, load an adapter."""

import os

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import SLOW_MS, expect_tab, open_tab
from tests.engines.hub.hub_server import hub_server
from tests.engines.test_adapters import adapter
from tests.served import served

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]

FILES = {"Hermes-Tiny.Q4_K_M.gguf": os.urandom(3_000_000), "Hermes-Tiny.Q8_0.gguf": os.urandom(4_000_000)}


@pytest.fixture
def tab(page: Page, tmp_path, monkeypatch):
    with hub_server(dict(FILES)) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        serving = served(tmp_path, "scripted:demo")
        server = next(serving)
        page.set_default_timeout(SLOW_MS)
        expect.set_options(timeout=SLOW_MS)
        page.goto(server.url)
        open_tab(page, "Models")
        expect(page.locator("#models-here")).to_contain_text("scripted:demo")
        yield page
        page.goto("about:blank")
        next(serving, None)


def test_a_model_is_found_downloaded_chosen_and_deleted(tab: Page):
    expect(tab.locator("#models-found")).to_contain_text("Hermes 3, 8B")
    tab.get_by_label("Model name").fill("hermes tiny")
    tab.get_by_role("button", name="Search", exact=True).click()
    tab.get_by_role("button", name="Files NousResearch/Hermes-Tiny-GGUF").click()
    expect(tab.locator("#models-found li")).to_have_count(2)
    expect(tab.locator("#models-found")).to_contain_text("fits")
    tab.get_by_role("button", name="Download Q4_K_M").click()
    expect(tab.locator("#models-pull")).to_contain_text("downloaded; select it on the left")
    here = tab.locator("#models-here")
    expect(here).to_contain_text("Hermes-Tiny.Q4_K_M.gguf")
    delete = here.get_by_role("button", name="Delete Hermes-Tiny.Q4_K_M.gguf")
    delete.click()
    expect(delete).to_have_text("Delete 3 MB?")
    delete.click()
    expect(here).not_to_contain_text("Hermes-Tiny")
    here.get_by_role("button", name="Use embedded", exact=True).click()
    expect_tab(tab, "Play")
    expect(tab.get_by_role("combobox", name="Model", exact=True)).to_have_value("embedded")


def test_a_search_without_results_is_reported_and_an_empty_search_shows_the_recommended_models(tab: Page):
    tab.get_by_role("button", name="Files Hermes 3, 3B").click()
    expect(tab.locator("#models-notice")).to_contain_text("no such repository")
    tab.get_by_role("button", name="Search", exact=True).click()
    expect(tab.locator("#models-found")).to_contain_text("Recommended")


def test_an_adapter_is_loaded_from_its_folder_and_shows_its_receipt(tab: Page, tmp_path):
    folder = adapter(tmp_path / "runs" / "first").parent
    place = tab.get_by_label("Adapter folder or GGUF file")
    place.fill(str(folder / "nowhere"))
    tab.locator("#models-look").click()
    expect(tab.locator("#models-place-notice")).to_contain_text("no file")
    place.fill(str(folder))
    tab.locator("#models-look").click()
    row = tab.locator("#models-adapters li").first
    expect(row).to_contain_text("receipt matches the file")
    expect(row).to_contain_text("for embedded")
    expect(tab.locator("#models-place-notice")).not_to_contain_text("no file")
    row.get_by_text("Receipt", exact=True).click()
    expect(row.locator("pre")).to_contain_text('"steps": 3')
    row.get_by_role("button", name="Use first").click()
    expect_tab(tab, "Play")
    expect(tab.get_by_role("combobox", name="Model", exact=True)).to_have_value(f"embedded+{folder}")
