"""Read what a component sent with an event.

Gradio offers it as attributes, which fails if the data is not an object, as in a forged request.

*Gradio 6.31:* `events.EventData.__init__`, `events.EventData.__getattr__`, `processing_utils.check_all_files_in_cache`.
"""

from typing import Any

import gradio as gr
from gradio import processing_utils


def data_of(event: gr.EventData | None) -> Any:
    """Return the JSON value that was sent with an event. None if there is none."""
    return None if event is None else event._data  # pyright: ignore[reportPrivateUsage]


def names_file(event: gr.EventData | None) -> bool:
    """Whether the data of an event names a file that is not in Gradio's cache."""
    try:
        processing_utils.check_all_files_in_cache(data_of(event))
    except gr.Error:
        return True
    return False
