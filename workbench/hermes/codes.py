"""Every code of a fix or finding, with its meaning. `docs/reference/codes.md` repeats this table."""

from enum import StrEnum
from typing import Final, NamedTuple


class CodeKind(StrEnum):
    """In which list a code stands."""

    FIX = "fix"
    """An edit of the text; in strict a finding that refuses its block."""
    FINDING = "finding"
    """Told, without an edit."""
    LINT = "lint"
    """Told of prose, in neither list of a reading."""


class CodeArea(StrEnum):
    """What a code is about."""

    JSON = "JSON text"
    SHAPE = "Call shape"
    TAGS = "Tags"
    XML = "XML form"
    READING = "Reading"
    SCHEMA = "Schema"
    GENERATION = "Generation"


class Code(NamedTuple):
    """One code."""

    word: str
    kind: CodeKind
    """Fix, finding or lint."""
    area: CodeArea
    meaning: str
    """One line for a person; also the message of a record that says no more."""
    is_guess: bool = False
    """True where another meaning is possible."""


def _fix(word: str, area: CodeArea, meaning: str, *, is_guess: bool = False) -> Code:
    return Code(word, CodeKind.FIX, area, meaning, is_guess)


def _finding(word: str, area: CodeArea, meaning: str) -> Code:
    return Code(word, CodeKind.FINDING, area, meaning)


