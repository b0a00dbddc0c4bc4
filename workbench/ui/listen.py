"""Attach event handlers: every event private, without Gradio's progress display."""

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial, wraps
from inspect import isgeneratorfunction
from typing import Any, Final, cast

import gradio as gr
from gradio.blocks import Block
from gradio.events import Dependency

from workbench.toolspec.budget import REQUEST_STEPS, budget

MODEL: Final = "model"
"""What all events that make a model work share."""
AT_ONCE: Final = 192
"""So many of them run at once, more than one owner or one address may have under way: who comes first is for the
model's line to say (`workbench.app.fair_queue`), which gives each their place."""


_ENDED: Final = object()
"""Comes where a generator has no further step."""

Trigger = Callable[..., Any]
"""An event method of a component, such as `button.click`, or of an earlier event, such as `first.then`."""


def listen(
    trigger: Trigger,
    fn: Callable[..., object] | None,
    inputs: Sequence[Block] = (),
    outputs: Sequence[Block] = (),
    *,
    js: str | None = None,
    is_model_work: bool = False,
    is_latest_only: bool = False,
    is_in_order: bool = False,
    is_queued: bool = True,
) -> Dependency:
    """Call `fn` when `trigger` fires; what comes back goes to `outputs`, in order.

    Args:
        fn: Takes the values of `inputs`; None where only `js` runs.
        inputs: Parts to read.
        outputs: Parts to write.
        js: Runs in the browser first; its list becomes the inputs.
        is_model_work: May wait in a model's line for long.
        is_latest_only: While it runs, of several firings only the last is kept: for typing. An event of an own
            component is triggered by `triggerLatest` then.
        is_in_order: Several firings are answered one behind the other, all visitors' in one line: for quick work that
            is asked for in bursts. Dropdowns fire `change` when they are drawn, each of them, faster than
            `is_latest_only` can tell.
        is_queued: False answers at once, outside the queue.
    """
    options: dict[str, Any] = {
        "js": js,
        "api_visibility": "private",
        "show_progress": "hidden",
        # Hidden or not, Gradio tells every output of every step of its event, and looks each up in the whole page:
        # half of what the browser does for an answer (gradio 6.31, js/core/src/dependency.ts). So it shows none.
        "show_progress_on": [],
        "queue": is_queued,
        "trigger_mode": "always_last" if is_latest_only else "multiple",
    }
    if is_in_order:
        options["concurrency_limit"] = 1
    if is_model_work:
        options |= {"concurrency_id": MODEL, "concurrency_limit": AT_ONCE}
    return trigger(fn and within_budget(fn), list(inputs), list(outputs), **options)


def within_budget(fn: Callable[..., object]) -> Callable[..., object]:
    """The same handler, but that all patterns, templates and schemas that one call of it runs share a budget; of a
    generator, those of one step. What is refused is a `BadInput`, as any other fault of a person's text.
    """

    @wraps(fn)
    def bounded(*values: Any) -> object:
        with budget(REQUEST_STEPS):
            return fn(*values)

    @wraps(fn)
    def bounded_steps(*values: Any) -> Iterator[object]:
        steps = cast("Generator[object]", fn(*values))
        try:
            while True:
                with budget(REQUEST_STEPS):
                    step = next(steps, _ENDED)
                if step is _ENDED:
                    return
                yield step
        finally:
            steps.close()

    return bounded_steps if isgeneratorfunction(fn) else bounded


def any_of(*triggers: Trigger) -> Trigger:
    """Fires when one of `triggers` does; where only the latest counts, it is the latest of all of them."""
    return partial(cast(Trigger, cast(Any, gr).on), list(triggers))
