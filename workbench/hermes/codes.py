"""Codes of fixes and findings with their meanings. `docs/reference/codes.md` contains the same table."""

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple


class CodeKind(StrEnum):
    """Whether a code is a fix, a finding or a lint."""

    FIX = "fix"
    """An edit of the text. At the strict level, a finding instead, and its block gives no call."""
    FINDING = "finding"
    """Reported, without an edit."""
    LINT = "lint"
    """Reported for prose and contracts, not part of a reading."""


class CodeArea(StrEnum):
    """The part of a call that a code is about. The values are headings of the reference page."""

    JSON = "JSON text"
    SHAPE = "Call shape"
    TAGS = "Tags"
    XML = "XML form"
    READING = "Reading"
    SCHEMA = "Schema"
    GENERATION = "Generation"


class Code(NamedTuple):
    """A code with its meaning."""

    word: str
    kind: CodeKind
    area: CodeArea
    meaning: str
    """One line, also used as the message of fixes and findings without a message of their own."""
    is_guess: bool = False
    """Whether the text could also have meant something else."""


def _codes(
    kind: CodeKind, area: CodeArea, meanings: Mapping[str, str], *, guesses: Collection[str] = ()
) -> Iterator[Code]:
    for word, meaning in meanings.items():
        yield Code(word, kind, area, meaning, is_guess=word in guesses)


