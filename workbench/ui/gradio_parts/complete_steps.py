"""Send the changed values of each step of a generator completely, not as differences.

After the first step, Gradio sends differences, which the browser applies to the value of the previous step. A busy
browser may not have handled that step yet, and then loses its changes. For example, if step 2 changes a notice and step
3 does not, the notice is lost. The differences are also wrong for nested lists that get shorter. See
docs/decisions/0012-steps-are-sent-whole.md.

*Gradio 6.31:* `blocks.Blocks.handle_streaming_diffs`, `utils.diff`, `assets/index` (client/js/src/utils/stream.ts,
`apply_diff_stream`).
"""

from typing import Any, Final, cast

import gradio as gr

from workbench.ui.gradio_parts.names import BlockFunction

_UNCHANGED: Final[list[object]] = []


class CompleteSteps(gr.Blocks):
    """Gradio Blocks whose steps hold for each output either no change, or its complete new value."""

    def handle_streaming_diffs(
        self,
        block_fn: BlockFunction,
        data: list[Any],
        session_hash: str | None,
        run: str | None,
        final: bool,  # noqa: FBT001  Gradio's own
        simple_format: bool = False,  # noqa: FBT001, FBT002  Gradio's own
    ) -> list[Any]:
        """Return the step to send.

        Args:
            data: The step's values, one per output. Empty at the end, which repeats the last values.
            session_hash: The id of the browser tab.
            run: The id of the generator's run.
            final: Whether this is the last step.
            simple_format: Whether to return the values themselves.
        """
        parent = cast(Any, super())
        previous: list[Any] = list(cast(Any, self).pending_diff_streams[session_hash].get(run, ()))
        complete: list[Any] = parent.handle_streaming_diffs(
            block_fn, data, session_hash, run, final, simple_format=True
        )
        if final or simple_format or not previous:
            return complete
        return [
            _UNCHANGED if new == old else [["replace", [], new]]
            for old, new in zip(previous, complete, strict=True)
        ]
