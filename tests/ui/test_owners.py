"""The owner of an event."""

from dataclasses import replace
from types import SimpleNamespace

import gradio as gr
import pytest

from workbench.records.owner import LOCAL_OWNER, Owner, UserRole
from workbench.settings import read_settings
from workbench.ui.owners import browser_key_of, owner_of

HERE = read_settings({"WORKBENCH_ADMINS": "root, ada"})
SPACE = replace(HERE, is_on_space=True)
SIGNED = replace(SPACE, has_hugging_face_login=True)
BROWSER = browser_key_of("a" * 32)


def request(username: str | None = None, **session: object) -> gr.Request:
    """Return a request as Gradio passes it to a handler."""
    built = gr.Request(username=username, session_hash="tab")
    built.request = SimpleNamespace(session=session)  # pyright: ignore[reportAttributeAccessIssue]
    return built


def signed_in(expires_at: float) -> gr.Request:
    return request(
        oauth_info={"userinfo": {"sub": "12", "preferred_username": "ada"}, "expires_at": expires_at}
    )


def test_a_local_server_has_one_owner() -> None:
    assert owner_of(HERE, BROWSER, request()) == LOCAL_OWNER


def test_an_account_is_identified_by_its_name() -> None:
    settings = replace(HERE, accounts={"ann": "x", "root": "y"})
    assert owner_of(settings, BROWSER, request("ann")) == Owner(
        key="account:ann", name="ann", role=UserRole.MEMBER
    )
    assert owner_of(settings, BROWSER, request("root")) == Owner(
        key="account:root", name="root", role=UserRole.ADMIN
    )


def test_a_browser_is_identified_by_the_hash_of_its_secret() -> None:
    assert owner_of(SPACE, BROWSER, request()) == Owner(key=BROWSER, role=UserRole.VISITOR)
    assert BROWSER and "a" * 32 not in BROWSER
    assert browser_key_of("b" * 32) != BROWSER


@pytest.mark.parametrize("secret", ["", "short"])
def test_a_browser_without_a_secret_shares_nothing_with_others(secret: str) -> None:
    assert browser_key_of(secret) is None
    assert owner_of(SPACE, None, request()) == Owner(key="event:tab", role=UserRole.VISITOR)


def test_a_user_signed_in_with_hugging_face_is_the_same_owner_in_every_browser() -> None:
    expected = Owner(key="hf:12", name="ada", role=UserRole.SPACE_ADMIN)
    for key in (BROWSER, None):
        assert owner_of(SIGNED, key, signed_in(4_000_000_000)) == expected


def test_an_expired_or_unsupported_sign_in_is_ignored() -> None:
    assert owner_of(SIGNED, BROWSER, signed_in(1.0)) == Owner(key=BROWSER, role=UserRole.VISITOR)
    assert owner_of(SIGNED, BROWSER, request()) == Owner(key=BROWSER, role=UserRole.VISITOR)
    assert owner_of(SPACE, BROWSER, signed_in(4_000_000_000)) == Owner(key=BROWSER, role=UserRole.VISITOR)
