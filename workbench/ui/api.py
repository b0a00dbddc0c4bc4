"""Offer the functions for programs on the page's server, for the data and with the permissions of each caller."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from inspect import Parameter, signature
from secrets import token_hex
from typing import Any, cast, get_type_hints

import gradio as gr
from pydantic import TypeAdapter, ValidationError

from workbench.app.api.functions import API_FUNCTIONS, ApiFunctions
from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.rollout.stopping import StopSignal
from workbench.toolspec.budget import REQUEST_STEPS, budget
from workbench.toolspec.form_faults import first_fault
from workbench.ui.gradio_parts.listen import AT_ONCE, MODEL
from workbench.ui.owners import caller_of
from workbench.ui.permissions import needs
from workbench.ui.tabs.tab_work import TabWork


def offer_api(services: Services, work: TabWork) -> None:
    """Offer the functions to programs. Must be called inside a `gr.Blocks`.

    All of them use the queue, since MCP calls outside of it have no request and so no caller.

    Args:
        services: The services of the server.
        work: Gets the running calls, so that runs stop when the server closes.
    """
    for name, permission in API_FUNCTIONS.items():
        limit = (
            {"concurrency_id": MODEL, "concurrency_limit": AT_ONCE} if permission is Permission.ASK else {}
        )
        cast(Any, gr).api(api_handler(services, work, name), api_name=name, **limit)


def api_handler(services: Services, work: TabWork, name: str) -> Callable[..., str]:
    """Return the handler of an API function: it has the same parameters, after the request that Gradio fills in.

    Its errors are for the caller: a value of a wrong type, since Gradio checks no types, or a `WorkbenchError`.
    """
    method, permission = getattr(ApiFunctions, name), API_FUNCTIONS[name]
    hints, (_, *parameters) = get_type_hints(method), signature(method).parameters.values()
    adapters = [(own.name, TypeAdapter[Any](hints[own.name])) for own in parameters]

    @needs(permission)
    def handle(request: gr.Request, *values: Any) -> str:
        for (parameter, adapter), value in zip(adapters, values, strict=False):
            _check(adapter, parameter, value)
        with _errors_to_caller(), _budget(services, permission), _under_way(work) as stop:
            functions = ApiFunctions(services.of(caller_of(services.settings, request)), stop)
            return getattr(functions, name)(*values)

    # Gradio describes a function to programs by these.
    own_signature = signature(handle)
    request_first = [Parameter("request", Parameter.POSITIONAL_OR_KEYWORD), *parameters]
    handle.__name__, handle.__doc__ = name, method.__doc__
    handle.__annotations__ = {"request": gr.Request, **hints}
    cast(Any, handle).__signature__ = own_signature.replace(parameters=request_first)
    return handle


def _check(adapter: TypeAdapter[Any], name: str, value: object) -> None:
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError as error:
        raise gr.Error(f"{name}: {first_fault(error)[1]}"[:200], print_exception=False) from error


@contextmanager
def _errors_to_caller() -> Generator[None]:
    """Turn a `WorkbenchError` into a `gr.Error`, whose message the caller gets."""
    try:
        yield
    except WorkbenchError as error:
        raise gr.Error(str(error), print_exception=False) from error


def _budget(services: Services, permission: Permission) -> AbstractContextManager[object]:
    """Limit the computing time of texts from visitors of a Space. Turns and runs have limits of their own."""
    is_limited = services.settings.is_on_space and permission is Permission.WORK
    return budget(REQUEST_STEPS) if is_limited else nullcontext()


@contextmanager
def _under_way(work: TabWork) -> Generator[StopSignal]:
    """Register a call that ends with the server; gives what stops it."""
    name = f"api:{token_hex(8)}"
    work.begin(name)
    try:
        yield work.stop_of(name)
    finally:
        work.end(name)
