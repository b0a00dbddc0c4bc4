"""Append finished labels as JSON lines to a dataset repository on the hub.

Lines are written to a file of this process and committed from there every few minutes: what could not be
sent stays in the folder, and is sent the next time.
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

from workbench.records.labels.label import Label, label_json

EVERY_MINUTES: Final = 5.0
"""Time from one commit to the next; the hub asks for five at least."""

_LOG: Final = logging.getLogger(__name__)


class DatasetLabelLog:
    """Adds lines to a file, which is committed to a dataset repository.

    Args:
        repository: Such as `me/labels`; made private where it is not there.
        folder: Where the files stand.
        every_minutes: Time from one commit to the next.
    """

    def __init__(self, repository: str, folder: Path, *, every_minutes: float = EVERY_MINUTES) -> None:
        # A file of this process alone: two that add to one would overwrite each other on the hub.
        self._file = folder / f"labels-{uuid4()}.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self._scheduler = _scheduler(repository, folder, every_minutes)
        self._lock = self._scheduler.lock if self._scheduler else Lock()

    def write(self, labels: Sequence[Label]) -> None:
        """Adds the labels, a line each; what goes wrong is told in the program's log and stops nobody."""
        lines = "".join(json.dumps(label_json(label), ensure_ascii=False) + "\n" for label in labels)
        try:
            with self._lock, self._file.open("a", encoding="utf-8", newline="\n") as file:
                file.write(lines)
        except OSError as error:
            _LOG.warning("finished labels could not be written to %s: %s", self._file, error)

    def close(self) -> None:
        """Sends what was not sent yet; what cannot be is told, and sent the next time."""
        if self._scheduler is None:
            return
        try:
            cast("Future[object]", self._scheduler.trigger()).result()  # pyright: ignore[reportUnknownMemberType] - untyped there
        except (HTTPError, OSError) as error:
            _LOG.warning("finished labels stay in %s until they can be sent: %s", self._file.parent, error)
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
        _LOG.warning("the hub cannot be reached for %s, labels stay in %s: %s", repository, folder, error)
        return None
