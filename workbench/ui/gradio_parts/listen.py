"""Attach event handlers as private events, without Gradio's progress display.

Even if it is hidden, Gradio updates the progress of every output at every step, and searches the whole page for each.
That is half of the browser's work for an answer.

*Gradio 6.31:* `blocks.BlocksConfig.set_event_trigger`, `events.EventListener._setup`, `events.on`, `assets/core`
(js/core/src/dependency.ts).
"""

from collections import ChainMap
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial, wraps
from inspect import isgeneratorfunction
from typing import Any, Final, cast

import gradio as gr

from workbench.toolspec.budget import REQUEST_STEPS, budget
from workbench.ui.gradio_parts.names import Block, Dependency
from workbench.ui.gradio_parts.update import SAME

MODEL: Final = "model"
"""The concurrency id that all events with model work share."""
AT_ONCE: Final = 192
"""How many of them run at once. It is more than one owner or address may have, so that the order is decided by the
model's own queue (`workbench.app.fair_queue`)."""


_ENDED: Final = object()
"""Marks the end of a generator."""

Trigger = Callable[..., Any]
"""An event method of a component, such as `button.click`, or of an earlier event, such as `first.then`."""


NamedOutputs = Mapping[str, Block | Sequence[Block]]
"""The components that the fields of a result are written to, by name. A field with several components holds as many
values, or none if all of them stay unchanged."""


def listen(
    trigger: Trigger,
    fn: Callable[..., object] | None,
    inputs: Sequence[Block] = (),
    outputs: Sequence[Block] | NamedOutputs = (),
    *,
    js: str | None = None,
    is_model_work: bool = False,
    is_latest_only: bool = False,
    is_in_order: bool = False,
    is_queued: bool = True,
) -> Dependency:
    """Call `fn` when `trigger` fires, and write the returned values to `outputs`, in order.

    Args:
        fn: The handler, which takes the values of `inputs`; None if only `js` runs.
        inputs: Components to read.
        outputs: Components to write, in the order of the returned values. Or by name, for a handler that returns or
            yields a named tuple, such as a `Screen`; its other fields must be unchanged.
        js: JavaScript that runs in the browser first. The list that it returns becomes the inputs.
        is_model_work: Whether the event may wait in a model's queue for a long time.
        is_latest_only: Whether to keep only the last of several firings at the same moment or while the handler runs,
            as for typing. Events of our own components are then triggered with `triggerLatest`.
        is_in_order: Whether to run the handler one firing after the other, for all users together. Use it for quick
            work that fires in bursts, each with data of its own.
        is_queued: Whether to use the queue; False runs the handler at once.
    """
    named = outputs if isinstance(outputs, Mapping) else None
    written = _components(outputs) if isinstance(outputs, Mapping) else list(outputs)
    if is_latest_only:
        js = _with_newest(fn, written, js)
    options: dict[str, Any] = {
        "js": js,
        "api_visibility": "private",
        "show_progress": "hidden",
        "show_progress_on": [],
        "queue": is_queued,
        "trigger_mode": "always_last" if is_latest_only else "multiple",
    }
    if is_in_order:
        options["concurrency_limit"] = 1
    if is_model_work:
        options |= {"concurrency_id": MODEL, "concurrency_limit": AT_ONCE}
    return trigger(fn and _bounded(fn, named), list(inputs), written, **options)


def outputs_of(
    screen: type[tuple[object, ...]], *parts: object, **further: Block | Sequence[Block]
) -> NamedOutputs:
    """Return the components for the fields of a named tuple: the attributes of `parts` with the same names.

    Args:
        screen: The named tuple.
        parts: Objects with components; the first one that has a name counts.
        further: Components with other names there. Fields that no component has are left out.
    """
    attributes = ChainMap(further, *(vars(part) for part in parts))
    return {name: attributes[name] for name in cast(Any, screen)._fields if name in attributes}


def _components(outputs: NamedOutputs) -> list[Block]:
    return [block for part in outputs.values() for block in ((part,) if isinstance(part, Block) else part)]


def _values(result: Any, outputs: NamedOutputs) -> object:
    """Return the values of a named tuple in the order of the components."""
    values: list[object] = []
    for name, part in outputs.items():
        value = getattr(result, name)
        values += (value,) if isinstance(part, Block) else value or (SAME,) * len(part)
    dropped = [
        name for name, value in result._asdict().items() if name not in outputs and value not in (SAME, ())
    ]
    if dropped:
        raise TypeError(f"the event has no components for {', '.join(dropped)}")
    return values if len(values) > 1 else values[0]


def _with_newest(fn: Callable[..., object] | None, outputs: Sequence[Block], js: str | None) -> str:
    # The name of the event: several tabs can have the same handler, but each writes to its own components.
    name = f"{getattr(fn, '__name__', '')} {cast(Any, outputs[0])._id}"
    newest = f"await hermesWorkbench.newest('{name}', values)"
    return f"async (...values) => {f'({js})(...{newest})' if js else newest}"


WITH_DRAFTS: Final = "async (...values) => hermesWorkbench.documents.withDrafts(values)"
"""JavaScript for an event whose second input gets the drafts of contracts (`workbench.app.runs.drafts`)."""


def after_loading(tab: str) -> str:
    """Return JavaScript for an event that writes to another tab: it waits until that tab was sent (`split_config`)."""
    return f"async (...values) => {{ await hermesWorkbench.loadTab('page-tab-{tab}'); return values; }}"


def after_filling(tab: str) -> str:
    """Return JavaScript for an event that writes to a tab with a stored form: it opens the tab and waits for the form.

    `when_filled` says when that is.
    """
    name = f"page-tab-{tab}"
    return (
        f"async (...values) => {{ if (!hermesWorkbench.filled.has('{name}')) {{"
        f" hermesWorkbench.router.goTo('{tab}'); await hermesWorkbench.loadTab('{name}', {{ isFilled: true }}); }}"
        " return values; }"
    )


def when_filled(tab: str) -> str:
    """Return JavaScript for an event that is sent only once the tab's stored form was restored."""
    return (
        f"(...values) => hermesWorkbench.filled.has('page-tab-{tab}') ? values"
        " : hermesWorkbench.drop('the stored form comes first')"
    )


def mark_filled(tab: str) -> str:
    """Return JavaScript that follows the event which restores the stored form of a tab."""
    return f"() => {{ hermesWorkbench.filled.add('page-tab-{tab}'); return []; }}"


def _bounded(fn: Callable[..., object], outputs: NamedOutputs | None) -> Callable[..., object]:
    """Wrap a handler so that all patterns, templates and schemas of one call share a budget.

    A generator has the budget for each step. Exceeding it raises `BadInput`, like any other error in a user's text.
    """

    def arranged(result: object) -> object:
        return result if outputs is None else _values(result, outputs)

    @wraps(fn)
    def bounded(*values: Any) -> object:
        with budget(REQUEST_STEPS):
            return arranged(fn(*values))

    @wraps(fn)
    def bounded_steps(*values: Any) -> Iterator[object]:
        steps = cast("Generator[object]", fn(*values))
        try:
            while True:
                with budget(REQUEST_STEPS):
                    step = next(steps, _ENDED)
                if step is _ENDED:
                    return
                yield arranged(step)
        finally:
            steps.close()

    return bounded_steps if isgeneratorfunction(fn) else bounded


def any_of(*triggers: Trigger) -> Trigger:
    """Return a trigger that fires when any of `triggers` does. With `is_latest_only`, the latest of all counts."""
    return partial(cast(Trigger, cast(Any, gr).on), list(triggers))
