"""Whose data an event is about: an account, someone of Hugging Face, a browser, or the one person here."""

import time
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from secrets import token_hex
from typing import Any, Final, cast

import gradio as gr

from workbench.app.services import Services
from workbench.records.owner import LOCAL_OWNER, Owner, UserRole
from workbench.settings import Settings
from workbench.ui.addresses import address_of
from workbench.ui.gate.visit import KEY_HEADER
from workbench.ui.visitor import Visitor

SECRET_SIZE_CHARS: Final = 32
"""Least length of a browser's secret: 16 random bytes as hexadecimal digits."""


def services_of(services: Services, visitor: Visitor, request: gr.Request) -> Services:
    """The services of whoever the event comes from."""
    return services.of(owner_of(services.settings, visitor.browser_key, request))


def permitted_to(services: Services, request: gr.Request) -> Services:
    """The services with the rights of whoever sent the request, for what is nobody's data: models and tools."""
    return services.of(owner_of(services.settings, None, request))


def owner_of(settings: Settings, browser_key: str | None, request: gr.Request) -> Owner:
    """Who an event comes from.

    Args:
        settings: Say whether anybody logs in, and who is an admin.
        browser_key: What `browser_key_of` gave for the browser.
        request: Of the event.
    """
    if settings.accounts:
        name = request.username or ""
        role = UserRole.ADMIN if name in settings.admins else UserRole.MEMBER
        return Owner(key=f"account:{name}", name=name, role=role)
    if not settings.is_on_space:
        return LOCAL_OWNER
    profile = _hugging_face_profile(request) if settings.has_hugging_face_login else None
    if profile is not None:
        name = str(profile.get("preferred_username") or "")
        role = UserRole.SPACE_ADMIN if name in settings.admins else UserRole.VISITOR
        return Owner(key=f"hf:{profile['sub']}", name=name, role=role)
    address = address_of(request)
    if browser_key is None:
        # Without a secret there is no one to keep data for: such an event comes from no page of ours.
        key = f"event:{request.session_hash}"
        return Owner(key=key, role=UserRole.VISITOR, address=address, is_passing=True)
    return Owner(key=browser_key, role=UserRole.VISITOR, address=address)


def role_of(settings: Settings, request: gr.Request | None) -> UserRole:
    """The role of whoever sent a request; the least one where nobody is known to have sent it."""
    if request is None:
        return UserRole.VISITOR if serves_others(settings) else UserRole.LOCAL
    return owner_of(settings, None, request).role


def serves_others(settings: Settings) -> bool:
    """Whether people other than the one at this machine use the page: accounts, or visitors of a Space."""
    return bool(settings.accounts) or settings.is_on_space


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
    key = browser_key_of(secret)
    owner = owner_of(settings, key or f"call:{token_hex(16)}", request)
    return owner if key else replace(owner, is_passing=bool(owner.address))


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
