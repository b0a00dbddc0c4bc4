"""Where exported rows go, which sessions are refused, and the summary of an export."""

import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx2
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalTokenNotFoundError

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.library.datasets.session_export import SessionDone
from workbench.trajectory.sets.split import RowSplit

_REPOSITORY: Final = re.compile(r"(?:[A-Za-z0-9][\w.-]{0,95}/)?[A-Za-z0-9][\w.-]{0,95}")


def push_files(
    repo: str,
    files: Mapping[str, Path | bytes],
    *,
    message: str,
    is_private: bool = True,
    token: str | None = None,
    endpoint: str | None = None,
) -> str:
    """Put files into a data set's repository in one commit; it is made if it is not there.

    Args:
        repo: `OWNER/NAME`.
        files: Name in the repository to a file or its bytes.
        message: Of the commit.
        is_private: Whether a repository that is made now is private.
        token: The visitor's; None takes `HF_TOKEN` or what `hf auth login` kept.
        endpoint: Address of the server; None takes `HF_ENDPOINT`, else the hub.

    Returns:
        The repository's address.

    Raises:
        BadInput: The hub refuses, or is not reached.
    """
    if not _REPOSITORY.fullmatch(repo) or ".." in repo:
        raise BadInput(f"repository {repo[:100]!r}", "not of the form OWNER/NAME", "write such as me/rows")
    api = HfApi(endpoint=endpoint, token=token)
    operations = [
        CommitOperationAdd(path_in_repo=name, path_or_fileobj=content) for name, content in files.items()
    ]
    try:
        made = api.create_repo(repo, repo_type="dataset", private=is_private, exist_ok=True)
        api.create_commit(repo, operations, commit_message=message, repo_type="dataset")
    except (
        HfHubHTTPError,
        HFValidationError,
        LocalTokenNotFoundError,
        httpx2.HTTPError,
        ValueError,
    ) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise BadInput(
            f"repository {repo!r}", first[:200], "set HF_TOKEN to a token that may write"
        ) from error
    return str(made)


class ExportRefused(BadInput):
    """Sessions have defects, and nobody said that those may be left out: nothing was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """How much of a file is read; what is beyond is an error. A file that is packed can be a thousand times as large
    as it looks."""

    unpacked_bytes: int = sys.maxsize
    """Of all rows together, unpacked; a line counts for a hundred at least."""
    row_bytes: int = 1 << 27
    """Of one row, unpacked; in memory it takes several times as much."""
    row_containers: int = sys.maxsize
    """Objects and arrays in one row, which take fifty times the memory that their text does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportTarget:
    """Where rows go, and what goes with them."""

    out: str
    """`NAME.jsonl`, `NAME.jsonl.gz` or `NAME.parquet`; with a split a folder; `-` is standard output."""
    split: RowSplit | None = None
    """How rows are dealt out; None writes one file."""
    skips_invalid: bool = False
    """Whether sessions with a defect are left out; else one of them keeps all from being written."""
    licence: str = ""
    """Of the data set; empty writes no card."""
    title: str = ""
    """Of the card; empty takes the file's or folder's name."""


@dataclass(slots=True, kw_only=True)
class ExportSummary:
    """What an export came to; filled in as it goes on."""

    sessions: int = 0
    rows: int = 0
    splits: Counter[str] = field(default_factory=Counter[str])
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Sessions by why they, or a row of them, stay out."""
    defective: int = 0
    """Sessions with something wrong."""
    fixed_messages: int = 0
    """Messages whose safe fixes were made."""
    fixes: Counter[str] = field(default_factory=Counter[str])
    """Messages by code of fix."""
    corrected_messages: int = 0
    """Messages that stand there as a labeller corrected them."""
    losses: Counter[str] = field(default_factory=Counter[str])
    """Rows by what they lost."""
    files: tuple[str, ...] = ()
    """Paths of what was written, rows first; empty where nothing was."""
    receipt: JsonObject | None = None
    """None where rows have errors, or nothing was written."""
    issues: Counter[str] = field(default_factory=Counter[str])
    """What the validator found in all rows together, by code."""
    card: str = ""
    """The card's text; empty where none was asked for."""
    notes: list[str] = field(default_factory=list[str])
    """What else a person should know."""

    def add(self, done: SessionDone) -> None:
        """Count one session."""
        self.sessions += 1
        self.left_out.update({one.code for one in done.all_obstacles})
        self.defective += done.has_defect
        for made in done.rows:
            if made.row is None:
                continue
            self.rows += 1
            if done.split:
                self.splits[done.split] += 1
            self.fixed_messages += made.conversation.fixed_messages
            self.fixes.update(made.conversation.fixes)
            self.corrected_messages += made.conversation.corrected_messages
            self.losses.update({str(one.code) for one in made.changes if one.is_loss})
