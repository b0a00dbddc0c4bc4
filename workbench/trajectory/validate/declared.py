"""Check the tools that a row declares."""

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Final, cast

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonValue, as_object
from workbench.toolspec.check import check_spec
from workbench.toolspec.spec import ToolSpec
from workbench.trajectory.row import Declaration, RowFinding, TrainingRow
from workbench.trajectory.validate.codes import quoted, row_finding

_MEANING: Final = "_meaning"
_CHECKED: Final = "_checked"
_WORDS: Final = ("description", "title", "examples")
"""Keys of a schema that explain and do not bind."""
_PLAIN: Final = frozenset({"type", "description"})
"""Keys of most schemas."""


def declared_findings(row: TrainingRow) -> Iterator[RowFinding]:
    """`spec-unsound`, `tool-declared-twice` and `tools-mismatch`."""
    for declaration in row.declarations:
        yield from _unsound(declaration)
        yield from _doubles(declaration)
    if len(row.declarations) > 1:
        yield from _mismatches(row)


def _unsound(declaration: Declaration) -> Iterator[RowFinding]:
    """One finding a place; what the system text repeats of the column is told once, at the column."""
    if declaration.place == "system":
        return
    for place, spec in enumerate(declaration.specs):
        told: set[str] = set()
        for finding in _findings_of(spec):
            where = declaration.pointer + _inside(declaration, place, finding.pointer or "")
            if where not in told:
                told.add(where)
                yield row_finding(
                    "spec-unsound", f"tool {quoted(spec.name)}: {finding.message}"[:99], pointer=where
                )


def _inside(declaration: Declaration, place: int, pointer: str) -> str:
    """The way from the declaration to a place in a spec; none into a text."""
    if declaration.is_text:
        return ""
    return f"/{place}" + (pointer.removeprefix("/function") if declaration.is_bare else pointer)


def _doubles(declaration: Declaration) -> Iterator[RowFinding]:
    names = [spec.name for spec in declaration.specs]
    if len(set(names)) == len(names):
        return
    for name, times in Counter(names).items():
        if times > 1:
            message = f"the tool {quoted(name)} is declared {times} times"
            yield row_finding("tool-declared-twice", message, pointer=declaration.pointer)


def _mismatches(row: TrainingRow) -> Iterator[RowFinding]:
    """Held against the first declaration; those of system texts count as one."""
    first, *others = row.declarations
    if first.place != "column" or (len(others) == 1 and others[0].specs is first.specs):
        return
    told = [spec for declaration in others for spec in declaration.specs]
    if [spec.document for spec in told] == [spec.document for spec in first.specs]:
        return
    problem = _difference(_meanings(first.specs), _meanings(told))
    if problem:
        entry = next((one for one in row.entries if one.text_pointer == others[0].pointer), None)
        yield row_finding("tools-mismatch", problem, entry=entry, pointer=others[0].pointer)


def _difference(column: Mapping[str, bytes], told: Mapping[str, bytes]) -> str:
    missing = [name for name in column if name not in told]
    added = [name for name in told if name not in column]
    changed = [name for name in column if name in told and column[name] != told[name]]
    if missing:
        return f"the system text does not declare {quoted(missing[0])}, the column does"
    if added:
        return f"the system text declares {quoted(added[0])}, the column does not"
    return f"the system text declares {quoted(changed[0])} with other parameters" if changed else ""


def _meanings(specs: "list[ToolSpec] | tuple[ToolSpec, ...]") -> Mapping[str, bytes]:
    return {spec.name: meaning_of(spec) for spec in specs}


def meaning_of(spec: ToolSpec) -> bytes:
    """A hash, the same for parameters that bind alike, whatever explains them; worked out once a spec."""
    cache = cast("dict[str, object]", spec.__dict__)
    if _MEANING not in cache:
        # No JSON, for nobody reads it, and this is asked of every tool of every row.
        text = repr(_bare(spec.parameters))
        cache[_MEANING] = blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return cast(bytes, cache[_MEANING])


def _findings_of(spec: ToolSpec) -> tuple[Finding, ...]:
    """What is wrong with a spec, looked for once a spec."""
    cache = cast("dict[str, object]", spec.__dict__)
    if _CHECKED not in cache:
        cache[_CHECKED] = check_spec(spec)
    return cast("tuple[Finding, ...]", cache[_CHECKED])


def _bare(schema: JsonValue) -> object:
    """A schema as nested pairs, sorted, without its explanations and without what says nothing."""
    if isinstance(schema, list):
        return list(map(_bare, schema))
    if not isinstance(schema, dict):
        return schema
    if schema.keys() == _PLAIN and isinstance(schema["description"], str):
        return (("type", _bare(schema["type"])),)
    kept: list[tuple[str, object]] = []
    for key in sorted(schema):
        value = schema[key]
        if (key in _WORDS and not isinstance(value, dict)) or (key == "required" and not value):
            continue
        kept.append((key, _properties(value) if key in ("properties", "$defs") else _bare(value)))
    return tuple(kept)


def _properties(value: JsonValue) -> object:
    schemas = as_object(value)
    return tuple((name, _bare(schemas[name])) for name in sorted(schemas))
