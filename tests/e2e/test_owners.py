"""The owner of sessions: a browser or an account; and what others see through a shared link."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.play import TOUR_ENDED, Play, open_tab
from tests.e2e.provider import ACCESS_TOKEN, Provider, provided
from tests.library.datasets.hub_server import HubServer, serving_hub
from tests.served import Server, served, write_script
from workbench.app.passwords import hash_password

pytestmark = [pytest.mark.browser, pytest.mark.long]

QUESTION = "What is the flumbuster reading for cairo?"


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page as on a Space, for anonymous visitors."""
    folder = tmp_path_factory.mktemp("space")
    script = write_script(folder / "script.yaml", "Hello.")
    yield from served(folder, f"scripted:{script}", SPACE_ID="someone/workbench", WORKBENCH_HOST="127.0.0.1")


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with two accounts, one of them an admin."""
    folder = tmp_path_factory.mktemp("locked")
    script = write_script(folder / "script.yaml", "Hello.")
    accounts = ",".join(f"{name}:{hash_password(name + '!', n=2**10)}" for name in ("ann", "root"))
    variables = {"WORKBENCH_AUTH": accounts, "WORKBENCH_ADMINS": "root"}
    yield from served(folder, f"scripted:{script}", **variables)


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """The provider that stands in for Hugging Face's login."""
    with provided() as provider:
        yield provider


@pytest.fixture(scope="module")
def hub() -> Iterator[HubServer]:
    """The server that stands in for the Hub."""
    with serving_hub(ACCESS_TOKEN) as hub:
        yield hub


@pytest.fixture(scope="module")
def space_with_login(
    tmp_path_factory: pytest.TempPathFactory, provider: Provider, hub: HubServer
) -> Iterator[Server]:
    """The page as on a Space with `hf_oauth: true`."""
    folder = tmp_path_factory.mktemp("login")
    script = write_script(folder / "script.yaml", "Hello.")
    variables = {**provider.environment(), "WORKBENCH_HOST": "127.0.0.1", "HF_ENDPOINT": hub.address}
    yield from served(folder, f"scripted:{script}", **variables)


def _log_in(play: Play, name: str, password: str) -> None:
    play.page.goto(play.server.url)
    play.page.get_by_label("username").fill(name)
    play.page.get_by_label("password").fill(password)
    play.page.get_by_role("button", name="Log in").click()


def test_a_space_says_what_a_visitor_should_know_and_shows_nothing_that_they_may_not_do(
    page: Page, space: Server
) -> None:
    Play(page, space).open()
    expect(page.locator("#page-space")).to_contain_text("Tools are mocks")
    expect(page.locator("#page-space")).to_contain_text("are lost when it restarts")
    for tab, forbidden in (
        ("Data", "Push to the Hub"),
        ("Models", "Download from the Hub"),
        ("Models", "Adapter folder"),
        ("Tools", "MCP servers"),
        ("Explore", "a path on this machine"),
    ):
        open_tab(page, tab)
        expect(page.locator("#page-tabs").get_by_text(forbidden)).to_have_count(0)


def test_visitors_of_a_space_cannot_see_each_others_sessions(
    page: Page, other_page: Page, space: Server
) -> None:
    ann, bob = Play(page, space).open(), Play(other_page, space).open()
    ann.ask("Ann's question")
    bob.ask("Bob's question")
    for own, other, name in ((ann, bob, "Bob's"), (bob, ann, "Ann's")):
        own.reload()
        expect(own.entries).to_have_count(3)
        expect(own.part("session-list").locator(".hw-session")).to_have_count(1)
        expect(own.part("session-list")).not_to_contain_text(name)
        own.open(f"?session={other.session_id}")
        expect(own.part("notice")).to_contain_text("there is no such session")
        expect(own.entries).to_have_count(0)
        with own.page.expect_download() as waiting:
            own.part("export-all").click()
        assert name not in Path(waiting.value.path()).read_text(encoding="utf-8")
        own.page.go_back()
        own.wait_until_open()


def test_a_visitor_of_a_space_finds_their_sessions_again(page: Page, space: Server) -> None:
    play = Play(page, space).open().ask(QUESTION)
    session_id = play.session_id
    again = Play(page.context.new_page(), space).open()
    expect(again.part("session-list")).to_contain_text("What is the flumbuster")
    again.page.locator(f"[data-id='{session_id}']").first.click()
    expect(again.entries).to_have_count(3)


def test_users_see_their_own_sessions_and_an_admin_sees_all(
    page: Page, other_page: Page, locked: Server
) -> None:
    ann = Play(page, locked)
    _log_in(ann, "ann", "ann!")
    ann.wait_until_open().ask("Ann's question")
    expect(page.locator("#page-account")).to_contain_text("ann")
    root = Play(other_page, locked)
    _log_in(root, "root", "root!")
    root.wait_until_open()
    expect(root.part("session-list")).not_to_contain_text("Ann's question")
    root.page.get_by_role("button", name="Show all users' sessions").click()
    root.part("session-list").get_by_text("Ann's question").click()
    expect(root.entries).to_have_count(3)
    expect(root.part("bar")).to_contain_text("owned by someone else, read-only")
    expect(root.composer).to_be_disabled()
    page.locator("#page-account").get_by_text("Log out").click()
    expect(page.get_by_label("password")).to_be_visible()


