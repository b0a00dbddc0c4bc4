"""Events of the page that a test holds back, so that they arrive late or in another order, as on a slow line."""

import json
from collections.abc import Callable
from typing import Any, Self

from playwright.sync_api import Page, Route

from tests.e2e.waiting import until

WAIT_S = 30


class Held:
    """The events of a kind, held back until they are let go.

    Args:
        page: The page that sends them.
        is_held: Whether an event is of the kind, by the JSON that the page sends: `data`, the values of the inputs, and
            `event_data`, which is null for most of Gradio's own components.
        most: How many are held back. Further ones are sent.
    """

    def __init__(self, page: Page, is_held: Callable[[dict[str, Any]], bool], *, most: int = 1000) -> None:
        self._page, self._is_held, self._most = page, is_held, most
        self._routes: list[Route] = []
        self._count = 0
        page.route("**/queue/join*", self._on_route)

    def wait(self) -> Self:
        """Wait until an event is held back."""
        until(self._page, lambda: self._routes, "the event was not sent", WAIT_S)
        return self

    def let_go(self) -> None:
        """Send the events that were held back, in their order, until the server has accepted them."""
        assert self._routes, "the event was not sent"
        for route in self._routes:
            route.continue_()
        for route in self._routes:
            # From now on `settle` waits for its answer.
            route.request.response()
        self._routes.clear()

    def _on_route(self, route: Route) -> None:
        if self._count < self._most and self._is_held(route.request.post_data_json or {}):
            self._count += 1
            self._routes.append(route)
        else:
            # An earlier `Held` of the page may want it.
            route.fallback()


def event_data(body: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an event of one of our components."""
    return body.get("event_data") or {}


def values(body: dict[str, Any]) -> list[Any]:
    """Return the values of an event's inputs."""
    return body.get("data") or []


def hold_first_opening(page: Page, *, unless: str) -> Held:
    """Hold back the first event that opens a text in an editor.

    Args:
        unless: An event with this text is not held back.
    """
    return Held(page, lambda body: "is_draft" in event_data(body) and unless not in json.dumps(body), most=1)
