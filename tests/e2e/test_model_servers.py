"""A stranger connects their own server in the browser: the header's model, a form, a test, chat or raw."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import SLOW_MS, open_tab
from tests.engines.remote.scripted_server import scripted_server
from tests.engines.remote.test_server_lists import KEY, listing, with_key
from tests.engines.remote.test_server_report import HERMES, ToolServer
from tests.engines.remote.test_server_report import served as lab_server
from tests.served import Server, free_port, served
from workbench.engines.remote.server import ServerKind

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def workbench(page: Page, tmp_path: Path) -> Iterator[Server]:
    serving = served(tmp_path, "scripted:demo")
    server = next(serving)
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(server.url)
    expect(page.locator("#page-header")).to_contain_text("scripted:demo · ready")
    page.keyboard.press("Escape")
    yield server
    page.goto("about:blank")
    next(serving, None)


def test_a_server_is_added_tested_used_and_asked_with_raw_completions(page: Page, workbench: Server):
    with lab_server(ToolServer(calls=0, content=HERMES), ServerKind.VLLM) as (_, url):
        page.locator(".hw-model").click()
        page.get_by_role("button", name="Add a server…").click()
        page.get_by_label("URL").fill(url)
        page.get_by_role("button", name="Save server").click()
        page.get_by_role("button", name="Test 127.0.0.1").click()
        expect(page.locator(".hw-server-report .t-error")).to_contain_text("--tool-call-parser hermes")
        page.get_by_role("button", name="Use hermes on 127.0.0.1").click()
        expect(page.locator("#page-header")).to_contain_text("hermes @127.0.0.1 · ready")
        page.locator(".hw-model").click()
        page.get_by_role("button", name="hermes, raw").click()
        expect(page.locator("#page-header")).to_contain_text("hermes @127.0.0.1 (raw) · ready")
        expect(page.get_by_role("combobox", name="Model", exact=True)).to_have_value(
            "openai:127.0.0.1/hermes+raw"
        )


def test_a_server_that_refuses_the_key_is_listed_until_the_right_one_is_entered(
    page: Page, workbench: Server
):
    with scripted_server(with_key("hermes")) as server:
        file = workbench.folder / "data" / "servers.yaml"
        # Written while the page is open.
        file.write_text(f"servers:\n  lab: {{base_url: {server.url}, key_in: session}}\n")
        open_tab(page, "Models")
        line = page.locator(".hw-server[data-server=lab]")
        expect(line).to_contain_text("it needs an API key")
        line.get_by_role("button", name="Edit lab").click()
        page.get_by_label("Key", exact=True).fill(KEY.reveal())
        page.get_by_role("button", name="Save server").click()
        expect(line).to_contain_text("vllm · 1 model")
        assert KEY.reveal() not in file.read_text()
        line.get_by_role("button", name="Remove lab").click()
        line.get_by_role("button", name="Remove lab").click()
        expect(line).to_have_count(0)
        page.locator(".hw-model").click()
        expect(page.get_by_role("dialog", name="Choose a model")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="Choose a model")).to_be_hidden()


def test_models_of_servers_can_be_chosen_at_the_first_and_at_every_later_opening(
    page: Page, workbench: Server
):
    # The default model is loaded already.
    with scripted_server(listing("hermes")) as server:
        (workbench.folder / "data" / "servers.yaml").write_text(
            f"servers:\n  lab: {{base_url: {server.url}}}\n  down: {{base_url: http://127.0.0.1:1/v1}}\n"
        )
        for _ in range(2):
            page.goto(workbench.url)
            expect(page.locator("#page-header")).to_contain_text("scripted:demo · ready")
            page.get_by_role("combobox", name="Model", exact=True).click()
            expect(page.get_by_role("option", name="openai:lab/hermes")).to_be_visible()


def test_retry_lists_a_server_that_was_down_in_the_picker_and_on_models(page: Page, workbench: Server):
    ports = {"one": free_port(), "two": free_port()}
    lines = [f"  {name}: {{base_url: 'http://127.0.0.1:{port}/v1'}}\n" for name, port in ports.items()]
    (workbench.folder / "data" / "servers.yaml").write_text(f"servers:\n{''.join(lines)}")
    page.locator(".hw-model").click()
    picker = page.get_by_role("dialog", name="Choose a model")
    retry = picker.get_by_role("button", name="Retry one")
    retry.click()
    expect(retry).to_be_enabled()
    expect(picker.get_by_role("button", name="hermes", exact=True)).to_have_count(0)
    with scripted_server(listing("hermes"), port=ports["one"]):
        retry.click()
        expect(picker.get_by_role("button", name="hermes", exact=True)).to_be_visible()
        expect(retry).to_have_count(0)
        expect(picker.get_by_role("button", name="Retry two")).to_be_enabled()
        picker.get_by_role("button", name="hermes", exact=True).click()
        expect(page.locator("#page-header")).to_contain_text("hermes @one · ready")
    open_tab(page, "Models")
    line = page.locator(".hw-server[data-server=two]")
    line.get_by_role("button", name="Test two").click()
    expect(line.locator(".hw-server-report")).to_contain_text("1 problem found")
    line.get_by_role("button", name="Retry two").click()
    expect(line.locator(".hw-server-report")).to_have_count(0)
    expect(line).to_contain_text("no answer")
    with scripted_server(listing("hermes"), port=ports["two"]):
        line.get_by_role("button", name="Retry two").click()
        expect(line).to_contain_text("vllm · 1 model")
        expect(line).not_to_contain_text("no answer")
        line.get_by_role("button", name="Use hermes on two").click()
        expect(page.locator("#page-header")).to_contain_text("hermes @two · ready")
