"""The export form's values, and the running job of each browser tab."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple
from workbench.records.corpus.material import SessionFilter
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.label import Verdict
from workbench.records.label_words import QueueState
from workbench.records.sessions import SessionSource
from workbench.trajectory.formats.known import DEFAULT_FORMAT, WRITTEN, format_named
from workbench.library.datasets.export_target import ExportTarget
from workbench.errors import BadInput
from workbench.trajectory.sets.split import RowSplit, parse_shares
from workbench.trajectory.writing.row_draft import RowOptions
from workbench.ui.present.words import SEED
from collections.abc import Generator
from contextlib import contextmanager
from threading import Event, Lock


ENDINGS: Final = ("jsonl", "jsonl.gz", "parquet")
"""File types of exported rows."""
ANY: Final = "any"
"""The choice of a filter that accepts everything."""
STALE: Final = "Stale messages"
DISCARDED: Final = "Discarded sessions"
UNFINISHED: Final = "Unfinished completions"
INCLUDABLE: Final = (STALE, DISCARDED, UNFINISHED)
"""What is only exported if its box is checked."""
SKIP: Final = "Skip sessions with errors"
STRICT: Final = "Treat lossy conversion as an error"
RAW: Final = "Keep the model's raw text"
STRIP: Final = "Remove the tool list from system texts"
OPTIONS: Final = (SKIP, STRICT, RAW, STRIP)


FILTERS: Final[Mapping[str, str]] = {
    "tag": "tag",
    "verdict": "verdict",
    "rating": "min_rating",
    "state": "state",
    "contract": "contract",
    "model": "model",
    "source": "source",
    "since": "since",
    "until": "until",
    "format": "format",
}
"""The fields of the form that addresses name: the parameter of the address, and the field."""
CHOICES: Final[Mapping[str, Sequence[str]]] = {
    "verdict": (ANY, *Verdict),
    "rating": (ANY, "1", "2", "3", "4", "5"),
    "state": (ANY, *QueueState),
    "source": (ANY, *SessionSource),
    "format": WRITTEN,
}
"""The choices of those fields that have choices."""
FIRST: Final[Mapping[str, str]] = {
    **{name: ANY if name in CHOICES else "" for name in FILTERS},
    "format": DEFAULT_FORMAT,
}
"""The first values of those fields, which addresses leave out."""


def read_filters(values: Mapping[str, str]) -> tuple[Mapping[str, str], Sequence[str]]:
    """Return the values of the fields that an address names, and what is wrong with it.

    Args:
        values: The parameters of the address. A value that a field does not have is left out.
    """
    named = {name: values.get(name) or first for name, first in FIRST.items()}
    unknown = [name for name, offered in CHOICES.items() if named[name] not in offered]
    wrong = [f"The address names an unknown {name}: {named[name][:40]!r}." for name in unknown]
    return {**named, **{name: FIRST[name] for name in unknown}}, wrong


class DataForm(NamedTuple):
    """The values of the fields that choose sessions, and of those that say how their rows are written, in order."""

    tag: str
    verdict: str
    min_rating: str
    state: str
    contract: str
    model: str
    source: str
    since: str
    until: str
    included: Sequence[str]
    format: str = DEFAULT_FORMAT
    ending: str = ENDINGS[0]
    split: str = ""
    seed: float | None = None
    options: Sequence[str] = ()
    licence: str = ""
    title: str = ""

    def export_options(self) -> ExportOptions:
        """Return which sessions to export, and how to write them.

        Raises:
            BadInput: A date is not valid.
        """
        choice = SessionFilter(
            tag=self.tag.strip() or None,
            verdict=None if self.verdict == ANY else self.verdict,
            min_rating=None if self.min_rating == ANY else int(self.min_rating),
            state=None if self.state == ANY else QueueState(self.state),
            contract=self.contract.strip() or None,
            model=self.model.strip() or None,
            source=None if self.source == ANY else SessionSource(self.source),
            since=_moment("used since", self.since),
            until=_moment("used before", self.until),
            includes_discarded=DISCARDED in self.included,
        )
        return ExportOptions(
            choice=choice,
            format=self.format,
            includes_stale=STALE in self.included,
            includes_unfinished=UNFINISHED in self.included,
            is_strict=STRICT in self.options,
            is_raw=RAW in self.options,
            row_options=RowOptions(strips_tool_prompt=STRIP in self.options),
        )

    def target(self, folder: str) -> ExportTarget:
        """Return the files to write in a folder.

        Raises:
            BadInput: The file type is unknown, or the split or its seed is not valid.
        """
        if self.ending not in ENDINGS:
            raise BadInput(
                "file", f"unknown type {self.ending[:20]!r}", f"choose one of {', '.join(ENDINGS)}"
            )
        split = self.split.strip()
        row_split = RowSplit(shares=parse_shares(split), seed=SEED.whole(self.seed)) if split else None
        is_log = format_named(self.format).log is not None
        return ExportTarget(
            out=folder if row_split or is_log else f"{folder}/rows.{self.ending}",
            split=row_split,
            skips_invalid=SKIP in self.options,
            licence=self.licence.strip(),
            title=self.title.strip() or "Conversations with tool calls",
        )


def _moment(where: str, text: str) -> datetime | None:
    if not text.strip():
        return None
    try:
        return datetime.fromisoformat(text.strip()).replace(tzinfo=UTC)
    except ValueError:
        raise BadInput(where, f"{text!r} is not a date", "use the form 2026-11-21") from None


class Jobs:
    """The running jobs of all browser tabs."""

    def __init__(self) -> None:
        self._stops: dict[str, Event] = {}
        self._lock = Lock()

    @contextmanager
    def job(self, tab: str) -> Generator[Event | None]:
        """Run a job of the tab in a `with` block.

        Gives the event that stops the job, or None if the tab already has a running job.
        """
        with self._lock:
            is_free = tab not in self._stops
            stop = self._stops.setdefault(tab, Event())
        try:
            yield stop if is_free else None
        finally:
            if is_free:
                with self._lock:
                    self._stops.pop(tab, None)

    def stop(self, tab: str) -> None:
        """Ask the tab's job to stop."""
        with self._lock:
            stop = self._stops.get(tab)
        if stop is not None:
            stop.set()
