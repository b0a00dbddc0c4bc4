"""Mark each handler with the permission that it needs, and check that the sender of an event has it."""

from collections.abc import Callable
from typing import Final, TypeVar, cast

import gradio as gr

from workbench.records.owner import NotPermitted, Permission, UserRole, is_granted
from workbench.ui.gradio_parts.names import is_own_handler

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
    if is_own_handler(handler):
        return Permission.WORK
    return cast(Permission | None, getattr(handler, _MARK, None))


def require(permission: Permission | None, role: UserRole) -> None:
    """Refuse an event whose sender does not have the permission that its handler needs.

    Args:
        permission: As `needed_by` returns it.

    Raises:
        gr.Error: The role does not have the permission, or the handler declares none.
    """
    if permission is None:
        raise gr.Error("This event declares no permission, so nobody may run it.", print_exception=False)
    if not is_granted(permission, role):
        raise gr.Error(str(NotPermitted(permission, role)), print_exception=False)
