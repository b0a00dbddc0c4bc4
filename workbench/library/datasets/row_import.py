"""Import rows of a dataset as sessions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Final, NamedTuple

from workbench.chat.message import Message, Role, ToolCall
from workbench.contract.contract import Contract, find_placeholders, render_contract
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.records.corpus.material import NewImport
from workbench.records.run_config import RunConfig
from workbench.store.corpus.corpus import CorpusStore
from workbench.store.corpus.import_writer import DigestedImport
from workbench.toolspec.spec import OfferedTools, canonical_json
from workbench.toolspec.tools_text import render_tools
from workbench.trajectory.row import EntryCall, RowEntry, RowFinding, TrainingRow
from workbench.trajectory.row_reading import RowReading, read_trajectory
from workbench.trajectory.trajectory import Prose, RowMessage
from workbench.trajectory.writing.row_draft import Addition, ConversionChange, Loss

CONTRACT: Final = "imported"
"""Name of the contract that is made from the system text of an imported row."""


class ReadRow(NamedTuple):
    """A row of a file, or why it cannot be read."""

    number: int
    """From 1."""
    row: TrainingRow | RowFinding
    original: bytes | None = None
    """The row's line without its line feed, byte for byte; None if it was not a line of JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """Options of an import."""

    file: str
    tags: tuple[str, ...] = ()
    """Tags of every new session."""
    is_queued: bool = False
    """Whether to add the sessions to the labelling queue, as pending."""
    allows_repeats: bool = False
    """Whether to import rows again that are sessions already."""
    started_at: datetime | None = None
    """When the import started, with time zone; None stands for now. It places the rows in the labelling queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowImported:
    """Result of importing one row."""

    number: int
    """Number of the row in the file, from 1."""
    session_id: str | None = None
    """The row's session; None if it has none."""
    is_new: bool = False
    same_as: int | None = None
    """Number of the row of this file that the session was made from; None if it was there before the import."""
    problem: str = ""
    """Why the row was not imported; empty if it was."""
    pointer: str = ""
    """JSON pointer to the problem in the row."""
    changes: tuple[ConversionChange, ...] = ()
    """What the session has differently than the row."""


_MOST_ROWS: Final = 400
"""Rows that are stored in one transaction. With 100, an import takes an eighth longer, for the search index."""
_MOST_BYTES: Final = 4_000_000
"""Size of these rows, of which several times as much is in memory; 100 rows if their sizes are not known."""
_MOST_SETUPS: Final = 200
"""Setups that are remembered."""
_CORRECTABLE: Final = frozenset({"call-unreadable", "call-truncated"})
"""Problems that an annotator can correct, so that the row is imported."""


def import_rows(
    corpus: CorpusStore, rows: Iterable[ReadRow], default_setup: RunConfig, options: ImportOptions
) -> Iterator[RowImported]:
    """Import each row as a session. A bad row does not stop the import.

    Rows are stored in batches, in one transaction each; what is yielded is stored.

    Args:
        corpus: Where to store the sessions.
        rows: Rows of a file.
        default_setup: Settings of a new session. The rows' tools and system texts replace those in it.
        options: Tags and other options.

    Raises:
        BadInput: The file cannot be opened, or is too large.
        StoreError: The store cannot be written.
    """
    setups, numbers = _Setups(default_setup), dict[int, int]()
    options = replace(options, started_at=options.started_at or corpus.now())
    for batch in _batches(rows):
        for row in _stored(corpus, batch, setups, options):
            # A hash, so that a million rows take little memory.
            key = hash(row.session_id)
            if row.is_new and not options.allows_repeats:
                numbers[key] = row.number
            yield row if row.is_new else replace(row, same_as=numbers.get(key))


def _batches(rows: Iterable[ReadRow]) -> Iterator[list[ReadRow]]:
    batch: list[ReadRow] = []
    size = 0
    for read in rows:
        batch.append(read)
        size += _MOST_BYTES // 100 if read.original is None else len(read.original)
        if len(batch) == _MOST_ROWS or size >= _MOST_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Pending(NamedTuple):
    """A row that is a new session."""

    session: DigestedImport
    changes: tuple[ConversionChange, ...]


def _stored(
    corpus: CorpusStore, batch: Sequence[ReadRow], setups: "_Setups", options: ImportOptions
) -> Iterator[RowImported]:
    """Store a batch, and yield the result of each row in order."""
    digests = ["" if isinstance(read.row, RowFinding) else digest_of(read.row) for read in batch]
    outcomes: dict[str, str | BadInput] = {}
    if not options.allows_repeats:
        outcomes.update(corpus.find_imports([*filter(None, digests)]))
    known = set(outcomes)
    rows: list[RowFinding | _Pending | None] = []
    for read, digest in zip(batch, digests, strict=True):
        row = None if digest in known else _pending(read, digest, setups, options)
        if isinstance(row, _Pending) and not options.allows_repeats:
            known.add(digest)
        rows.append(row)
    pending = [row.session for row in rows if isinstance(row, _Pending)]
    stored = iter(corpus.add_imports(pending) if pending else ())
    for read, digest, row in zip(batch, digests, rows, strict=True):
        if isinstance(row, RowFinding):
            yield RowImported(number=read.number, problem=row.message, pointer=row.pointer)
            continue
        if row is not None:
            outcomes[digest] = next(stored)
        outcome = outcomes[digest]
        if isinstance(outcome, BadInput):
            yield RowImported(number=read.number, problem=str(outcome))
        else:
            changes = row.changes if row else ()
            yield RowImported(number=read.number, session_id=outcome, is_new=row is not None, changes=changes)