def test_a_wrong_password_and_an_unknown_name_are_refused(browser_page: Play) -> None:
    for name, password in (("ann", "wrong"), ("nobody", "ann!"), ("root", "ann!")):
        _log_in(browser_page, name, password)
        expect(browser_page.page.get_by_text("Incorrect Credentials")).to_be_visible()


@pytest.fixture
def browser_page(browser, locked: Server) -> Iterator[Play]:
    """A tab that may get status 400, as for a refused login."""
    page = browser.new_page()
    yield Play(page, locked)
    page.close()


def test_a_shared_link_shows_a_read_only_session_that_can_be_copied(
    page: Page, other_page: Page, space: Server
) -> None:
    ann, bob = Play(page, space).open(), Play(other_page, space)
    ann.ask("Ann's question")
    ann.part("bar").get_by_role("button", name="Share").click()
    expect(ann.part("bar")).to_contain_text("Anyone with the link can read")
    expect(ann.part("bar").get_by_role("textbox")).to_have_count(0)
    ann.part("bar").get_by_role("button", name="Create link").click()
    link = ann.part("bar").get_by_label("Link to this session").input_value()
    query = "?" + link.partition("?")[2]
    bob.open(query)
    expect(bob.entries).to_have_count(3)
    expect(bob.part("bar")).to_contain_text("read-only")
    expect(bob.composer).to_be_disabled()
    expect(bob.part("send")).to_be_hidden()
    bob.part("bar").get_by_role("button", name="Copy to my sessions").click()
    expect(bob.composer).to_be_enabled()
    bob.ask("Bob goes on")
    expect(bob.entries).to_have_count(5)
    ann.reload()
    expect(ann.entries).to_have_count(3)
    ann.part("bar").get_by_role("button", name="Stop sharing").click()
    expect(ann.part("bar").get_by_role("button", name="Share")).to_be_visible()
    bob.open(query)
    expect(bob.part("notice")).to_contain_text("does not show a session")


@pytest.fixture
def unwatched(browser: Browser) -> Iterator[list[Page]]:
    """Tabs of two browsers, without checks of requests, since on a Space Gradio itself requests a header from the Hub."""
    contexts = [browser.new_context(viewport={"width": 1440, "height": 900}) for _ in range(2)]
    for context in contexts:
        context.add_init_script(TOUR_ENDED)
    yield [context.new_page() for context in contexts]
    for context in contexts:
        context.close()


def test_a_user_signed_in_with_hugging_face_finds_their_sessions_in_another_browser(
    unwatched: list[Page], provider: Provider, space_with_login: Server
) -> None:
    here, there = (Play(page, space_with_login).open() for page in unwatched)
    here.ask("Nobody's question")
    for tab in (here, there):
        _sign_in_or_out(tab, shows="Logout (ada)")
    expect(here.part("session-list")).not_to_contain_text("Nobody's question")
    here.open().ask("Ada's question")
    there.reload()
    expect(there.part("session-list")).to_contain_text("Ada's question")
    provider.person = {"sub": "2", "preferred_username": "bob"}
    _sign_in_or_out(there, shows="Sign in")
    _sign_in_or_out(there, shows="Logout (bob)")
    expect(there.part("session-list")).not_to_contain_text("Ada's question")
    assert {"/oauth/authorize", "/oauth/token", "/oauth/jwks"} <= set(provider.seen)


def test_rows_are_only_pushed_from_the_account_of_the_signed_in_user(
    unwatched: list[Page], provider: Provider, hub: HubServer, space_with_login: Server
) -> None:
    provider.person = {"sub": "3", "preferred_username": "cleo"}
    play = Play(unwatched[0], space_with_login).open()
    data = play.page.locator("#page-tab-data")

    def push() -> None:
        open_tab(play.page, "Data")
        data.get_by_label("Repository").fill("cleo/rows")
        data.get_by_label("Licence (dataset card)").fill("mit")
        data.locator("#data-push").click()

    push()
    notice = data.locator("#data-push-notice")
    expect(notice).to_contain_text("Sign in with Hugging Face first")
    expect(notice.get_by_role("link", name="Sign in")).to_have_attribute(
        "href", re.compile("^login/huggingface")
    )
    assert hub.tokens == set()
    _sign_in_or_out(play, shows="Logout (cleo)")
    play.tab("Play").ask("Cleo's question")
    push()
    expect(data.locator("#data-push-notice")).to_contain_text("cleo/rows")
    assert hub.tokens == {ACCESS_TOKEN}
    assert any(name.endswith(".jsonl") and b"Cleo's question" in body for name, body in hub.files.items())


def _sign_in_or_out(play: Play, *, shows: str) -> None:
    play.page.locator("#page-login").click()
    expect(play.page.locator("#page-login")).to_contain_text(shows)
    play.wait_until_open()
