"""The one check of permissions: every event and every API function of the page passes it before it runs."""

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import gradio as gr
from gradio.block_function import BlockFunction

from workbench.records.owner import NotPermitted, Permission, UserRole, is_granted

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
            further: As Gradio's own.
            named: As Gradio's own.

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
