"""Options that several commands of `workbench labels` share, and the account for which they run."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated

import typer

from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.label.records.project import REFERENCE_SEPARATOR, QueueFilter, QueueOrder, QueueSort
from workbench.records.label import Verdict
from workbench.records.label_words import QueueState
from workbench.records.owner import Owner, UserRole, account_key, account_name
from workbench.settings import read_settings

ProjectName = Annotated[
    str,
    typer.Option(
        "--project",
        metavar="PROJECT",
        help="Labelling project, as NAME or OWNER/NAME; if omitted, the project of all sessions",
    ),
]
Who = Annotated[
    str,
    typer.Option(
        "--labeller",
        metavar="NAME",
        help="Name of the annotator; if omitted, that of --as, or the local user",
    ),
]
SessionId = Annotated[
    str, typer.Argument(metavar="SESSION", help="ID of the session, from `workbench sessions list`")
]
MessageId = Annotated[
    str, typer.Argument(metavar="MESSAGE", help="ID of the message, from `workbench sessions show`")
]
OwnerKey = Annotated[
    str,
    typer.Option("--owner", metavar="KEY", help="Projects and rows of another owner, such as account:ann"),
]
AsAccount = Annotated[
    str, typer.Option("--as", metavar="NAME", help="Act as this account, with its role in the project")
]
Limit = Annotated[int, typer.Option(min=1, help="Maximum number of entries")]
Offset = Annotated[int, typer.Option(min=0, help="Number of entries to skip")]

StateFilter = Annotated[QueueState | None, typer.Option("--state", help="Only this state")]
TagFilter = Annotated[
    str | None,
    typer.Option("--tag", metavar="TAG", help="Only rows with this tag, of an import or of a label"),
]
VerdictFilter = Annotated[
    Verdict | None,
    typer.Option("--verdict", metavar="VERDICT", help=f"Only this verdict: {', '.join(Verdict)}"),
]
ContractFilter = Annotated[
    str | None,
    typer.Option("--contract", metavar="HASH", help="Only this contract: its hash, or the beginning of it"),
]
FixFilter = Annotated[
    bool | None, typer.Option("--fix/--no-fix", help="Only sessions with, or without, fixes")
]
FormatFilter = Annotated[
    str | None, typer.Option("--format", metavar="FORMAT", help="Only rows imported from this format")
]
SourceFilter = Annotated[
    str | None, typer.Option("--source", metavar="FILE", help="Only rows imported from this file")
]
ToolFilter = Annotated[
    str | None, typer.Option("--tool", metavar="TOOL", help="Only sessions that call this tool")
]
FindingFilter = Annotated[
    str | None,
    typer.Option("--finding", metavar="CODE", help="Only sessions with this finding or fix"),
]
RowFilter = Annotated[
    str | None,
    typer.Option(
        "--row", metavar="ID", help="Only the row with this ID, or sessions whose ID begins with it"
    ),
]
Order = Annotated[
    QueueOrder | None,
    typer.Option(
        metavar="ORDER",
        help=f"Order: {', '.join(QueueOrder)}; if omitted, oldest in a project, newest without one",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of a random order")]


def filter_of(
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    verdict: Verdict | None = None,
    **fields: object,
) -> QueueFilter:
    """Return the filter of these options. The other fields have the names of those of `QueueFilter`."""
    return QueueFilter(
        since=since and since.replace(tzinfo=UTC),
        until=until and until.replace(tzinfo=UTC),
        verdict=verdict.value if verdict else None,
        **fields,  # pyright: ignore[reportArgumentType]
    )


def sort_of(order: QueueOrder | None, seed: int) -> QueueSort:
    """Return the order of these options. A seed alone means a random order."""
    return QueueSort(order=QueueOrder.RANDOM if order is None and seed else order, seed=seed)


@contextmanager
def labels_of(owner: str, account: str) -> Generator[Services]:
    """Open the services of the owner that `--owner` and `--as` name, or of the local user.

    Args:
        owner: An owner's key, such as `account:ann`. Empty for the local user.
        account: Name of the account to act as. Empty acts as the owner.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        if account:
            own = Owner(key=account_key(account), name=account, role=UserRole.MEMBER)
            yield services.of(own)
        elif owner:
            yield services.of(Owner(key=owner, name=account_name(owner) or "", role=UserRole.LOCAL))
        else:
            yield services


def reference_of(project: str, owner: str, account: str) -> str:
    """Return the reference of a project for the account that the command acts as.

    Example: `--owner account:ann --as ben --project round-1` names Ben's view of Ann's project, `ann/round-1`.

    Raises:
        BadInput: The project's owner has no account, so nobody else can act in it.
    """
    if not (project and owner and account) or owner == account_key(account):
        return project
    name = account_name(owner)
    if name is None:
        raise BadInput(
            f"--owner {owner}", "projects are shared only between accounts", "name one, such as account:ann"
        )
    return f"{name}{REFERENCE_SEPARATOR}{project}"
