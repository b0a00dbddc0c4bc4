"""Append finished labels as JSON lines to a dataset repository on the hub.

Lines are written to a file of this process, which is committed every few minutes. If the hub cannot be reached,
the lines stay in the folder and are sent the next time.
"""

import json
import logging
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Lock
from typing import Final, cast
from uuid import uuid4

from httpx2 import HTTPError
from huggingface_hub import CommitScheduler
from huggingface_hub.errors import HFValidationError

from workbench.records.label import Label, label_json

EVERY_MINUTES: Final = 5.0
"""Minutes between two commits. The hub requires five or more."""

_LOG: Final = logging.getLogger(__name__)


class DatasetLabelLog:
    """Appends lines to a file that is committed to a dataset repository.

    Args:
        repository: A repository such as `me/labels`; created as private if it does not exist.
        folder: Folder of the files.
        every_minutes: Minutes between two commits.
    """

    def __init__(self, repository: str, folder: Path, *, every_minutes: float = EVERY_MINUTES) -> None:
        # One file per process: two processes with the same file would overwrite each other's lines on the hub.
        self._file = folder / f"labels-{uuid4()}.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self._scheduler = _scheduler(repository, folder, every_minutes)
        self._lock = self._scheduler.lock if self._scheduler else Lock()

    def write(self, labels: Sequence[Label]) -> None:
        """Append labels, one line each. Failures are logged and not raised."""
        lines = "".join(json.dumps(label_json(label), ensure_ascii=False) + "\n" for label in labels)
        try:
            with self._lock, self._file.open("a", encoding="utf-8", newline="\n") as file:
                file.write(lines)
        except OSError as error:
            _LOG.warning("Cannot write finished labels to %s: %s", self._file, error)

    def close(self) -> None:
        """Send the remaining lines. Failures are logged, and the lines are sent the next time."""
        if self._scheduler is None:
            return
        try:
            cast("Future[object]", self._scheduler.trigger()).result()  # pyright: ignore[reportUnknownMemberType] - untyped there
        except (HTTPError, OSError) as error:
            _LOG.warning(
                "Cannot send finished labels; they stay in %s until the next attempt: %s",
                self._file.parent,
                error,
            )
        self._scheduler.stop()


def _scheduler(repository: str, folder: Path, every_minutes: float) -> CommitScheduler | None:
    try:
        return CommitScheduler(
            repo_id=repository,
            repo_type="dataset",
            folder_path=folder,
            path_in_repo="labels",
            allow_patterns="*.jsonl",
            every=every_minutes,
            private=True,
        )
    except (HTTPError, HFValidationError, OSError) as error:
        _LOG.warning("Cannot reach the hub for %s; labels stay in %s: %s", repository, folder, error)
        return None
