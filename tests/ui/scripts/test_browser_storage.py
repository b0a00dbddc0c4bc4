"""The secret of this browser, in browser.js."""

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


def test_the_secret_is_created_once(component: Component) -> None:
    page = component.page
    assert run(page, "readSecret()") == [""]
    [secret] = run(page, "secret()")
    assert len(secret) == 32
    assert run(page, "secret()") == run(page, "readSecret()") == [secret]


def test_forbidden_storage_raises_nothing(component: Component) -> None:
    page = component.page
    page.evaluate(FORBIDDEN)
    [secret] = run(page, "secret()")
    assert len(secret) == 32
    assert run(page, "readSecret()") == [""]


def test_signing_in_leads_back_to_the_whole_address(component: Component) -> None:
    component.at("?tab=play&session=one&message=two")
    page = component.page
    with page.expect_request("**/login/huggingface*") as sent:
        page.evaluate("() => void setTimeout(() => hermesWorkbench.signInOrOut('Sign in', 'Sign in'))")
    assert sent.value.url.endswith("?_target_url=%2F%3Ftab%3Dplay%26session%3Done%26message%3Dtwo")
