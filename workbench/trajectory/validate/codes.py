"""The validator's codes with their meanings. `docs/reference/row-codes.md` describes each with an example.

Codes that begin with `schema-` come from the reader, one per keyword of JSON Schema; see
`docs/reference/codes.md`.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from workbench.chat.finding import Severity
from workbench.trajectory.row import RowEntry, RowFinding


class CodeScope(StrEnum):
    """What a finding is about."""

    ROW = "row"
    ROWS = "rows"
    """A row compared with the others."""
    SET = "set"
    """All rows of all files together; such a finding names no row."""


class RowCode(NamedTuple):
    """A code of the validator."""

    word: str
    severity: Severity
    """Error: the row must not be trained on. Warning: check it first. Note: nothing is wrong."""
    scope: CodeScope
    meaning: str
    """One line for people."""


def _error(word: str, meaning: str, scope: CodeScope = CodeScope.ROW) -> RowCode:
    return RowCode(word, Severity.ERROR, scope, meaning)


def _warning(word: str, meaning: str, scope: CodeScope = CodeScope.ROW) -> RowCode:
    return RowCode(word, Severity.WARNING, scope, meaning)


def _note(word: str, meaning: str) -> RowCode:
    return RowCode(word, Severity.NOTE, CodeScope.ROW, meaning)


ROW_CODES: Final[tuple[RowCode, ...]] = (
    _error("unreadable-row", "the line is not a JSON object"),
    _error("unknown-format", "the row does not look like any known format"),
    _error("empty-file", "a file has no rows", CodeScope.SET),
    _error("duplicate-key", "an object has the same key twice, and readers keep only one of the values"),
    _error("lone-surrogate", "half of a surrogate pair, which UTF-8 cannot hold"),
    _error("null-character", "a NUL character, which databases and some loaders refuse"),
    _error("non-finite-number", "NaN or an infinite number, which JSON does not have"),
    _error("big-integer", "an integer of a column beyond 64 bits, which loaders round or refuse"),
    _error("deep-nesting", "a column that is nested deeper than loaders can read"),
    _error("missing-field", "something that the format requires is missing"),
    _error("unknown-role", "the format does not know this role"),
    _error("mask-value", "a loss mask that no trainer understands"),
    _error("role-order", "the roles are in an order that a trainer cannot use"),
    _error("empty-entry", "an entry without text, call or result"),
    _error("thought-only", "the model ends its turn with a thought and says nothing"),
    _error("last-not-assistant", "the last entry is not the model's, so there is no answer to learn"),
    _error("tools-unreadable", "the declared tools cannot be read"),
    _error("tools-mismatch", "the system text and the column, or the two answers, declare different tools"),
    _error("tool-declared-twice", "a row declares the same tool twice"),
    _error("spec-unsound", "a tool's spec is not valid"),
    _warning(
        "spec-unusual", "a tool's spec is read as something else than what is written, or not checked in full"
    ),
    _error("undeclared-tool", "a call uses a tool that the row does not declare"),
    _error("call-not-strict", "a call that only the tolerant reader can parse"),
    _error("call-unreadable", "a call that cannot be parsed"),
    _error("call-in-prose", "a call that is written as plain text, which nothing reads as a call"),
    _error("arguments-not-text", "arguments as an object, in a format that has them as JSON text"),
    _warning("mixed-arguments", "arguments as objects and as text in one file", CodeScope.ROWS),
    _warning("repeated-call", "the same call twice in one entry"),
    _error("call-truncated", "a call that was cut off"),
    _warning("call-form", "a call in XML although the system text asks for JSON, or the reverse"),
    _warning("unknown-member", "a member of a call beside its name and arguments, which is not used"),
    _error("call-without-result", "a call has no result, although the conversation continues"),
    _error("result-without-call", "a result that answers no call"),
    _error("result-id-mismatch", "a result names a different call than those before it"),
    _error("result-name-mismatch", "a result has the id of a call, but the name of another tool"),
    _error("duplicate-call-id", "two calls have the same id"),
    _warning("result-order", "results are not in the order of their calls"),
    _warning("tools-unlisted", "a log of an agent that does not list the tools which the model was offered"),
    _warning(
        "log-line", "lines of a log that are not JSON, such as the last line of an agent that was killed"
    ),
    _warning("log-event", "events of a log of a kind that is not known"),
    _warning("log-left-out", "messages of a log that are not in the row"),
    _note("log-members", "members of events of a log that the row has no place for"),
    _warning("log-compacted", "the agent summarized the conversation, so the model did not see all of it"),
    _error("call-in-user", "a call in a user entry"),
    _error("same-answers", "the chosen and the rejected answer are the same"),
    _error("no-answer", "a preference row without a chosen or a rejected answer"),
    _error("control-mark", "a special token or tag inside content, where it would be parsed as structure"),
    _error("placeholder", "a placeholder that was not replaced by a value"),
    _warning("mojibake", "text that was decoded with the wrong encoding"),
    _warning("replacement-character", "U+FFFD, where a character was lost"),
    _warning(
        "none-filled",
        "an argument is null although the schema does not allow null, probably filled in by Arrow",
    ),
    _error("secret", "an API key, an access token or a password"),
    _warning("generated-secret", "a key or password that a tool of the row generated"),
    _warning("personal-data", "an email address, a phone, payment card or bank account number"),
    _warning("duplicate-row", "the same conversation as an earlier row", CodeScope.ROWS),
    _warning("near-duplicate-row", "almost the same conversation as an earlier row", CodeScope.ROWS),
    _error("shared-row", "the same conversation as in an earlier file", CodeScope.ROWS),
    _warning("few-no-call", "fewer than 5 % of the model's entries are without a call", CodeScope.SET),
    _warning("no-parallel", "no entry has two or more calls", CodeScope.SET),
    _warning("dominant-tool", "more than half of all calls use one tool", CodeScope.SET),
    _warning("thinking-mixed", "some of the model's entries have a thought, others do not", CodeScope.SET),
    _warning(
        "schema-conflict", "a tool is declared with different parameters in different rows", CodeScope.SET
    ),
)
"""In the order of the reference page."""

_BY_WORD: Final = {code.word: code for code in ROW_CODES}


def row_code(word: str) -> RowCode:
    """Return a code of `ROW_CODES`.

    Raises:
        KeyError: There is no such code.
    """
    return _BY_WORD[word]


def severity_of(word: str) -> Severity:
    """Return the severity of a code; the reader's `schema-…` codes are errors.

    >>> severity_of("result-order").value, severity_of("schema-enum").value
    ('warning', 'error')
    """
    known = _BY_WORD.get(word)
    return known.severity if known else Severity.ERROR


def meaning_of_code(word: str) -> str:
    """Return the meaning of a code in one line.

    >>> meaning_of_code("role-order"), meaning_of_code("schema-enum")
    ('the roles are in an order that a trainer cannot use', 'the arguments violate enum of the schema')
    """
    known = _BY_WORD.get(word)
    if known:
        return known.meaning
    return f"the arguments violate {word.removeprefix('schema-').replace('-', ' ')} of the schema"


def matches_code(code: str, words: Sequence[str]) -> bool:
    """Whether a code is one of the words, or begins with one of them.

    >>> matches_code("schema-enum", ["schema"]), matches_code("secret", ["sec"])
    (True, False)
    """
    return any(code == word or code.startswith(f"{word}-") for word in words)


_LONGEST_NAME = 40


def row_finding(
    code: str, message: str, *, entry: RowEntry | None = None, pointer: str | None = None
) -> RowFinding:
    """Create a finding about an entry or about the whole row.

    Args:
        code: One of `ROW_CODES`, or one of the reader's `schema-…` codes.
        message: What is wrong and what to do, under 100 characters.
        entry: The entry that the finding is about; None for the whole row.
        pointer: JSON pointer into the row; None for the entry's own.
    """
    where = pointer if pointer is not None else entry.pointer if entry else ""
    # A system text in a separate column is not part of the conversation.
    place = entry.place if entry and entry.place >= 0 else None
    return RowFinding(code=code, message=message, severity=severity_of(code), entry=place, pointer=where)


def quoted(name: str) -> str:
    """Return a name in quotes, shortened if it is long.

    >>> quoted("f")
    "'f'"
    """
    return repr(name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…")