def _pending(read: ReadRow, digest: str, setups: "_Setups", options: ImportOptions) -> RowFinding | _Pending:
    """Return the session to store, or why the row cannot be imported."""
    if isinstance(read.row, RowFinding):
        return read.row
    reading = read_trajectory(read.row)
    new = _session_of(read, read.row, reading, setups, options)
    if isinstance(new, RowFinding):
        return new
    # Texts are imported without fixes, so that masks still fit to them.
    others = (change for change in reading.changes if change.code not in (Addition.FIXED, Loss.LOSS_MASK))
    return _Pending(DigestedImport(new, digest), tuple(others))


def digest_of(row: TrainingRow) -> str:
    """Return the SHA-256 (hex) of a row, which does not depend on the order of keys or on white space."""
    return sha256(canonical_json(row.fields).encode(errors="surrogatepass")).hexdigest()


def _session_of(
    read: ReadRow, row: TrainingRow, reading: RowReading, setups: "_Setups", options: ImportOptions
) -> NewImport | RowFinding:
    """Convert a row to a session. The model's texts stay byte for byte, even if they cannot be parsed."""
    for problem in reading.problems:
        if problem.code not in _CORRECTABLE:
            return problem
    trajectory = reading.trajectory
    if not trajectory.messages:
        return RowFinding(code="missing-field", message="the row has no messages")
    entries = {entry.place: entry for entry in row.all_entries}
    return NewImport(
        setup=setups.of(trajectory.messages[0], trajectory.tools),
        messages=tuple(_message(message, entries, row) for message in trajectory.messages),
        rejected=tuple(_message(message, entries, row) for message in trajectory.rejected),
        answer_start=trajectory.answer_index if trajectory.rejected else 0,
        format=row.format,
        fields=row.fields,
        file=options.file,
        number=read.number,
        tags=options.tags,
        started_at=options.started_at,
        is_queued=options.is_queued,
        original=read.original,
    )


def _message(message: RowMessage, entries: Mapping[int, RowEntry], row: TrainingRow) -> Message:
    if message.result is not None:
        return Message(role=Role.TOOL, text=message.result.text, name=message.result.name)
    entry = entries.get(message.place)
    if message.role is Role.ASSISTANT and entry is not None:
        if entry.tagged_text is not None:
            return Message(role=message.role, text=entry.tagged_text)
        calls = tuple(_call(call) for call in entry.calls)
        return Message(role=message.role, text=entry.text, thought=entry.thought or None, calls=calls)
    prose = "".join(part.text for part in message.parts if isinstance(part, Prose))
    text = prose if message.text is None else message.text
    return Message(role=message.role, text=text)


def _call(call: EntryCall) -> ToolCall:
    """Convert a call as the row has it: arguments that are not JSON stay byte for byte."""
    return ToolCall(name=call.name, arguments=call.arguments or {}, arguments_text=call.arguments_text)


class _Setups:
    """Makes the setups of sessions. Rows with the same system text and tools share one.

    Args:
        default: Settings of a new session.
    """

    def __init__(self, default: RunConfig) -> None:
        self._default = default
        self._known: dict[tuple[str, str], RunConfig] = {}

    def of(self, first: RowMessage, tools: OfferedTools) -> RunConfig:
        """Return settings with which the conversation of a row can be continued as it began.

        Args:
            first: Its first message.
            tools: Its tools.
        """
        text = first.text if first.text is not None else "".join(prose.text for prose in first.prose)
        key = text if first.role is Role.SYSTEM else "", render_tools(tools)
        if key not in self._known:
            if len(self._known) == _MOST_SETUPS:
                self._known.clear()
            self._known[key] = self._made(key[0], tools)
        return self._known[key]

    def _made(self, system_text: str, tools: OfferedTools) -> RunConfig:
        default = self._default
        return RunConfig(
            contract_name=CONTRACT if system_text else default.contract_name,
            contract_text=_contract_text(system_text, tools) if system_text else default.contract_text,
            tools_text=render_tools(tools),
            model=default.model,
            max_rounds=default.max_rounds,
        )


def _contract_text(text: str, tools: OfferedTools) -> str:
    """Write a contract that composes to exactly this system text.

    If the text lists the tools as one of the families does, the list becomes the placeholder `{{ tools }}`.
    """
    family, spelled = "hermes-lines", ""
    lists_tools = bool(tools.specs) and tools.names[0] in text
    for name in dict.fromkeys((family, *FAMILIES)) if lists_tools else ():
        listed = FAMILIES[name].render_tools(tools)
        if listed and listed in text:
            family, spelled = name, listed
            break
    before, found, after = text.partition(spelled) if spelled else (text, "", "")
    body = _literal(before) + ("{{ tools }}" if found else "") + _literal(after)
    return render_contract(
        Contract(name=CONTRACT, title="The system text of an imported row", family=family, text=body)
    )


def _literal(text: str) -> str:
    """Escape placeholders in a text, so that a contract contains it literally."""
    pieces: list[str] = []
    position = 0
    for place in find_placeholders(text):
        pieces += [text[position : place.start], "{{ '{{' }}"]
        position = place.start + len("{{")
    return "".join((*pieces, text[position:]))
