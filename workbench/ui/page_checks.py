"""Check each event before Gradio runs it: permission, files, computing time and values."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import gradio as gr

from workbench.app.services import Services
from workbench.records.owner import UserRole
from workbench.toolspec.budget import STEPS_PER_SECOND, MinuteBudgets, opened
from workbench.ui.file_owners import FileOwners
from workbench.ui.gradio_parts.names import BlockFunction
from workbench.ui.incoming.refusal import MalformedEvent, RefusalLog
from workbench.ui.incoming.values import check_event_data, check_values
from workbench.ui.owners import owner_of, role_of, serves_others
from workbench.ui.permissions import needed_by, require


@dataclass(frozen=True, slots=True)
class PageChecks:
    """The `EventChecks` of a page."""

    role_of: Callable[[gr.Request | None], UserRole]
    """Returns the role of a request's sender."""
    files: FileOwners = field(default_factory=lambda: FileOwners(has_strangers=False))
    """The owners of uploaded and offered files."""
    budget: Callable[[gr.Request | None], AbstractContextManager[object]] = nullcontext
    """Limits the computing time of a request's sender."""
    refusals: RefusalLog = field(default_factory=RefusalLog)

    @classmethod
    def of(cls, services: Services) -> "PageChecks":
        """Return the checks of a deployment."""
        settings = services.settings
        files = FileOwners(has_strangers=serves_others(settings))
        return cls(partial(role_of, settings), files, _minute_budgets(services))

    def permit(self, event: BlockFunction, values: Sequence[object], sender: gr.Request | None) -> None:
        """Refuse an event if its sender's role does not have the permission, or a file is not theirs."""
        handler = cast("Callable[..., object] | None", cast(Any, event).fn)
        if handler is not None:
            require(needed_by(handler), self.role_of(sender))
        self.files.check(sender, event, values)

    def budget_of(self, sender: gr.Request | None) -> AbstractContextManager[object]:
        """Limit the computing time of a sender."""
        return self.budget(sender)

    def check_values(self, event: BlockFunction, values: object) -> None:
        """Refuse values that an event's input components cannot hold."""
        check_values(event, values)

    def check_event_data(self, data: gr.EventData | None) -> None:
        """Refuse event data that names a file, since none of our components sends one."""
        check_event_data(data)

    def explain(self, event: str, error: Exception) -> Exception:
        """Log an error that the values of an event caused, and return what to tell the sender."""
        if isinstance(error, MalformedEvent):
            self.note(event, error)
            return error
        if isinstance(error, gr.Error):
            # Gradio itself refused a value. Its message says which one, and is meant for the user.
            self.refusals.note(event, error.message)
            return gr.Error(error.message[:300], print_exception=False)
        self.refusals.note(event, f"{type(error).__name__}: {error}")
        return MalformedEvent("its values cannot be read")

    def note(self, event: str, error: Exception) -> None:
        """Log an error of a handler if a malformed event caused it."""
        if isinstance(error, MalformedEvent):
            self.refusals.note(event, error.problem)

    def answer(self, event: BlockFunction, values: Sequence[object], sender: gr.Request | None) -> None:
        """Let the sender of an event use the files in its answer."""
        self.files.offer(sender, event, values)


def _minute_budgets(services: Services) -> Callable[[gr.Request | None], AbstractContextManager[object]]:
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
