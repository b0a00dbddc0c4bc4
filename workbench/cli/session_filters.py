"""Options that choose sessions, which the commands for sessions, exports and labels share."""

from datetime import datetime
from typing import Annotated, Final

import typer

from workbench.records.sessions import SessionSource

_DATE_FORMATS: Final = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]
ModelFilter = Annotated[
    str | None, typer.Option("--model", metavar="MODEL", help="Only sessions with messages of this model")
]
SessionSourceFilter = Annotated[SessionSource | None, typer.Option(help="Only sessions from this source")]
SessionTagFilter = Annotated[str | None, typer.Option(metavar="TAG", help="Only sessions with this tag")]
SinceFilter = Annotated[
    datetime | None, typer.Option(formats=_DATE_FORMATS, help="Last used on or after this date (UTC)")
]
UntilFilter = Annotated[
    datetime | None, typer.Option(formats=_DATE_FORMATS, help="Last used before this date (UTC)")
]