CODES: Final[tuple[Code, ...]] = (
    *_codes(
        CodeKind.FIX,
        CodeArea.JSON,
        {
            "python-literal": "a single-quoted string or a tuple, as in Python",
            "python-constant": "`True`, `False` or `None`, as in Python",
            "trailing-comma": "a comma before a closing bracket",
            "missing-comma": "no comma between two members or items",
            "unquoted-key": "a key without quotes",
            "smart-quotes": "typographic quotes around a string",
            "raw-control-char": "an unescaped line break or other control character in a string",
            "invalid-escape": "a backslash before a character that JSON does not escape",
            "unescaped-quote": "an unescaped quote inside a string",
            "missing-quote": "a text without its closing quote, before a key that the tool declares",
            "comment": "a comment, which JSON does not allow",
            "nonstandard-number": "a number that JSON does not allow, such as `.5`, `+1` or `0x1F`",
            "html-entities": "HTML entities instead of the payload's quotes",
            "add-closing-bracket": "a missing closing bracket in a closed block",
            "extra-closing-bracket": "an extra closing bracket",
            "double-braces": "doubled braces, as in a format string",
            "code-fence": "a code fence around the payload, inside the tags",
            "skipped-garbage": "prose around the payload, inside the tags",
        },
        guesses={"unescaped-quote", "missing-quote"},
    ),
    *_codes(
        CodeKind.FIX,
        CodeArea.SHAPE,
        {
            "key-alias": "a different key instead of `name` or `arguments`",
            "string-arguments": "the arguments are JSON inside a string",
            "double-encoded-call": "the whole call is JSON inside a string",
            "double-encoded-value": "an XML value is JSON inside a string",
            "missing-arguments": "no arguments, read as `{}`",
            "openai-wrapper": 'the call is inside `{"function": …}`',
            "flattened-arguments": "the parameters are next to the name instead of under `arguments`",
            "single-key-call": "the tool's name is the key of its arguments",
            "argument-outside": "an argument that the tool declares is beside `arguments` instead of inside",
            "name-whitespace": "white space around the tool's name",
            "name-prefix": "`functions.` before the tool's name",
            "array-block": "one block holds an array of calls",
            "multi-object-block": "one block holds several calls",
            "coerced-by-schema": "a string holds the JSON value that the schema requires",
            "lenient-number": "an XML value such as `007`, `+1`, `.5`, or `100.0` for an integer",
            "constant-case": "an XML value such as `TRUE` or `NULL`, in capital letters",
        },
        guesses={"flattened-arguments", "single-key-call", "argument-outside"},
    ),
    *_codes(
        CodeKind.FIX,
        CodeArea.TAGS,
        {
            "tag-case": "the tag is not in lower case",
            "alternate-tag": "a tag other than `<tool_call>` around a call",
            "missing-close-tag": "no `</tool_call>` after a complete payload",
            "missing-open-tag": "no `<tool_call>` before a call with its closing tag (JSON: lenient level)",
            "no-tag": "no tags around a call (lenient level)",
            "foreign-call": "a call in the format of another model family (lenient level)",
            "duplicate-open-tag": "`<tool_call>` twice before one payload",
            "orphan-open-tag": "an opening tag that opens nothing",
            "orphan-close-tag": "a closing tag that closes nothing",
            "fenced-block": "a code fence around call blocks",
            "model-wrote-tool-response": "the model wrote a tool result itself; it is cut",
            "text-after-stop": "text after the stop token; it is cut",
            "unclosed-think": "a thought without its closing tag",
        },
        guesses={"missing-open-tag", "unclosed-think"},
    ),
    *_codes(
        CodeKind.FIX,
        CodeArea.XML,
        {
            "missing-close-parameter": "no `</parameter>` after a value",
            "missing-close-function": "no `</function>` before `</tool_call>`",
            "drifted-close-parameter": "a misspelled `</parameter>`",
            "quoted-name": "quotes around a name in a tag",
            "json-in-function-tag": "JSON arguments inside `<function=…>`",
            "tag-in-value": "a tag of the XML form inside a value",
        },
    ),
    *_codes(
        CodeKind.FINDING,
        CodeArea.READING,
        {
            "truncated": "the text ends before the block is closed; never repaired, never run",
            "invalid-json": "the JSON body cannot be parsed",
            "invalid-xml": "the XML body cannot be parsed",
            "empty-block": "the block is empty",
            "not-an-object": "the body is JSON but not an object",
            "bad-name": "a name that is missing, empty, not a string or not valid",
            "arguments-not-object": "the arguments are not a JSON object",
            "unknown-member": "a member of a call beside its name and arguments; not read",
            "unknown-tool": "no offered tool has this name",
            "foreign-dialect": "the call format of another model family; not read",
            "partial-list": "calls without tags, not all of which can be read; none of them is run",
            "call-in-reasoning": "a call inside a thought; never run",
            "untagged-call": "a call without tags; only read at the lenient level",
            "format-mismatch": "not the dialect that the family writes; read anyway",
            "non-finite-number": "NaN or infinity, which JSON does not allow",
            "leading-zero": "a number or code such as `007`; never guessed",
            "lone-surrogate": "half of a surrogate pair; cannot be written as UTF-8",
            "duplicate-key": "a key appears twice in one object; the last one counts",
            "duplicate-parameter": "a parameter appears twice; the last one counts",
            "ambiguous-escape": "escapes such as `\\n` next to an invalid one; perhaps a path",
            "ambiguous-parameter": "a `<parameter=…>` line that may belong to the previous value",
            "ambiguous-end": "the tags in an XML value do not pair up, so it may end somewhere else",
            "ambiguous-value": "an XML value that may be a string or another value",
        },
    ),
    *_codes(
        CodeKind.LINT,
        CodeArea.READING,
        {
            "near-miss-tag": "text that looks like a tag but is not one, in prose or a contract",
        },
    ),
    *_codes(
        CodeKind.FINDING,
        CodeArea.SCHEMA,
        {
            "schema-type": "a value of a type that the schema does not allow",
            "schema-missing-required": "a required argument is missing",
            "schema-unknown-argument": "an argument that the schema does not define",
            "schema-invalid": "the tool's own schema is invalid; the arguments were not checked",
            "schema-too-costly": "checking the arguments takes too much work; they were not checked",
            "schema-…": "one code for each other JSON Schema keyword, in kebab case",
        },
    ),
    *_codes(
        CodeKind.FINDING,
        CodeArea.GENERATION,
        {
            "grammar-keyword": "a schema keyword that a grammar cannot enforce",
            "grammar-failed": "no grammar can be made from a schema; the tool cannot be called, "
            "or the model is not constrained",
            "call-not-run": "a call although the tool choice is `none`; reported, not run",
            "choice-not-obeyed": "a forced tool choice, but no call of that tool",
            "call-repeated": "a server sent a call in its text and as a tool call; it runs once",
            "parallel-call-left-out": "a further call although the client of the gateway allows one; it was not sent",
            "stamp-ignored": "a recorded request belongs to its session although a time, date or counter differs",
            "history-compacted": "a recorded request belongs to its session although the client replaced the beginning",
            "nul-replaced": "U+0000 in a completion; replaced by U+FFFD",
            "answer-schema-unreadable": "`<schema>` in the system text does not hold a JSON Schema",
            "answer-not-json": "an answer that must match a schema is not JSON",
            "answer-fenced": "a code fence around an answer that must be plain JSON",
        },
    ),
)
"""In the order of the reference page."""

BY_WORD: Final = {code.word: code for code in CODES}
"""Each code by its word. The `schema-` codes of other JSON Schema keywords are not listed."""


def meaning_of(word: str) -> str:
    """Return one line that says what a code means."""
    code = BY_WORD.get(word)
    return code.meaning if code else f"the value violates {word.removeprefix('schema-')!r} of the schema"


def is_guess(word: str) -> bool:
    """Return whether a fix with this code could have meant something else."""
    code = BY_WORD.get(word)
    return code is not None and code.is_guess
