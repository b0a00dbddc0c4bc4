"""Determine the owner of an event, and check their permission. Every event and API function passes here."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from hashlib import sha256
from secrets import token_hex
from typing import Any, Final, TypeVar, cast

import gradio as gr
from gradio.block_function import BlockFunction

from workbench.app.services import Services
from workbench.records.owner import (
    LOCAL_OWNER,
    NotPermitted,
    Owner,
    Permission,
    UserRole,
    account_key,
    is_granted,
)
from workbench.settings import Settings
from workbench.toolspec.budget import STEPS_PER_SECOND, MinuteBudgets, opened
from workbench.ui.addresses import address_of
from workbench.ui.file_owners import FileOwners
from workbench.ui.gate.visit import KEY_HEADER
from workbench.ui.visitor import Visitor

SECRET_SIZE_CHARS: Final = 32
"""The shortest valid secret of a browser: 16 random bytes as hexadecimal digits."""


def services_of(services: Services, visitor: Visitor, request: gr.Request) -> Services:
    """Return the services of the event's owner."""
    return services.of(owner_of(services.settings, visitor.browser_key, request))


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
    profile = _hugging_face_profile(request) if settings.has_hugging_face_login else None
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


def minute_budgets(services: Services) -> Callable[[gr.Request | None], AbstractContextManager[object]]:
    """Return a function that limits what texts of a request's sender cost in a minute, where there is a limit."""
    seconds = services.limits.check_seconds
    if seconds is None:
        return nullcontext
    budgets = MinuteBudgets(seconds * STEPS_PER_SECOND, time.monotonic)

    def budget_of(request: gr.Request | None) -> AbstractContextManager[object]:
        if request is None:
            return nullcontext()
        sender = owner_of(services.settings, None, request)
        # A program can invent a browser's secret for each request, but not an address.
        return opened(budgets.of(sender.address or str(sender.key)))

    return budget_of


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


def _hugging_face_profile(request: gr.Request) -> Mapping[str, Any] | None:
    """Return the profile of the signed-in user, or None if nobody is signed in or the sign-in has expired.

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
    """Mark a handler with the permission that it needs. Handlers without a mark are refused to everybody.

    Example:
        `@needs(Permission.WORK)` above `def on_save(self, …)`.
    """

    def mark(handler: _Handler) -> _Handler:
        setattr(handler, _MARK, permission)
        return handler

    return mark


def needed_by(handler: Callable[..., object]) -> Permission | None:
    """Return the permission that a handler needs, or None if it is not marked."""
    if handler.__module__.split(".")[0] == "gradio":
        # Gradio's own sign-in button has handlers, too.
        return Permission.WORK
    return cast(Permission | None, getattr(handler, _MARK, None))


class GuardedBlocks(gr.Blocks):
    """Gradio Blocks that run a handler only for users with its permission, and with their own files."""

    files: FileOwners = FileOwners(has_strangers=False)
    """The owners of uploaded and offered files."""

    role_of: Callable[[gr.Request | None], UserRole]
    """Returns the role of a request's sender. Set once the blocks are built."""
    budget_of: Callable[[gr.Request | None], AbstractContextManager[object]] = nullcontext
    """Limits the computing time of a request's sender."""

    async def process_api(
        self,
        block_fn: BlockFunction | int,
        inputs: list[Any],
        state: Any = None,
        request: gr.Request | list[gr.Request] | None = None,
        *further: Any,
        **named: Any,
    ) -> dict[str, Any]:
        """Run an event like Gradio does, if its sender has the permission.

        Args:
            block_fn: The event, or its number.
            inputs: The values that the browser sent.
            state: The values of `gr.State` in the tab.
            request: The request; a list for a batch, or None for a call from inside this process.

        Raises:
            gr.Error: The sender's role does not have the permission, or a file is not theirs.
        """
        event = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        handler = cast(Callable[..., object] | None, cast(Any, event).fn)
        requests = request if isinstance(request, list) else [request]
        for sender in requests:
            if handler is not None:
                _require(needed_by(handler), self.role_of(sender))
            self.files.check(sender, event, inputs)
        with self.budget_of(requests[0]):
            answer = await cast(Any, super()).process_api(block_fn, inputs, state, request, *further, **named)
        for sender in requests:
            self.files.offer(sender, event, answer["data"])
        return answer


def _require(permission: Permission | None, role: UserRole) -> None:
    if permission is None:
        raise gr.Error("This event declares no permission, so nobody may run it.", print_exception=False)
    if not is_granted(permission, role):
        raise gr.Error(str(NotPermitted(permission, role)), print_exception=False)
