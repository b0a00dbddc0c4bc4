"""Options that the verbs of `workbench labels` share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
ProjectName = Annotated[str, typer.Option("--project", help="Labelling project; without one, that of all.")]
Labeller = Annotated[str, typer.Option("--labeller", help="Whose label it is; empty for your own machine's.")]
SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="Id of the session.")]
MessageId = Annotated[str, typer.Argument(metavar="MESSAGE", help="Id of the message.")]
