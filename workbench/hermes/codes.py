"""Codes of fixes and findings with their meanings. `docs/reference/codes.md` contains the same table."""

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


def _fix(word: str, area: CodeArea, meaning: str, *, is_guess: bool = False) -> Code:
    return Code(word, CodeKind.FIX, area, meaning, is_guess)


def _finding(word: str, area: CodeArea, meaning: str) -> Code:
    return Code(word, CodeKind.FINDING, area, meaning)


CODES: Final[tuple[Code, ...]] = (
    _fix("python-literal", CodeArea.JSON, "a single-quoted string or a tuple, as in Python"),
    _fix("python-constant", CodeArea.JSON, "`True`, `False` or `None`, as in Python"),
    _fix("trailing-comma", CodeArea.JSON, "a comma before a closing bracket"),
    _fix("missing-comma", CodeArea.JSON, "no comma between two members or items"),
    _fix("unquoted-key", CodeArea.JSON, "a key without quotes"),
    _fix("smart-quotes", CodeArea.JSON, "typographic quotes around a string"),
    _fix("raw-control-char", CodeArea.JSON, "an unescaped line break or other control character in a string"),
    _fix("invalid-escape", CodeArea.JSON, "a backslash before a character that JSON does not escape"),
    _fix(
        "unescaped-quote",
        CodeArea.JSON,
        "an unescaped quote inside a string",
        is_guess=True,
    ),
    _fix(
        "missing-quote",
        CodeArea.JSON,
        "a text without its closing quote, before a key that the tool declares",
        is_guess=True,
    ),
    _fix("comment", CodeArea.JSON, "a comment, which JSON does not allow"),
    _fix(
        "nonstandard-number", CodeArea.JSON, "a number that JSON does not allow, such as `.5`, `+1` or `0x1F`"
    ),
    _fix("html-entities", CodeArea.JSON, "HTML entities instead of the payload's quotes"),
    _fix("add-closing-bracket", CodeArea.JSON, "a missing closing bracket in a closed block"),
    _fix("extra-closing-bracket", CodeArea.JSON, "an extra closing bracket"),
    _fix("double-braces", CodeArea.JSON, "doubled braces, as in a format string"),
    _fix("code-fence", CodeArea.JSON, "a code fence around the payload, inside the tags"),
    _fix("skipped-garbage", CodeArea.JSON, "prose around the payload, inside the tags"),
    _fix("key-alias", CodeArea.SHAPE, "a different key instead of `name` or `arguments`"),
    _fix("string-arguments", CodeArea.SHAPE, "the arguments are JSON inside a string"),
    _fix("double-encoded-call", CodeArea.SHAPE, "the whole call is JSON inside a string"),
    _fix("double-encoded-value", CodeArea.SHAPE, "an XML value is JSON inside a string"),
    _fix("missing-arguments", CodeArea.SHAPE, "no arguments, read as `{}`"),
    _fix("openai-wrapper", CodeArea.SHAPE, 'the call is inside `{"function": …}`'),
    _fix(
        "flattened-arguments",
        CodeArea.SHAPE,
        "the parameters are next to the name instead of under `arguments`",
        is_guess=True,
    ),
    _fix("single-key-call", CodeArea.SHAPE, "the tool's name is the key of its arguments", is_guess=True),
    _fix(
        "argument-outside",
        CodeArea.SHAPE,
        "an argument that the tool declares is beside `arguments` instead of inside",
        is_guess=True,
    ),
    _fix("name-whitespace", CodeArea.SHAPE, "white space around the tool's name"),
    _fix("name-prefix", CodeArea.SHAPE, "`functions.` before the tool's name"),
    _fix("array-block", CodeArea.SHAPE, "one block holds an array of calls"),
    _fix("multi-object-block", CodeArea.SHAPE, "one block holds several calls"),
    _fix("coerced-by-schema", CodeArea.SHAPE, "a string holds the JSON value that the schema requires"),
    _fix(
        "lenient-number", CodeArea.SHAPE, "an XML value such as `007`, `+1`, `.5`, or `100.0` for an integer"
    ),
    _fix("constant-case", CodeArea.SHAPE, "an XML value such as `TRUE` or `NULL`, in capital letters"),
    _fix("tag-case", CodeArea.TAGS, "the tag is not in lower case"),
    _fix("alternate-tag", CodeArea.TAGS, "a tag other than `<tool_call>` around a call"),
    _fix("missing-close-tag", CodeArea.TAGS, "no `</tool_call>` after a complete payload"),
    _fix(
        "missing-open-tag",
        CodeArea.TAGS,
        "no `<tool_call>` before a call with its closing tag (JSON: lenient level)",
        is_guess=True,
    ),
    _fix("no-tag", CodeArea.TAGS, "no tags around a call (lenient level)"),
    _fix("foreign-call", CodeArea.TAGS, "a call in the format of another model family (lenient level)"),
    _fix("duplicate-open-tag", CodeArea.TAGS, "`<tool_call>` twice before one payload"),
    _fix("orphan-open-tag", CodeArea.TAGS, "an opening tag that opens nothing"),
    _fix("orphan-close-tag", CodeArea.TAGS, "a closing tag that closes nothing"),
    _fix("fenced-block", CodeArea.TAGS, "a code fence around call blocks"),
    _fix("model-wrote-tool-response", CodeArea.TAGS, "the model wrote a tool result itself; it is cut"),
    _fix("text-after-stop", CodeArea.TAGS, "text after the stop token; it is cut"),
    _fix("unclosed-think", CodeArea.TAGS, "a thought without its closing tag", is_guess=True),
    _fix("missing-close-parameter", CodeArea.XML, "no `</parameter>` after a value"),
    _fix("missing-close-function", CodeArea.XML, "no `</function>` before `</tool_call>`"),
    _fix("drifted-close-parameter", CodeArea.XML, "a misspelled `</parameter>`"),
    _fix("quoted-name", CodeArea.XML, "quotes around a name in a tag"),
    _fix("json-in-function-tag", CodeArea.XML, "JSON arguments inside `<function=…>`"),
    _fix("tag-in-value", CodeArea.XML, "a tag of the XML form inside a value"),
    _finding(
        "truncated", CodeArea.READING, "the text ends before the block is closed; never repaired, never run"
    ),
    _finding("invalid-json", CodeArea.READING, "the JSON body cannot be parsed"),
    _finding("invalid-xml", CodeArea.READING, "the XML body cannot be parsed"),
    _finding("empty-block", CodeArea.READING, "the block is empty"),
    _finding("not-an-object", CodeArea.READING, "the body is JSON but not an object"),
    _finding("bad-name", CodeArea.READING, "a name that is missing, empty, not a string or not valid"),
    _finding("arguments-not-object", CodeArea.READING, "the arguments are not a JSON object"),
    _finding(
        "unknown-member",
        CodeArea.READING,
        "a member of a call beside its name and arguments; not read",
    ),
    _finding("unknown-tool", CodeArea.READING, "no offered tool has this name"),
    _finding("foreign-dialect", CodeArea.READING, "the call format of another model family; not read"),
    _finding(
        "partial-list",
        CodeArea.READING,
        "calls without tags, not all of which can be read; none of them is run",
    ),
    _finding("call-in-reasoning", CodeArea.READING, "a call inside a thought; never run"),
    _finding("untagged-call", CodeArea.READING, "a call without tags; only read at the lenient level"),
    _finding("format-mismatch", CodeArea.READING, "not the dialect that the family writes; read anyway"),
    _finding("non-finite-number", CodeArea.READING, "NaN or infinity, which JSON does not allow"),
    _finding("leading-zero", CodeArea.READING, "a number or code such as `007`; never guessed"),
    _finding("lone-surrogate", CodeArea.READING, "half of a surrogate pair; cannot be written as UTF-8"),
    _finding("duplicate-key", CodeArea.READING, "a key appears twice in one object; the last one counts"),
    _finding("duplicate-parameter", CodeArea.READING, "a parameter appears twice; the last one counts"),
    _finding(
        "ambiguous-escape", CodeArea.READING, "escapes such as `\\n` next to an invalid one; perhaps a path"
    ),
    _finding(
        "ambiguous-parameter",
        CodeArea.READING,
        "a `<parameter=…>` line that may belong to the previous value",
    ),
    _finding(
        "ambiguous-end",
        CodeArea.READING,
        "the tags in an XML value do not pair up, so it may end somewhere else",
    ),
    _finding("ambiguous-value", CodeArea.READING, "an XML value that may be a string or another value"),
    Code(
        "near-miss-tag",
        CodeKind.LINT,
        CodeArea.READING,
        "text that looks like a tag but is not one, in prose or a contract",
    ),
    _finding("schema-type", CodeArea.SCHEMA, "a value of a type that the schema does not allow"),
    _finding("schema-missing-required", CodeArea.SCHEMA, "a required argument is missing"),
    _finding("schema-unknown-argument", CodeArea.SCHEMA, "an argument that the schema does not define"),
    _finding(
        "schema-invalid",
        CodeArea.SCHEMA,
        "the tool's own schema is invalid; the arguments were not checked",
    ),
    _finding(
        "schema-too-costly",
        CodeArea.SCHEMA,
        "checking the arguments takes too much work; they were not checked",
    ),
    _finding("schema-…", CodeArea.SCHEMA, "one code for each other JSON Schema keyword, in kebab case"),
    _finding("grammar-keyword", CodeArea.GENERATION, "a schema keyword that a grammar cannot enforce"),
    _finding(
        "grammar-failed",
        CodeArea.GENERATION,
        "no grammar can be made from a schema; the tool cannot be called, or the model is not constrained",
    ),
    _finding(
        "call-not-run", CodeArea.GENERATION, "a call although the tool choice is `none`; reported, not run"
    ),
    _finding("choice-not-obeyed", CodeArea.GENERATION, "a forced tool choice, but no call of that tool"),
    _finding(
        "call-repeated",
        CodeArea.GENERATION,
        "a server sent a call in its text and as a tool call; it runs once",
    ),
    _finding(
        "parallel-call-left-out",
        CodeArea.GENERATION,
        "a further call although the client of the gateway allows one; it was not sent",
    ),
    _finding(
        "stamp-ignored",
        CodeArea.GENERATION,
        "a recorded request belongs to its session although a time, date or counter differs",
    ),
    _finding(
        "history-compacted",
        CodeArea.GENERATION,
        "a recorded request belongs to its session although the client replaced the beginning",
    ),
    _finding("nul-replaced", CodeArea.GENERATION, "U+0000 in a completion; replaced by U+FFFD"),
    _finding(
        "answer-schema-unreadable",
        CodeArea.GENERATION,
        "`<schema>` in the system text does not hold a JSON Schema",
    ),
    _finding("answer-not-json", CodeArea.GENERATION, "an answer that must match a schema is not JSON"),
    _finding("answer-fenced", CodeArea.GENERATION, "a code fence around an answer that must be plain JSON"),
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
