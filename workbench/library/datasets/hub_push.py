"""Push files of rows to a dataset repository on the Hugging Face Hub.

The hub's client is slow to import, so modules that rarely push import this one inside a function.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import httpx2
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    LocalTokenNotFoundError,
    OfflineModeIsEnabled,
)

from workbench.errors import BadInput, RemoteFailed

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
    """Push files to a dataset repository in one commit. The repository is created if it does not exist.

    Args:
        repo: `OWNER/NAME`.
        files: A path or bytes for each name in the repository.
        message: Commit message.
        is_private: Whether to create the repository as private.
        token: The visitor's access token; None for `HF_TOKEN` or the login of `hf auth login`.
        endpoint: Server address; None for `HF_ENDPOINT` or the Hugging Face Hub.

    Returns:
        The repository's URL.

    Raises:
        BadInput: The name of the repository is invalid, or there is no access token.
        RemoteFailed: The hub refuses, or cannot be reached.
    """
    if not _REPOSITORY.fullmatch(repo) or ".." in repo:
        raise BadInput(
            f"repository {repo[:100]!r}", "not of the form OWNER/NAME", "use a name such as me/rows"
        )
    api = HfApi(endpoint=endpoint, token=token)
    operations = [
        CommitOperationAdd(path_in_repo=name, path_or_fileobj=content) for name, content in files.items()
    ]
    try:
        address = api.create_repo(repo, repo_type="dataset", private=is_private, exist_ok=True)
        api.create_commit(repo, operations, commit_message=message, repo_type="dataset")
    except HfHubHTTPError as error:
        problem = f"HTTP {error.response.status_code}: {error.server_message or _first_line(error)}"
        raise RemoteFailed(f"repository {repo!r}", problem[:200], _TOKEN) from error
    except OfflineModeIsEnabled as error:
        raise RemoteFailed(f"repository {repo!r}", "HF_HUB_OFFLINE is set", "unset it to upload") from error
    except httpx2.HTTPError as error:
        problem = f"the hub cannot be reached: {_first_line(error)}"
        raise RemoteFailed(f"repository {repo!r}", problem[:200]) from error
    except (HFValidationError, LocalTokenNotFoundError, ValueError) as error:
        raise BadInput(f"repository {repo!r}", _first_line(error)[:200], _TOKEN) from error
    return str(address)


_TOKEN: Final = "set HF_TOKEN to an access token with write permission"


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
