"""Whose data an event is about, and whether they may do it. Every event and API function is checked here."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from secrets import token_hex
from typing import Any, Final, TypeVar, cast

import gradio as gr
from gradio.block_function import BlockFunction

from workbench.app.services import Services
from workbench.records.owner import LOCAL_OWNER, NotPermitted, Owner, Permission, UserRole, is_granted
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


_MARK: Final = "needs_permission"

_Handler = TypeVar("_Handler", bound=Callable[..., object])


def needs(permission: Permission) -> Callable[[_Handler], _Handler]:
    """Mark a handler with the permission that it needs; one without a mark is refused to everybody.

    Example:
        `@needs(Permission.WORK)` above `def on_save(self, …)`.
    """

    def mark(handler: _Handler) -> _Handler:
        setattr(handler, _MARK, permission)
        return handler

    return mark


def needed_by(handler: Callable[..., object]) -> Permission | None:
    """The permission that a handler needs; None for one that was not marked."""
    if handler.__module__.split(".")[0] == "gradio":
        # Gradio's own button for signing in listens too.
        return Permission.WORK
    return cast(Permission | None, getattr(handler, _MARK, None))


class GuardedBlocks(gr.Blocks):
    """Blocks that run a handler only for those who have its permission."""

    role_of: Callable[[gr.Request | None], UserRole]
    """The role of whoever sent a request; set once the blocks are built."""

    async def process_api(
        self,
        block_fn: BlockFunction | int,
        inputs: list[Any],
        state: Any = None,
        request: gr.Request | list[gr.Request] | None = None,
        *further: Any,
        **named: Any,
    ) -> dict[str, Any]:
        """Run an event as Gradio does, if whoever sent it may.

        Args:
            block_fn: The event, or its number.
            inputs: As the browser sent them.
            state: The values of `gr.State` in that tab.
            request: Who asks; a list for a batch. None comes from inside this process.

        Raises:
            gr.Error: Their role does not have the permission.
        """
        event = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        handler = cast(Callable[..., object] | None, cast(Any, event).fn)
        if handler is not None:
            requests = request if isinstance(request, list) else [request]
            for one in requests:
                _require(needed_by(handler), self.role_of(one))
        return await cast(Any, super()).process_api(block_fn, inputs, state, request, *further, **named)


def _require(permission: Permission | None, role: UserRole) -> None:
    if permission is None:
        raise gr.Error("This event declares no permission, so nobody may run it.", print_exception=False)
    if not is_granted(permission, role):
        raise gr.Error(str(NotPermitted(permission, role)), print_exception=False)
