"""Import rows of a dataset as sessions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple

from workbench.chat.message import Message, Role, ToolCall
from workbench.contract.contract import Contract, placeholders, render_contract
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.records.corpus.material import NewImport
from workbench.records.run_config import RunConfig
from workbench.store.corpus import CorpusStore
from workbench.toolspec.spec import OfferedTools, canonical_json
from workbench.toolspec.tools_text import render_tools
from workbench.trajectory.row import RowEntry, RowFinding, TrainingRow
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import Prose, RowMessage

CONTRACT: Final = "imported"
"""Name of the contract that is made from the system text of an imported row."""


class ReadRow(NamedTuple):
    """A row of a file, or why it cannot be read."""

    number: int
    """From 1."""
    row: TrainingRow | RowFinding


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RowImported:
    """Result of importing one row."""

    number: int
    """Number of the row in the file, from 1."""
    session_id: str | None = None
    """The row's session; None if it has none."""
    is_new: bool = False
    """Whether the session is new."""
    problem: str = ""
    """Why the row was not imported; empty if it was."""
    pointer: str = ""
    """JSON pointer to the problem in the row."""


def import_rows(
    corpus: CorpusStore, rows: Iterable[ReadRow], default_setup: RunConfig, options: ImportOptions
) -> Iterator[RowImported]:
    """Import each row as a session. Each is stored before the next is read, and a bad row does not stop the import.

    Args:
        corpus: Where to store the sessions.
        rows: Rows of a file.
        default_setup: Settings of a new session. The rows' tools and system texts replace those in it.
        options: Tags and other options.

    Raises:
        BadInput: A tag cannot be stored, or the file is cut off.
        StoreError: The store cannot be written.
    """
    for number, row in rows:
        if isinstance(row, RowFinding):
            yield RowImported(number=number, problem=row.message, pointer=row.pointer)
            continue
        digest = digest_of(row)
        known = None if options.allows_repeats else corpus.find_import(digest)
        if known is not None:
            yield RowImported(number=number, session_id=known)
            continue
        yield _imported(corpus, session_of(row, default_setup, options, number), number, digest)


def digest_of(row: TrainingRow) -> str:
    """Return the SHA-256 (hex) of a row, which does not depend on the order of keys or on white space."""
    return sha256(canonical_json(row.fields).encode(errors="surrogatepass")).hexdigest()


def session_of(
    row: TrainingRow, default_setup: RunConfig, options: ImportOptions, number: int
) -> NewImport | RowFinding:
    """Convert a row to a session. The model's texts stay byte for byte, even if they cannot be parsed.

    Args:
        row: The row.
        default_setup: Settings of a new session. The row's tools and system text replace those in it.
        options: Tags and other options.
        number: Number of the row in the file.
    """
    reading = read_trajectory(row)
    for problem in reading.problems:
        # A labeller can correct a call that cannot be parsed, so the row is imported.
        if problem.code != "call-unreadable" or not row.spells_calls:
            return problem
    trajectory = reading.trajectory
    if not trajectory.messages:
        return RowFinding(code="missing-field", message="the row has no messages")
    entries = {entry.place: entry for entry in row.all_entries}
    return NewImport(
        setup=_setup(trajectory.messages[0], trajectory.tools, default_setup),
        messages=tuple(_message(message, entries, row) for message in trajectory.messages),
        rejected=tuple(_message(message, entries, row) for message in trajectory.rejected),
        answer_start=trajectory.answer_index if trajectory.rejected else 0,
        format=row.format,
        fields=row.fields,
        file=options.file,
        number=number,
        tags=options.tags,
        is_queued=options.is_queued,
    )


def _imported(corpus: CorpusStore, new: NewImport | RowFinding, number: int, digest: str) -> RowImported:
    if isinstance(new, RowFinding):
        return RowImported(number=number, problem=new.message, pointer=new.pointer)
    try:
        session_id = corpus.add_import(new, digest=digest)
    except BadInput as error:
        return RowImported(number=number, problem=str(error))
    return RowImported(number=number, session_id=session_id, is_new=True)


def _message(message: RowMessage, entries: Mapping[int, RowEntry], row: TrainingRow) -> Message:
    if message.result is not None:
        return Message(role=Role.TOOL, text=message.result.text, name=message.result.name)
    entry = entries.get(message.place)
    if message.role is Role.ASSISTANT and entry is not None and row.spells_calls and not entry.calls:
        return Message(role=message.role, text=entry.text)
    prose = "".join(part.text for part in message.parts if isinstance(part, Prose))
    text = prose if message.text is None else message.text
    return Message(
        role=message.role,
        text=text,
        thought=message.thoughts[0].text if message.thoughts else None,
        calls=tuple(
            ToolCall(name=call.name, arguments=call.arguments, arguments_text=call.arguments_text)
            for call in message.calls
        ),
    )


def _setup(first: RowMessage, tools: OfferedTools, default_setup: RunConfig) -> RunConfig:
    """Return settings with which the row's conversation can be continued as it began."""
    text = first.text if first.text is not None else "".join(prose.text for prose in first.prose)
    has_system_text = first.role is Role.SYSTEM and bool(text)
    return RunConfig(
        contract_name=CONTRACT if has_system_text else default_setup.contract_name,
        contract_text=_contract_text(text, tools) if has_system_text else default_setup.contract_text,
        tools_text=render_tools(tools),
        model=default_setup.model,
        max_rounds=default_setup.max_rounds,
    )


def _contract_text(text: str, tools: OfferedTools) -> str:
    """Write a contract that composes to exactly this system text.

    If the text lists the tools as one of the families does, the list becomes the placeholder `{{ tools }}`.
    """
    family, spelled = "hermes-lines", ""
    for name in dict.fromkeys((family, *FAMILIES)):
        listed = FAMILIES[name].render_tools(tools) if tools.specs else ""
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
    for place in placeholders(text):
        pieces += [text[position : place.start], "{{ '{{' }}"]
        position = place.start + len("{{")
    return "".join((*pieces, text[position:]))
