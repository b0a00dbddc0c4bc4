"""What happens to an answer on its way to the client."""

from collections.abc import Callable
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Send

from workbench.ui.gate import bodies
from workbench.ui.gate.cookies import Cookies, new_secret

_EVENT_BYTES: Final = 500
"""An answer that names an event has no more."""


def with_browser_cookie(send: Send, cookies: Cookies) -> Send:
    """Give the browser a secret to be known by."""

    async def send_with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            cookies.write(MutableHeaders(scope=message), "browser", new_secret())
        await send(message)

    return send_with_cookie


def with_event(send: Send, note: Callable[[str], None]) -> Send:
    """Look for the event that a call is answered with, and note its id."""

    async def send_with_event(message: Message) -> None:
        body = message.get("body", b"")
        call = bodies.json_object(body) if len(body) < _EVENT_BYTES else None
        if call is not None and isinstance(event_id := call.get("event_id"), str):
            note(event_id)
        await send(message)

    return send_with_event


def as_see_other(send: Send) -> Send:
    """Let a redirect be followed with GET, whatever method it answers."""

    async def send_see_other(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 307:
            message["status"] = 303
        await send(message)

    return send_see_other
