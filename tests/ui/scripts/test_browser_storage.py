"""The functions of drafts.js: drafts of the session that Play shows, and the secret of this browser."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.ui.scripts.component import Component

pytestmark = [pytest.mark.browser]

FORBIDDEN = """() => {
  for (const name of ["getItem", "setItem", "removeItem"])
    Storage.prototype[name] = () => { throw new Error("forbidden"); };
}"""


def run(page: Page, call: str) -> Any:
    return page.evaluate(f"() => hermesWorkbench.{call}")


def test_a_draft_belongs_to_the_session_that_play_shows(component: Component) -> None:
    page = component.page
    run(page, "router.here('play', { session: 'one' }, { request: 1 })")
    assert run(page, "keepField('composer', 'Hello')") == []
    assert run(page, "keepField('variables', 'a = 1')") == []
    assert run(page, "keepField('variables', '')") == []
    run(page, "router.here('play', { session: 'two' }, { request: 1 })")
    assert run(page, "readDraft()")[0] == ""
    run(page, "router.here('play', { session: 'one' }, { request: 1 })")
    assert json.loads(run(page, "readDraft()")[0]) == {"composer": "Hello"}
    run(page, "dropDraft()")
    assert run(page, "readDraft()")[0] == ""


def test_the_edited_message_is_part_of_the_draft_of_its_session(component: Component) -> None:
    page = component.page
    editing = json.dumps({"session": "one", "text": "new"})
    page.evaluate("text => localStorage.setItem('hermes-workbench:editing', text)", editing)
    run(page, "router.here('play', { session: 'two' }, { request: 1 })")
    assert run(page, "readDraft()")[0] == ""
    run(page, "router.here('play', { session: 'one' }, { request: 1 })")
    assert json.loads(run(page, "readDraft()")[0]) == {"editing": editing}


def test_the_secret_is_created_once(component: Component) -> None:
    page = component.page
    assert run(page, "readSecret()") == [""]
    secret = run(page, "readDraft()")[1]
    assert len(secret) == 32
    assert run(page, "readDraft()")[1] == secret
    assert run(page, "readKept('compare')") == ["", secret]


def test_texts_are_stored_by_name_and_the_text_on_the_page_wins(component: Component) -> None:
    page = component.page
    run(page, "keepNamed('contract', 'mine', 'Be brief.')")
    run(page, "keepNamed('contract', '', 'lost')")
    assert page.evaluate("Object.entries(localStorage)") == [
        ["hermes-workbench:contract:draft:mine", "Be brief."]
    ]
    run(page, "keepText('inspect', 'old')")
    assert run(page, "readText('inspect', '')") == ["old"]
    assert run(page, "readText('inspect', 'new')") == ["new"]


def test_forbidden_storage_and_invalid_drafts_raise_nothing(component: Component) -> None:
    page = component.page
    page.evaluate("localStorage.setItem('hermes-workbench:draft:', '{broken')")
    run(page, "keepField('composer', 'Hello')")
    assert json.loads(run(page, "readDraft()")[0]) == {"composer": "Hello"}
    page.evaluate(FORBIDDEN)
    assert run(page, "keepField('composer', 'x')") == run(page, "dropDraft()") == []
    draft, secret = run(page, "readDraft()")
    assert (draft, len(secret)) == ("", 32)


def test_signing_in_leads_back_to_the_whole_address(component: Component) -> None:
    component.at("?tab=play&session=one&message=two")
    page = component.page
    page.evaluate("() => hermesWorkbench.signInOrOut('Sign in', 'Sign in')")
    page.wait_for_url("**/login/huggingface?_target_url=%2F%3Ftab%3Dplay%26session%3Done%26message%3Dtwo")
