"""Whose data an event is about: an account, someone of Hugging Face, a browser, or the one person here."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from hashlib import sha256
from secrets import token_hex
from typing import Any, Final, cast

import gradio as gr

from workbench.desk.owner import LOCAL_OWNER, Owner
from workbench.desk.passwords import check_hash, hash_password, is_right
from workbench.desk.services import Services
from workbench.settings import Settings
from workbench.ui.visitor import Visitor

KEY_HEADER: Final = "x-workbench-key"
"""Header of an API call with a secret of 32 characters or more, which tells one caller from others."""
SECRET_SIZE_CHARS: Final = 32
"""Least length of a browser's secret: 16 random bytes as hexadecimal digits."""


def services_of(services: Services, visitor: Visitor, request: gr.Request) -> Services:
    """The services of whoever the event comes from."""
    return services.of(owner_of(services.settings, visitor.browser_key, request))


def owner_of(settings: Settings, browser_key: str | None, request: gr.Request) -> Owner:
    """Who an event comes from.

    Args:
        settings: Say whether anybody logs in, and who is an admin.
        browser_key: What `browser_key_of` gave for the browser.
        request: Of the event.
    """
    if settings.accounts:
        name = request.username or ""
        return Owner(key=f"account:{name}", name=name, is_admin=name in settings.admins)
    if not settings.is_on_space:
        return LOCAL_OWNER
    profile = _hugging_face_profile(request) if settings.has_hugging_face_login else None
    if profile is not None:
        name = str(profile.get("preferred_username") or "")
        return Owner(key=f"hf:{profile['sub']}", name=name, is_admin=name in settings.admins)
    # Without a secret there is no one to keep data for: such an event comes from no page of ours.
    return Owner(key=browser_key or f"event:{request.session_hash}")


def browser_key_of(secret: str) -> str | None:
    """The owner's key of a browser that keeps this secret; None where it is too short to be one."""
    return f"browser:{sha256(secret.encode()).hexdigest()}" if len(secret) >= SECRET_SIZE_CHARS else None


def caller_of(settings: Settings, request: gr.Request) -> Owner:
    """Who calls the API: as `owner_of`, but that a browser's secret comes in a header.

    Args:
        settings: Say whether anybody logs in.
        request: Of the call; `KEY_HEADER` holds what a browser of a Space would keep. Who sends none shares
            nothing with anybody, not with their own next call either.
    """
    secret = str(cast(Any, request).headers.get(KEY_HEADER, ""))
    return owner_of(settings, browser_key_of(secret) or f"call:{token_hex(16)}", request)


def _hugging_face_profile(request: gr.Request) -> Mapping[str, Any] | None:
    """Who signed in, while that holds.

    *Source:* gradio 6.31, oauth.py: the cookie's session has `oauth_info`, with `userinfo` and `expires_at`.
    """
    session = cast(Mapping[str, Any], getattr(request.request, "session", None) or {})
    info = cast(Mapping[str, Any], session.get("oauth_info") or {})
    expires_at = info.get("expires_at")
    if expires_at is not None and expires_at < time.time():
        return None
    return cast(Mapping[str, Any] | None, info.get("userinfo"))


def login_of(settings: Settings) -> Callable[[str, str], Coroutine[Any, Any, bool]] | None:
    """Checks a name and a password, one at a time, off the server's loop; None where nobody logs in.

    Raises:
        BadInput: The hash of an account cannot be read.
    """
    accounts = settings.accounts
    for name, hashed in accounts.items():
        check_hash(hashed, f"setting WORKBENCH_AUTH, account {name!r}")
    if not accounts:
        return None
    # An unknown name takes as long as a wrong password: the time does not tell which names there are.
    nobody, turn = hash_password("nobody"), asyncio.Lock()

    async def is_let_in(name: str, password: str) -> bool:
        async with turn:
            return (
                await asyncio.to_thread(is_right, password, accounts.get(name, nobody)) and name in accounts
            )

    return is_let_in
