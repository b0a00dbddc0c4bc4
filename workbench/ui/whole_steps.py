"""Blocks whose answers can be heard at any pace."""

from typing import Any, Final, cast

import gradio as gr
from gradio.block_function import BlockFunction

_UNCHANGED: Final[list[object]] = []


class WholeSteps(gr.Blocks):
    """Gradio's, but that each step of an answer brings what changed in whole.

    Of all steps behind the first Gradio sends the differences, and its browser side works them into the value that the
    step before brought. A browser that is busy has not looked at that one yet: what a step says and the next one does
    not is lost there. Where lists within lists get shorter, the differences are wrong besides.

    *Source:* gradio 6.31, blocks.py, `handle_streaming_diffs`; utils.py, `diff`; client/js/src/utils/stream.ts,
    `apply_diff_stream`.
    """

    def handle_streaming_diffs(
        self,
        block_fn: BlockFunction,
        data: list[Any],
        session_hash: str | None,
        run: str | None,
        final: bool,  # noqa: FBT001  Gradio's own
        simple_format: bool = False,  # noqa: FBT001, FBT002  Gradio's own
    ) -> list[Any]:
        """The step as it is sent: of each output nothing, or that it is replaced.

        Args:
            block_fn: The event.
            data: The step's values, one an output; none at the end, which says the last ones again.
            session_hash: Of the browser's tab.
            run: The answer.
            final: No step comes behind this one.
            simple_format: The values themselves are wanted.
        """
        gradios = cast(Any, super())
        former: list[Any] = list(cast(Any, self).pending_diff_streams[session_hash].get(run, ()))
        whole: list[Any] = gradios.handle_streaming_diffs(
            block_fn, data, session_hash, run, final, simple_format=True
        )
        if final or simple_format or not former:
            return whole
        return [
            _UNCHANGED if new == old else [["replace", [], new]]
            for old, new in zip(former, whole, strict=True)
        ]
