"""Data sets on the Hugging Face hub, or on a server that speaks like it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import httpx2
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalTokenNotFoundError

from workbench.errors import BadInput

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
