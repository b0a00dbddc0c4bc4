"""Who may use an uploaded or offered file. Gradio itself shows a file to everybody who knows its path."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Final, cast

import gradio as gr
from starlette.requests import Request

from workbench.ui.gradio_parts.names import BlockFunction
from workbench.ui.request_scope import OWNER

_MOST_FILES: Final = 100_000


class FileOwners:
    """The owners of files by path. The same content is one file for all people who uploaded it.

    Args:
        has_strangers: Whether the server has several users. Otherwise all files belong to its user.
    """

    def __init__(self, *, has_strangers: bool) -> None:
        self._has_strangers = has_strangers
        self._files: OrderedDict[tuple[str, str], None] = OrderedDict()

    def add(self, owner: str, path: str) -> None:
        """Let an owner use a file."""
        if self._has_strangers:
            key = (owner, path)
            self._files[key] = None
            self._files.move_to_end(key)
            while len(self._files) > _MOST_FILES:
                self._files.popitem(last=False)

    def may_use(self, owner: str, path: str) -> bool:
        """Whether an owner may use a file."""
        return not self._has_strangers or (owner, path) in self._files

    def check(self, request: gr.Request | None, event: BlockFunction, values: Sequence[object]) -> None:
        """Check the files in the values that were sent with an event.

        Args:
            request: The request of the event. None for an event of this process, which may use all files.
            event: The event.
            values: One for each input.

        Raises:
            gr.Error: The sender may not use one of them.
        """
        owner = _owner_of(request)
        if owner is not None and not all(
            self.may_use(owner, path) for path in _paths_in(event.inputs, values)
        ):
            raise gr.Error("The file is not available. Upload it again.", print_exception=False)

    def offer(self, request: gr.Request | None, event: BlockFunction, values: Sequence[object]) -> None:
        """Let the sender of an event use the files in its answer, which has one value for each output."""
        owner = _owner_of(request)
        if owner is not None:
            for path in _paths_in(event.outputs, values):
                self.add(owner, path)


def _owner_of(request: gr.Request | None) -> str | None:
    sent = cast(Request | None, getattr(request, "request", None))
    return None if sent is None else sent.scope.get(OWNER)


def _paths_in(blocks: Sequence[object], values: Sequence[object]) -> Iterator[str]:
    for block, value in zip(blocks, values, strict=False):
        if isinstance(block, gr.File | gr.UploadButton):
            yield from _paths_of(value)


def _paths_of(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        fields = cast(dict[str, object], value)
        if isinstance(path := fields.get("path"), str):
            yield path
        for below in fields.values():
            yield from _paths_of(below)
    elif isinstance(value, list | tuple):
        for below in cast(Sequence[object], value):
            yield from _paths_of(below)
