"""What one message costs that is sent from the page: calls of our functions, and transactions of the database."""

import inspect
import sys
import threading
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from sqlalchemy import Engine, event

import workbench
from tests.services import services_for
from tests.ui.requests import page_request
from workbench.app.services import Services
from workbench.ui.present.setup import SETUP_FIELDS, show_setup
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.tabs.play.turn_events import TurnEvents
from workbench.ui.tabs.tab_work import TabWork

PACKAGE = str(Path(workbench.__file__).parent)


@dataclass
class Cost:
    """What happened while it was measured, in all threads that began meanwhile."""

    calls: Counter[str] = field(default_factory=Counter[str])
    """Calls of functions in our package, by file and function. A generator counts each time it goes on, a comprehension
    does not count."""
    transactions: list[str] = field(default_factory=list[str])
    """The function of the store that began each transaction, in order."""


@contextmanager
def measured() -> Generator[Cost]:
    cost = Cost()

    def on_call(frame: FrameType, what: str, _argument: object) -> None:
        code = frame.f_code
        if what == "call" and code.co_filename.startswith(PACKAGE) and not code.co_name.startswith("<"):
            cost.calls[f"{code.co_filename[len(PACKAGE) + 1 :]}:{code.co_qualname}"] += 1

    def on_begin(_connection: object) -> None:
        frame = inspect.currentframe()
        while frame and (
            "/workbench/store/" not in frame.f_code.co_filename or "/database" in frame.f_code.co_filename
        ):
            frame = frame.f_back
        cost.transactions.append(frame.f_code.co_qualname if frame else "?")

    event.listen(Engine, "begin", on_begin)
    threading.setprofile(on_call)
    sys.setprofile(on_call)
    try:
        yield cost
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        event.remove(Engine, "begin", on_begin)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with services_for(tmp_path, *["It is 31."] * 3) as (services, _):
        yield services


def send(events: TurnEvents, state: TabState, text: str) -> tuple[TabState, Cost]:
    """Send a message from the page, wait until it is answered, and return what that cost."""
    setup = show_setup(events.services.setup_for())
    fields: list[Any] = [setup[name] for name in SETUP_FIELDS]
    with measured() as cost:
        screen = events.on_begin(state, text, "auto", 1, page_request("tab"), None, *fields)
        assert isinstance(screen.state, TabState)
        turn = events.services.turns.find(None, screen.state.session_id or "")
        assert turn is not None and turn.over.wait(30)
    assert turn.error is None
    return screen.state, cost


def test_a_message_costs_four_transactions_and_at_most_800_calls(services: Services) -> None:
    """The reason of each transaction is in docs/explanation/architecture.md.

    A message that no offered tool fits reads all toolsets as well, to offer one that does.
    """
    events = TurnEvents(services, TabWork(), SetupEvents(services))
    # The first turn loads what later ones share, such as the tools.
    send(events, TabState(), "The flumbuster reading, the weather?")
    state, in_new_session = send(events, TabState(), "The flumbuster reading, the weather?")
    _, in_open_session = send(events, state, "The flumbuster reading, the weather of Rome?")
    for cost in (in_new_session, in_open_session):
        assert len(cost.transactions) == 4, cost.transactions
        assert sum(cost.calls.values()) <= 800, cost.calls.most_common(40)
