"""The formats by name, and the detection of a row's format."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.trajectory.formats.glaive import GLAIVE
from workbench.trajectory.formats.llamafactory import LLAMAFACTORY
from workbench.trajectory.formats.openai import OPENAI, TRL
from workbench.trajectory.formats.preference import DPO, KTO
from workbench.trajectory.formats.raw import RAW
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.sharegpt import HERMES_AGENT, HERMES_V1, SHAREGPT
from workbench.trajectory.formats.toolace import TOOLACE
from workbench.trajectory.formats.xlam import XLAM

FORMATS: Final[Mapping[str, RowFormat]] = MappingProxyType(
    {
        one.name: one
        for one in (
            DPO,
            KTO,
            XLAM,
            GLAIVE,
            TOOLACE,
            LLAMAFACTORY,
            HERMES_AGENT,
            HERMES_V1,
            SHAREGPT,
            TRL,
            OPENAI,
            RAW,
        )
    }
)
"""By name, the most telling first: a row that fits two is of the first."""
DEFAULT_FORMAT: Final = SHAREGPT.name
"""What sessions are exported as unless another format is named."""
WRITTEN: Final = tuple(one.name for one in FORMATS.values() if one.spell is not None)
"""Names of those that can be written."""


def detect_format(row: JsonObject) -> RowFormat | None:
    """The format that a row looks like; None where it looks like none.

    >>> detect_format({"messages": [{"role": "user", "content": "hi"}]}).name
    'openai'
    """
    return next((one for one in FORMATS.values() if one.fits(row)), None)


def format_named(name: str) -> RowFormat:
    """The format.

    Raises:
        BadInput: There is none of that name.
    """
    if name not in FORMATS:
        raise BadInput(f"format {name!r}", "there is no such format", f"use one of {', '.join(FORMATS)}")
    return FORMATS[name]
