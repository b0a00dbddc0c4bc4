"""Mark the JSON of a call as a call, if the server was made to write it by a JSON Schema.

With mode `chat`, a server that does not apply tool choices gets the schema of a call as `response_format`. Its answer
is then the bare JSON `{"name": …, "arguments": …}`, which belongs between the tags of a call.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from workbench.hermes.marks import CALL_CLOSE, CALL_OPEN
from workbench.rollout.ports import Delta, FinishReason


def wrap_call(deltas: Iterable[Delta]) -> Iterator[Delta]:
    """Yield the deltas of a completion with the tags of a call around its text, if that text is a JSON object.

    A completion that was cut off gets no closing tag, so that an incomplete call is not run.
    """
    has_text = is_open = False
    for delta in deltas:
        text = delta.text
        if not has_text and text.strip():
            has_text = True
            is_open = text.lstrip().startswith("{")
            text = f"{CALL_OPEN}\n{text.lstrip()}" if is_open else text
        if is_open and delta.finish_reason is FinishReason.STOP:
            text += f"\n{CALL_CLOSE}"
        yield replace(delta, text=text) if text != delta.text else delta
