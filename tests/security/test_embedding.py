"""The page in a frame of another site: it works on a Space for allowed sites, and nowhere else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.e2e.play import SLOW_MS, TOUR_ENDED, Play
from tests.security.conftest import PASSWORDS, Embedding
from tests.served import Server
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.ui.gate.headers import SecurityHeaders

pytestmark = pytest.mark.browser

ARTIFACTS = Path(__file__).parents[2] / "artifacts"


@pytest.fixture
def hub(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """Open a tab of another site, and collect the errors in its console."""
    expect.set_options(timeout=SLOW_MS)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(TOUR_ENDED)
    page = context.new_page()
    said = list[str]()
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page, said
    context.close()


def framed(hub: Page, embedding: Embedding, server: Server) -> FrameLocator:
    hub.goto(f"{embedding.origin}/?{server.url}/")
    return hub.frame_locator("#frame")


def test_a_space_works_in_the_frame_of_an_allowed_site(
    hub: tuple[Page, list[str]], embedding: Embedding, space: Server
) -> None:
    page, said = hub
    frame = framed(page, embedding, space)
    expect(frame.locator("#page-header")).to_contain_text("ready")
    expect(frame.locator("#play-system-text")).to_contain_text("tokens")
    # The browser refuses storage to frames of other sites, so the tour is always new there.
    frame.get_by_text("Skip tour").click()
    frame.locator("#play-composer textarea").fill("Is anybody there?")
    frame.locator("#play-composer textarea").press("Control+Enter")
    expect(frame.locator("#play-transcript")).to_contain_text("Hello from the Space.")
    expect(frame.locator("#play-live")).to_be_hidden()
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / "embedded-space.png")
    cookies = {cookie["name"]: cookie for cookie in page.context.cookies(space.url)}
    assert cookies and all(cookie["httpOnly"] and cookie["secure"] for cookie in cookies.values())
    assert said == []


def test_a_page_outside_of_a_space_is_not_shown_in_frames_of_other_sites(
    hub: tuple[Page, list[str]], embedding: Embedding, laptop: Server, team: Server
) -> None:
    page, said = hub
    for server in (laptop, team):
        frame = framed(page, embedding, server)
        page.wait_for_load_state("networkidle")
        expect(frame.locator("#page-header, form")).to_have_count(0)
        assert any("frame-ancestors" in one or "X-Frame-Options" in one for one in said), said
        said.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_login_form_works_and_shows_errors(browser: Browser, team: Server, scheme: str) -> None:
    expect.set_options(timeout=SLOW_MS)
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    context.add_init_script(TOUR_ENDED)
    page = context.new_page()
    violations, visited = list[str](), list[str]()
    page.on("request", lambda asked: visited.append(asked.url) if asked.is_navigation_request() else None)
    page.on("console", lambda message: violations.append(message.text) if "Policy" in message.text else None)
    page.goto(f"{team.url}/?session=unknown")
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_have_text("Incorrect credentials.")
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"login-{scheme}.png")
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password").fill(PASSWORDS["bob"])
    page.keyboard.press("Enter")
    Play(page, team).wait_until_open()
    assert visited[-1] == f"{team.url}/?session=unknown"
    page.screenshot(path=ARTIFACTS / f"team-{scheme}.png")
    page.locator("#page-account").get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Password")).to_be_visible()
    assert violations == []
    context.close()


def test_the_hub_can_show_only_spaces_in_a_frame() -> None:
    space = SecurityHeaders.of(read_settings({"SPACE_ID": "someone/workbench"}))
    assert space.frame_ancestors == ("https://huggingface.co",)
    assert SecurityHeaders.of(read_settings({})).frame_ancestors == ()


@pytest.mark.parametrize(
    "origin",
    ["*", "'none'", "example.org", "https://a.example; script-src *", "https://a.example/x", "data:"],
)
def test_a_setting_that_is_not_an_origin_is_refused(origin: str) -> None:
    with pytest.raises(BadInput, match="WORKBENCH_FRAME_ANCESTORS"):
        read_settings({"WORKBENCH_FRAME_ANCESTORS": origin})