CODES: Final[tuple[Code, ...]] = (
    _fix("python-literal", CodeArea.JSON, "a single-quoted string or a tuple, as Python writes it"),
    _fix("python-constant", CodeArea.JSON, "True, False or None, as Python writes it"),
    _fix("trailing-comma", CodeArea.JSON, "a comma before a closing bracket"),
    _fix("missing-comma", CodeArea.JSON, "no comma between two members or items"),
    _fix("unquoted-key", CodeArea.JSON, "a key without quotes"),
    _fix("smart-quotes", CodeArea.JSON, "typographic quotes around a string"),
    _fix("raw-control-char", CodeArea.JSON, "a control character in a string that should be escaped"),
    _fix("invalid-escape", CodeArea.JSON, "a backslash before a character that takes none"),
    _fix(
        "unescaped-quote",
        CodeArea.JSON,
        "a quote inside a string that should be escaped",
        is_guess=True,
    ),
    _fix("comment", CodeArea.JSON, "a comment; JSON has none"),
    _fix("nonstandard-number", CodeArea.JSON, "a number such as .5, +1 or 0x1F"),
    _fix("html-entities", CodeArea.JSON, "the quotes of the payload are HTML entities"),
    _fix("add-closing-bracket", CodeArea.JSON, "a closing bracket is missing in a closed block"),
    _fix("extra-closing-bracket", CodeArea.JSON, "a closing bracket too many"),
    _fix("double-braces", CodeArea.JSON, "braces doubled, as a format string escapes them"),
    _fix("code-fence", CodeArea.JSON, "a code fence around the payload, inside the tags"),
    _fix("skipped-garbage", CodeArea.JSON, "prose around the payload, inside the tags"),
    _fix("key-alias", CodeArea.SHAPE, "another word for the key `name` or `arguments`"),
    _fix("string-arguments", CodeArea.SHAPE, "the arguments are JSON in a string"),
    _fix("double-encoded-call", CodeArea.SHAPE, "the whole call is JSON in a string"),
    _fix("double-encoded-value", CodeArea.SHAPE, "an XML value is JSON in a string"),
    _fix("missing-arguments", CodeArea.SHAPE, "no arguments; {} is meant"),
    _fix("openai-wrapper", CodeArea.SHAPE, 'the call stands inside {"function": …}'),
    _fix(
        "flattened-arguments",
        CodeArea.SHAPE,
        "the parameters stand beside the name, not under `arguments`",
        is_guess=True,
    ),
    _fix("single-key-call", CodeArea.SHAPE, "the tool's name is the key of its arguments", is_guess=True),
    _fix("name-whitespace", CodeArea.SHAPE, "white space around the tool's name"),
    _fix("name-prefix", CodeArea.SHAPE, "`functions.` before the tool's name"),
    _fix("array-block", CodeArea.SHAPE, "one block holds an array of calls"),
    _fix("multi-object-block", CodeArea.SHAPE, "one block holds several calls"),
    _fix("coerced-by-schema", CodeArea.SHAPE, "a string holds the JSON of what the schema wants"),
    _fix("lenient-number", CodeArea.SHAPE, "an XML value such as 007, +1, .5, or 100.0 for an integer"),
    _fix("tag-case", CodeArea.TAGS, "the tag is not in lower case"),
    _fix("alternate-tag", CodeArea.TAGS, "another tag than <tool_call> around a call"),
    _fix("missing-close-tag", CodeArea.TAGS, "no </tool_call> behind a complete payload"),
    _fix("missing-open-tag", CodeArea.TAGS, "no <tool_call> before a call (lenient)"),
    _fix("no-tag", CodeArea.TAGS, "no tags around a call (lenient)"),
    _fix("foreign-call", CodeArea.TAGS, "a call in another model family's form (lenient)"),
    _fix("duplicate-open-tag", CodeArea.TAGS, "<tool_call> twice before one payload"),
    _fix("orphan-open-tag", CodeArea.TAGS, "an open tag that opens nothing"),
    _fix("orphan-close-tag", CodeArea.TAGS, "a close tag that closes nothing"),
    _fix("fenced-block", CodeArea.TAGS, "a code fence around call blocks"),
    _fix("model-wrote-tool-response", CodeArea.TAGS, "the model wrote a tool's result itself; it is cut"),
    _fix("text-after-stop", CodeArea.TAGS, "text behind the stop mark; it is cut"),
    _fix("unclosed-think", CodeArea.TAGS, "a thought without its close tag"),
    _fix("missing-close-parameter", CodeArea.XML, "no </parameter> behind a value"),
    _fix("missing-close-function", CodeArea.XML, "no </function> before </tool_call>"),
    _fix("drifted-close-parameter", CodeArea.XML, "a misspelt </parameter>"),
    _fix("quoted-name", CodeArea.XML, "quotes around a name in a tag"),
    _fix("json-in-function-tag", CodeArea.XML, "JSON arguments inside <function=…>"),
    _fix("tag-in-value", CodeArea.XML, "a tag of the form inside a value"),
    _finding("truncated", CodeArea.READING, "the text ends inside; never repaired, never run"),
    _finding("invalid-json", CodeArea.READING, "the JSON body cannot be read"),
    _finding("invalid-xml", CodeArea.READING, "the XML body cannot be read"),
    _finding("empty-block", CodeArea.READING, "nothing stands in the block"),
    _finding("not-an-object", CodeArea.READING, "JSON, but no object"),
    _finding("bad-name", CodeArea.READING, "a name that is missing, empty, no string or no name"),
    _finding("arguments-not-object", CodeArea.READING, "the arguments are no JSON object"),
    _finding("unknown-tool", CodeArea.READING, "no offered tool has this name"),
    _finding("foreign-dialect", CodeArea.READING, "the form of another model family; not read"),
    _finding("call-in-reasoning", CodeArea.READING, "a call inside a thought; never run"),
    _finding("untagged-call", CodeArea.READING, "a call without tags; read at the lenient level only"),
    _finding(
        "format-mismatch", CodeArea.READING, "the other dialect than the family writes; read all the same"
    ),
    _finding("non-finite-number", CodeArea.READING, "NaN or infinity; JSON has neither"),
    _finding("leading-zero", CodeArea.READING, "a number or a code such as 007; never guessed"),
    _finding("lone-surrogate", CodeArea.READING, "half of a surrogate pair; cannot be written as UTF-8"),
    _finding("duplicate-key", CodeArea.READING, "a key stands twice in one object; the last one counts"),
    _finding("duplicate-parameter", CodeArea.READING, "a parameter stands twice; the last one counts"),
    _finding(
        "ambiguous-escape", CodeArea.READING, "escapes such as \\n beside an invalid one: a path, perhaps"
    ),
    _finding(
        "ambiguous-parameter", CodeArea.READING, "a <parameter=…> line that may belong to the value before"
    ),
    Code("near-miss-tag", CodeKind.LINT, CodeArea.READING, "no tag, but nearly one, in prose or a contract"),
    _finding("schema-type", CodeArea.SCHEMA, "a value of another type than the schema allows"),
    _finding("schema-missing-required", CodeArea.SCHEMA, "a required argument is not given"),
    _finding("schema-unknown-argument", CodeArea.SCHEMA, "an argument that the schema does not know"),
    _finding(
        "schema-invalid",
        CodeArea.SCHEMA,
        "the tool's own schema is not sound; the arguments were not checked",
    ),
    _finding(
        "schema-too-costly",
        CodeArea.SCHEMA,
        "checking the arguments takes too much work; they were not checked",
    ),
    _finding("schema-…", CodeArea.SCHEMA, "one code for each other JSON Schema keyword, in kebab case"),
    _finding(
        "grammar-keyword", CodeArea.GENERATION, "a keyword of a schema that no grammar can hold a model to"
    ),
    _finding(
        "grammar-failed", CodeArea.GENERATION, "a schema that no grammar can be made of; the model is free"
    ),
    _finding("call-not-run", CodeArea.GENERATION, "a call though tool choice is none; told, not run"),
    _finding("nul-replaced", CodeArea.GENERATION, "U+0000 in a completion; U+FFFD stands in its place"),
    _finding(
        "answer-schema-unreadable", CodeArea.GENERATION, "<schema> in the system text holds no JSON Schema"
    ),
    _finding("answer-not-json", CodeArea.GENERATION, "an answer that should keep a schema is no JSON"),
    _finding("answer-fenced", CodeArea.GENERATION, "a fence around an answer that should be JSON alone"),
)
"""In the order of the reference page."""

BY_WORD: Final = {code.word: code for code in CODES}
"""Each code by its word; `schema-` codes of further keywords are not listed."""


def meaning_of(word: str) -> str:
    """The line that says what `word` means."""
    code = BY_WORD.get(word)
    return code.meaning if code else f"the schema's {word.removeprefix('schema-')!r} does not hold"


def is_guess(word: str) -> bool:
    """Whether a fix of this code could have meant something else."""
    code = BY_WORD.get(word)
    return code is not None and code.is_guess
