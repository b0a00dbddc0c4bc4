"""What the browser keeps: drafts of the session in the address bar, and the secret of this browser."""

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


def kept(page: Page, call: str) -> Any:
    return page.evaluate(f"() => hermesWorkbench.{call}")


def test_a_draft_belongs_to_the_session_of_the_address_bar(component: Component) -> None:
    page = component.page
    page.evaluate("history.replaceState(null, '', '?session=one')")
    assert kept(page, "keepField('composer', 'Hello')") == []
    assert kept(page, "keepField('variables', 'a = 1')") == []
    assert kept(page, "keepField('variables', '')") == []
    page.evaluate("history.replaceState(null, '', '?session=two')")
    assert kept(page, "readDraft()")[0] == ""
    page.evaluate("history.replaceState(null, '', '?session=one')")
    assert json.loads(kept(page, "readDraft()")[0]) == {"composer": "Hello"}
    kept(page, "dropDraft()")
    assert kept(page, "readDraft()")[0] == ""


def test_a_message_that_is_edited_comes_with_the_draft_of_its_session(component: Component) -> None:
    page = component.page
    editing = json.dumps({"session": "one", "text": "new"})
    page.evaluate("text => localStorage.setItem('hermes-workbench:editing', text)", editing)
    page.evaluate("history.replaceState(null, '', '?session=two')")
    assert kept(page, "readDraft()")[0] == ""
    page.evaluate("history.replaceState(null, '', '?session=one')")
    assert json.loads(kept(page, "readDraft()")[0]) == {"editing": editing}


def test_the_secret_is_made_once(component: Component) -> None:
    page = component.page
    assert kept(page, "readSecret()") == [""]
    made = kept(page, "readDraft()")[1]
    assert len(made) == 32
    assert kept(page, "readDraft()")[1] == made
    assert kept(page, "readKept('compare')") == ["", made]


def test_texts_are_kept_by_name_and_what_is_on_the_page_wins(component: Component) -> None:
    page = component.page
    kept(page, "keepNamed('contract', 'mine', 'Be brief.')")
    kept(page, "keepNamed('contract', '', 'lost')")
    assert page.evaluate("Object.entries(localStorage)") == [
        ["hermes-workbench:contract:draft:mine", "Be brief."]
    ]
    kept(page, "keepText('inspect', 'old')")
    assert kept(page, "readText('inspect', '')") == ["old"]
    assert kept(page, "readText('inspect', 'new')") == ["new"]


def test_forbidden_storage_and_broken_drafts_stop_nothing(component: Component) -> None:
    page = component.page
    page.evaluate("localStorage.setItem('hermes-workbench:draft:', '{broken')")
    kept(page, "keepField('composer', 'Hello')")
    assert json.loads(kept(page, "readDraft()")[0]) == {"composer": "Hello"}
    page.evaluate(FORBIDDEN)
    assert kept(page, "keepField('composer', 'x')") == kept(page, "dropDraft()") == []
    draft, secret = kept(page, "readDraft()")
    assert (draft, len(secret)) == ("", 32)
