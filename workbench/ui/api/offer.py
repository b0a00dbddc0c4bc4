"""The API, put into the page: six functions, and nothing else of the page is offered."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Final, cast, get_type_hints

import gradio as gr
from pydantic import TypeAdapter, ValidationError

from workbench.app.services import Services
from workbench.ui.api.verbs import Verbs
from workbench.ui.listen import AT_ONCE, MODEL
from workbench.ui.tabs.play.runs import Runs

_GRADIOS_OWN: Final = (gr.Request,)
"""Types of parameters that Gradio fills in by itself."""


def offer_api(services: Services, runs: Runs) -> None:
    """Offers the six functions to programs; inside of a `gr.Blocks`.

    All of them stand in the queue: outside of it, an MCP call would come without its caller's request.
    """
    verbs = Verbs(services, runs)
    for verb in (verbs.parse, verbs.render, verbs.check, verbs.export):
        _offer(verb)
    for verb in (verbs.chat, verbs.run):
        _offer(verb, concurrency_id=MODEL, concurrency_limit=AT_ONCE)


def with_checked_types(verb: Callable[..., str]) -> Callable[..., str]:
    """The same function, but that a value of a wrong type is told to its caller; Gradio checks none."""
    hints, names = get_type_hints(verb), tuple(signature(verb).parameters)
    adapters = {name: TypeAdapter[Any](hints[name]) for name in names if hints[name] not in _GRADIOS_OWN}

    @wraps(verb)
    def checked(*values: Any) -> str:
        for name, value in zip(names, values, strict=False):
            if name in adapters:
                _check(adapters[name], name, value)
        return verb(*values)

    return checked


def _offer(verb: Callable[..., str], **options: object) -> None:
    cast(Any, gr).api(with_checked_types(verb), api_name=verb.__name__, **options)


def _check(adapter: TypeAdapter[Any], name: str, value: object) -> None:
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError as error:
        told = error.errors()[0]
        raise gr.Error(f"{name}: {told['msg']}"[:200], print_exception=False) from error
