"""Read what a component sent with an event.

Gradio offers it as attributes, which fails if the data is not an object, as in a forged request.

*Gradio 6.31:* `events.EventData.__init__`, `events.EventData.__getattr__`.
"""

from typing import Any

import gradio as gr


def data_of(event: gr.EventData | None) -> Any:
    """Return the JSON value that was sent with an event. None if there is none."""
    return None if event is None else event._data  # pyright: ignore[reportPrivateUsage]
