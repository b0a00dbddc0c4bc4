"""Determine the owner of an event: whose data it reads and writes."""

from dataclasses import replace
from hashlib import sha256
from secrets import token_hex
from typing import Any, Final, cast

import gradio as gr

from workbench.app.services import Services
from workbench.records.owner import LOCAL_OWNER, Owner, UserRole, account_key
from workbench.settings import Settings
from workbench.ui.gradio_parts.oauth import profile_of
from workbench.ui.request_scope import KEY_HEADER, address_of
from workbench.ui.tab_state import TabState

SECRET_SIZE_CHARS: Final = 32
"""The shortest valid secret of a browser: 16 random bytes as hexadecimal digits."""


def services_of(services: Services, state: TabState, request: gr.Request) -> Services:
    """Return the services of the event's owner."""
    return services.of(owner_of(services.settings, state.browser_key, request))


def permitted_to(services: Services, request: gr.Request) -> Services:
    """Return services with the sender's permissions, for models and tools, which belong to no owner."""
    return services.of(owner_of(services.settings, None, request))


def owner_of(settings: Settings, browser_key: str | None, request: gr.Request) -> Owner:
    """Return the owner of an event.

    Args:
        settings: The accounts and admins.
        browser_key: The key from `browser_key_of`, or None if the browser has no secret.
    """
    if settings.accounts:
        name = request.username or ""
        role = UserRole.ADMIN if name in settings.admins else UserRole.MEMBER
        return Owner(key=account_key(name), name=name, role=role)
    if not settings.is_on_space:
        return LOCAL_OWNER
    profile = profile_of(request) if settings.has_hugging_face_login else None
    if profile is not None:
        name = str(profile.get("preferred_username") or "")
        role = UserRole.SPACE_ADMIN if name in settings.admins else UserRole.VISITOR
        return Owner(key=f"hf:{profile['sub']}", name=name, role=role)
    address = address_of(request)
    if browser_key is None:
        # An event without a secret does not come from our page, so no data is stored for it.
        key = f"event:{request.session_hash}"
        return Owner(key=key, role=UserRole.VISITOR, address=address, is_passing=True)
    return Owner(key=browser_key, role=UserRole.VISITOR, address=address)


def role_of(settings: Settings, request: gr.Request | None) -> UserRole:
    """Return the role of a request's sender, or the least role if the sender is not known."""
    if request is None:
        return UserRole.VISITOR if serves_others(settings) else UserRole.LOCAL
    return owner_of(settings, None, request).role


def serves_others(settings: Settings) -> bool:
    """Whether the page serves users other than the one at this machine: accounts, or visitors of a Space."""
    return bool(settings.accounts) or settings.is_on_space


def browser_key_of(secret: str) -> str | None:
    """Return the owner key of a browser with this secret, or None if the secret is too short."""
    return f"browser:{sha256(secret.encode()).hexdigest()}" if len(secret) >= SECRET_SIZE_CHARS else None


def caller_of(settings: Settings, request: gr.Request) -> Owner:
    """Return the owner of an API call, like `owner_of`, but with the secret from a header.

    Args:
        settings: The accounts and admins.
        request: The call. `KEY_HEADER` holds the secret that a browser would store on a Space. A caller without it
            shares nothing with anybody, not even with their own next call.
    """
    secret = str(cast(Any, request).headers.get(KEY_HEADER, ""))
    key = browser_key_of(secret)
    owner = owner_of(settings, key or f"call:{token_hex(16)}", request)
    return owner if key else replace(owner, is_passing=bool(owner.address))
