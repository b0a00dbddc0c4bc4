"""Handlers of events that show an error in a notice."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar, cast

from workbench.errors import WorkbenchError
from workbench.ui.present.notices import problem

NOTICE: Final = object()
"""The place of the notice among the values that a handler returns."""
_Handler = TypeVar("_Handler", bound=Callable[..., object])


def shows_error(*values: object) -> Callable[[_Handler], _Handler]:
    """Return a notice instead of raising a `WorkbenchError`.

    Args:
        values: What the handler returns then, in the order of its outputs, with `NOTICE` in the place of the notice.
            Or a named tuple with a field `notice`, such as `Screen`, whose other fields stay unchanged.

    Example:
        `@shows_error(SAME, NOTICE)` above a handler that returns a text and a notice.
    """

    def mark(handler: _Handler) -> _Handler:
        @wraps(handler)
        def guarded(*given: Any, **named: Any) -> object:
            try:
                return handler(*given, **named)
            except WorkbenchError as error:
                notice = problem(error)
            if isinstance(values[0], type):
                return cast(Any, values[0])(notice=notice)
            shown = tuple(notice if value is NOTICE else value for value in values)
            return shown if len(shown) > 1 else notice

        return cast(_Handler, guarded)

    return mark
