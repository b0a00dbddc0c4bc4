"""Requests as Gradio passes them to handlers."""

from types import SimpleNamespace
from typing import Any, cast

import gradio as gr


def page_request(tab: str = "tab") -> gr.Request:
    """Return a request of a browser tab."""
    built = gr.Request(session_hash=tab)
    built.request = cast(Any, SimpleNamespace(query_params={}, session={}, headers={}, client=None))
    return built
