"""Import the rows of a dataset as sessions."""

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
"""Name of the contract that says what an imported row's system text says."""


class ReadRow(NamedTuple):
    """A row of a file."""

    number: int
    """Its place, from 1."""
    row: TrainingRow | RowFinding
    """The row, or why it is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How rows become sessions."""

    file: str
    tags: tuple[str, ...] = ()
    """Each session gets these."""
    is_queued: bool = False
    """Whether sessions go into the labelling queue, as pending."""
    allows_repeats: bool = False
    """Whether a row that is a session already becomes another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowImported:
    """What became of one row."""

    number: int
    """Its place in the file, from 1."""
    session_id: str | None = None
    """The session that it is; None where it is none."""
    is_new: bool = False
    """Whether that session was made just now."""
    problem: str = ""
    """Why it is none; empty where it is."""
    pointer: str = ""
    """JSON pointer to what is wrong, into the row."""


def import_rows(
    corpus: CorpusStore, rows: Iterable[ReadRow], plain: RunConfig, options: ImportOptions
) -> Iterator[RowImported]:
    """Each row as a session of its own, committed before the next is read; a bad row stops nothing.

    Args:
        corpus: Whose sessions they become.
        rows: As a file has them.
        plain: What a new session is set to; the rows' own tools and system texts take their places.
        terms: How rows become sessions.

    Raises:
        BadInput: A tag cannot be stored, or the file breaks off.
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
        yield _imported(corpus, session_of(row, plain, options, number), number, digest)


def digest_of(row: TrainingRow) -> str:
    """SHA-256 (hex) of a row, whatever the order of its keys and the white space between them."""
    return sha256(canonical_json(row.fields).encode(errors="surrogatepass")).hexdigest()


def session_of(
    row: TrainingRow, plain: RunConfig, options: ImportOptions, number: int
) -> NewImport | RowFinding:
    """The session that a row makes: what the model wrote byte for byte, also what no reader can read.

    Args:
        plain: What a new session is set to; the row's own tools and system text take their places.
        terms: How rows become sessions.
        number: The row's place in the file.
    """
    reading = read_trajectory(row)
    for problem in reading.problems:
        # A call in the model's text that cannot be read is a labeller's work, not a broken row.
        if problem.code != "call-unreadable" or not row.spells_calls:
            return problem
    trajectory = reading.trajectory
    if not trajectory.messages:
        return RowFinding(code="missing-field", message="it has no messages")
    entries = {entry.place: entry for entry in row.all_entries}
    return NewImport(
        setup=_setup(trajectory.messages[0], trajectory.tools, plain),
        messages=tuple(_message(one, entries, row) for one in trajectory.messages),
        rejected=tuple(_message(one, entries, row) for one in trajectory.rejected),
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


def _message(told: RowMessage, entries: Mapping[int, RowEntry], row: TrainingRow) -> Message:
    if told.result is not None:
        return Message(role=Role.TOOL, text=told.result.text, name=told.result.name)
    entry = entries.get(told.place)
    if told.role is Role.ASSISTANT and entry is not None and row.spells_calls and not entry.calls:
        return Message(role=told.role, text=entry.text)
    prose = "".join(part.text for part in told.parts if isinstance(part, Prose))
    text = prose if told.text is None else told.text
    return Message(
        role=told.role,
        text=text,
        thought=told.thoughts[0].text if told.thoughts else None,
        calls=tuple(
            ToolCall(name=call.name, arguments=call.arguments, arguments_text=call.arguments_text)
            for call in told.calls
        ),
    )


def _setup(first: RowMessage, tools: OfferedTools, plain: RunConfig) -> RunConfig:
    """The setup that goes on with the row's conversation as it began."""
    text = first.text if first.text is not None else "".join(one.text for one in first.prose)
    is_told = first.role is Role.SYSTEM and bool(text)
    return RunConfig(
        contract_name=CONTRACT if is_told else plain.contract_name,
        contract_text=_contract_text(text, tools) if is_told else plain.contract_text,
        tools_text=render_tools(tools),
        model=plain.model,
        max_rounds=plain.max_rounds,
    )


def _contract_text(text: str, tools: OfferedTools) -> str:
    """A contract that composes to this very system text; its tools are a placeholder where they stand in it
    as one of the families spells them."""
    family, spelled = "hermes-lines", ""
    for name in dict.fromkeys((family, *FAMILIES)):
        told = FAMILIES[name].render_tools(tools) if tools.specs else ""
        if told and told in text:
            family, spelled = name, told
            break
    before, found, behind = text.partition(spelled) if spelled else (text, "", "")
    body = _literal(before) + ("{{ tools }}" if found else "") + _literal(behind)
    return render_contract(
        Contract(name=CONTRACT, title="The system text of an imported row", family=family, text=body)
    )


def _literal(text: str) -> str:
    """`text` as a contract says it: what would be a placeholder is none."""
    pieces: list[str] = []
    position = 0
    for place in placeholders(text):
        pieces += [text[position : place.start], "{{ '{{' }}"]
        position = place.start + len("{{")
    return "".join((*pieces, text[position:]))
