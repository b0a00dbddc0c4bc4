"""Parse, run, store and export tool calls in the Hermes format.

The layers, from top to bottom. Imports go down only; layers on one line do not import each other.

    __main__ · cli          commands for the terminal
    wiring                  builds Services from Settings; the only module that knows every concrete class
    ui | gateway            the page | the server of the OpenAI protocol
    app                     the work that the page, the commands and the API share
    engines | toolbox | library | training      models | tools | files and the hub | training
    store                   the database
    records                 what is stored, as plain values
    suite                   cases with expectations, scores, runs, comparison, reports
    rollout                 one conversation turn as a stream of events, and its ports
    contract | trajectory   system prompts | training rows
    hermes                  the wire format: text to Reading, Conversation to Prompt
    toolspec                tool specs, and checks of arguments against them
    chat                    messages, calls, findings, spans
    settings · errors       the environment as a value · all exceptions

The names in `__all__` are the public Python API; `docs/reference/python.md` describes them and says what may change.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from workbench.chat.finding import Edit, Finding, Fix, Severity, Span
    from workbench.chat.message import Conversation, Message, Role, ToolCall
    from workbench.errors import BadInput, WorkbenchError
    from workbench.hermes.openai_messages import parse_messages
    from workbench.hermes.parse import fixed, parse
    from workbench.hermes.prompt_writer import Prompt
    from workbench.hermes.reading import CallStatus, Dialect, Level, ReadCall, Reading, Segment, SegmentKind
    from workbench.hermes.render import render
    from workbench.hermes.stream import Stream
    from workbench.hermes.stream_events import (
        ArgumentsDelta,
        BlockEnded,
        CallDropped,
        CallEnded,
        CallStarted,
        ProseBecameThought,
        TextDelta,
    )
    from workbench.toolspec.spec import OfferedTools, ToolSpec
    from workbench.toolspec.tools_text import parse_tools
    from workbench.trajectory.row import RowFinding
    from workbench.trajectory.validate.check import FoundInRows, check_rows
    from workbench.trajectory.writing.convert import Converted
    from workbench.trajectory.writing.convert_rows import convert_rows
    from workbench.trajectory.writing.row_draft import ConversionChange

__version__ = "0.1.0"

__all__ = [
    "ArgumentsDelta",
    "BadInput",
    "BlockEnded",
    "CallDropped",
    "CallEnded",
    "CallStarted",
    "CallStatus",
    "Conversation",
    "ConversionChange",
    "Converted",
    "Dialect",
    "Edit",
    "Finding",
    "Fix",
    "FoundInRows",
    "Level",
    "Message",
    "OfferedTools",
    "Prompt",
    "ProseBecameThought",
    "ReadCall",
    "Reading",
    "Role",
    "RowFinding",
    "Segment",
    "SegmentKind",
    "Severity",
    "Span",
    "Stream",
    "TextDelta",
    "ToolCall",
    "ToolSpec",
    "WorkbenchError",
    "__version__",
    "check_rows",
    "convert_rows",
    "fixed",
    "parse",
    "parse_messages",
    "parse_tools",
    "render",
]

_MODULES: Final = {
    "chat.finding": ("Edit", "Finding", "Fix", "Severity", "Span"),
    "chat.message": ("Conversation", "Message", "Role", "ToolCall"),
    "errors": ("BadInput", "WorkbenchError"),
    "hermes.openai_messages": ("parse_messages",),
    "hermes.parse": ("fixed", "parse"),
    "hermes.prompt_writer": ("Prompt",),
    "hermes.reading": ("CallStatus", "Dialect", "Level", "ReadCall", "Reading", "Segment", "SegmentKind"),
    "hermes.render": ("render",),
    "hermes.stream": ("Stream",),
    "hermes.stream_events": (
        "ArgumentsDelta",
        "BlockEnded",
        "CallDropped",
        "CallEnded",
        "CallStarted",
        "ProseBecameThought",
        "TextDelta",
    ),
    "toolspec.spec": ("OfferedTools", "ToolSpec"),
    "toolspec.tools_text": ("parse_tools",),
    "trajectory.row": ("RowFinding",),
    "trajectory.validate.check": ("FoundInRows", "check_rows"),
    "trajectory.writing.convert": ("Converted",),
    "trajectory.writing.convert_rows": ("convert_rows",),
    "trajectory.writing.row_draft": ("ConversionChange",),
}
"""Public names by the module that defines them."""
_PLACES: Final = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used.

    Every command and every module of the package runs this file, and `workbench --help` should not wait for a reader
    that it does not use.
    """
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
