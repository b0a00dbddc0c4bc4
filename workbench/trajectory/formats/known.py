"""The formats by name, and the detection of a row's format."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.errors import BadInput
from workbench.trajectory.formats.anthropic import ANTHROPIC
from workbench.trajectory.formats.glaive import GLAIVE
from workbench.trajectory.formats.hermes_messages import HERMES_MESSAGES
from workbench.trajectory.formats.langchain import LANGCHAIN
from workbench.trajectory.formats.llamafactory import LLAMAFACTORY
from workbench.trajectory.formats.llamafactory_preference import LLAMAFACTORY_DPO, LLAMAFACTORY_KTO
from workbench.trajectory.formats.llamafactory_v1 import LLAMAFACTORY_V1, LLAMAFACTORY_V1_DPO
from workbench.trajectory.formats.logs.claude_code import CLAUDE_CODE
from workbench.trajectory.formats.logs.codex import CODEX
from workbench.trajectory.formats.logs.hermes_session import HERMES_SESSION
from workbench.trajectory.formats.logs.session_trace import SESSION_TRACE
from workbench.trajectory.formats.ms_swift import MS_SWIFT, MS_SWIFT_DPO
from workbench.trajectory.formats.openai import OPENAI, TRL
from workbench.trajectory.formats.openai_evals import OPENAI_EVALS
from workbench.trajectory.formats.openai_preference import OPENAI_PREFERENCE
from workbench.trajectory.formats.preference import DPO, KTO
from workbench.trajectory.formats.raw import RAW
from workbench.trajectory.formats.request_log import REQUEST_LOG
from workbench.trajectory.formats.responses import RESPONSES
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.sharegpt import HERMES_AGENT, HERMES_V1, SHAREGPT
from workbench.trajectory.formats.toolace import TOOLACE
from workbench.trajectory.formats.wrapped import datasets_rows, json_texts
from workbench.trajectory.formats.xlam import XLAM
from workbench.trajectory.row import RowFinding

AUTO: Final = "auto"
"""Format name for detecting each row's format."""

_PLAIN: Final = (
    DPO,
    KTO,
    LLAMAFACTORY_DPO,
    LLAMAFACTORY_KTO,
    XLAM,
    GLAIVE,
    TOOLACE,
    LLAMAFACTORY,
    HERMES_AGENT,
    HERMES_V1,
    SHAREGPT,
    HERMES_SESSION,
    OPENAI_PREFERENCE,
    OPENAI_EVALS,
    LLAMAFACTORY_V1_DPO,
    MS_SWIFT_DPO,
    REQUEST_LOG,
    LANGCHAIN,
    MS_SWIFT,
    LLAMAFACTORY_V1,
    ANTHROPIC,
    RESPONSES,
    HERMES_MESSAGES,
    TRL,
    OPENAI,
    RAW,
    CLAUDE_CODE,
    CODEX,
    SESSION_TRACE,
)
"""The most specific first. Those of `from` and `value` come early, because most rows are of them."""


def detect_format(row: JsonObject) -> RowFormat | None:
    """Return the format that a row looks like, or None if it looks like none.

    >>> detect_format({"messages": [{"role": "user", "content": "hi"}]}).name
    'openai'
    """
    for row_format in FORMATS.values():
        if row_format.fits(row):
            return row_format
    return None


def _detect_plain(row: JsonObject) -> RowFormat | None:
    for row_format in _PLAIN:
        if row_format.fits(row):
            return row_format
    return None


FORMATS: Final[Mapping[str, RowFormat]] = MappingProxyType(
    {
        row_format.name: row_format
        for row_format in (json_texts(_detect_plain), datasets_rows(detect_format), *_PLAIN)
    }
)
"""By name, the most specific first: a row that fits several formats is read as the first of them."""
DEFAULT_FORMAT: Final = SHAREGPT.name
"""Format of exported sessions, unless another is chosen."""
WRITTEN: Final = tuple(row_format.name for row_format in FORMATS.values() if row_format.spell is not None)
"""Names of the formats that can be written."""


def log_format(event: JsonValue) -> RowFormat | None:
    """Return the format of a file of events that begins with this one, or None if it is not such a file."""
    fields = as_object(event)
    logs = (row_format for row_format in FORMATS.values() if row_format.log is not None)
    return next((row_format for row_format in logs if row_format.log and row_format.log.begins(fields)), None)


def format_named(name: str) -> RowFormat:
    """Return the format with this name.

    Raises:
        BadInput: There is no format with this name.
    """
    if name not in FORMATS:
        raise BadInput(f"format {name!r}", "unknown format", f"use one of {', '.join(FORMATS)}")
    return FORMATS[name]


def format_for(row: JsonValue, name: str) -> RowFormat | RowFinding:
    """Return the format with this name, or with the name `auto`, the format that the row looks like.

    Returns a finding if the row is not an object, or looks like no format.

    Raises:
        BadInput: There is no format with this name.
    """
    if not isinstance(row, dict | Mapping):  # `Mapping` alone is slow
        return RowFinding(code="unreadable-row", message="not a JSON object")
    fields = cast(JsonObject, row)
    return (detect_format(fields) or _UNKNOWN) if name == AUTO else format_named(name)


_UNKNOWN: Final = RowFinding(
    code="unknown-format", message="the row does not look like any known format; name its format"
)
