"""Check the tools that a row declares."""

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonValue, as_object
from workbench.chat.short_text import shortened
from workbench.toolspec.check import check_spec
from workbench.toolspec.spec import ToolSpec, cached_on
from workbench.trajectory.row import Declaration, RowFinding, TrainingRow
from workbench.trajectory.validate.codes import quoted, row_finding

_WORDS: Final = ("description", "title", "examples")
"""Keys of a schema that describe and do not constrain."""
_PLAIN: Final = frozenset({"type", "description"})
"""The keys that most schemas consist of."""
_TOO_DEEP: Final = "nested too deeply"
"""The meaning of schemas that cannot be compared."""


def declared_findings(row: TrainingRow) -> Iterator[RowFinding]:
    """Yield `spec-unsound`, `spec-unusual`, `tool-declared-twice` and `tools-mismatch`."""
    has_column = any(declaration.place == "column" for declaration in row.declarations)
    for declaration in row.declarations:
        # Tools in a system text usually repeat the column's.
        if declaration.place == "column" or not has_column:
            yield from _spec_findings(declaration)
        yield from _duplicates(declaration)
    if len(row.declarations) > 1:
        yield from _mismatches(row)


def _spec_findings(declaration: Declaration) -> Iterator[RowFinding]:
    """Yield one finding per place."""
    for place, spec in enumerate(declaration.specs):
        reported_places: set[str] = set()
        # An error and a repair may be at the same place.
        for finding in sorted(_findings_of(spec), key=lambda finding: finding.severity is not Severity.ERROR):
            where = declaration.pointer + _inside(declaration, place, finding.pointer or "")
            if where not in reported_places and finding.severity is not Severity.NOTE:
                reported_places.add(where)
                code = "spec-unsound" if finding.severity is Severity.ERROR else "spec-unusual"
                yield row_finding(
                    code, shortened(f"tool {quoted(spec.name)}: {finding.message}"), pointer=where
                )


def _inside(declaration: Declaration, place: int, pointer: str) -> str:
    """Return the pointer from the declaration to a place in a spec; empty if the specs are inside a text."""
    if declaration.is_text:
        return ""
    return f"/{place}" + (pointer.removeprefix("/function") if declaration.is_bare else pointer)


def _duplicates(declaration: Declaration) -> Iterator[RowFinding]:
    names = [spec.name for spec in declaration.specs]
    if len(set(names)) == len(names):
        return
    for name, times in Counter(names).items():
        if times > 1:
            message = f"the tool {quoted(name)} is declared {times} times; remove the duplicates"
            yield row_finding("tool-declared-twice", message, pointer=declaration.pointer)


def _mismatches(row: TrainingRow) -> Iterator[RowFinding]:
    """Yield `tools-mismatch` if the tools in the system texts differ from those of the column."""
    first, *others = row.declarations
    if first.place != "column" or (len(others) == 1 and others[0].specs is first.specs):
        return
    system_specs = [spec for declaration in others for spec in declaration.specs]
    if [spec.document for spec in system_specs] == [spec.document for spec in first.specs]:
        return
    problem = _difference(_meanings(first.specs), _meanings(system_specs))
    if problem:
        entry = next(
            (entry_in_row for entry_in_row in row.entries if entry_in_row.text_pointer == others[0].pointer),
            None,
        )
        yield row_finding("tools-mismatch", problem, entry=entry, pointer=others[0].pointer)


def _difference(in_column: Mapping[str, bytes], in_system: Mapping[str, bytes]) -> str:
    missing = [name for name in in_column if name not in in_system]
    added = [name for name in in_system if name not in in_column]
    changed = [name for name in in_column if name in in_system and in_column[name] != in_system[name]]
    if missing:
        return f"the column declares {quoted(missing[0])}, but the system text does not"
    if added:
        return f"the system text declares {quoted(added[0])}, but the column does not"
    return f"the system text and the column declare {quoted(changed[0])} differently" if changed else ""


def _meanings(specs: "list[ToolSpec] | tuple[ToolSpec, ...]") -> Mapping[str, bytes]:
    return {spec.name: meaning_of(spec) for spec in specs}


def meaning_of(spec: ToolSpec) -> bytes:
    """Return a hash that is equal for parameters with the same constraints, whatever their descriptions."""
    return cached_on(spec, "_meaning", _meaning)


def _meaning(spec: ToolSpec) -> bytes:
    try:
        # `repr` is faster than JSON, and this runs for every tool of every row.
        text = repr(_bare(spec.parameters))
    except RecursionError:  # nested over about 450 levels deep, which `check_spec` reports
        text = _TOO_DEEP
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def _findings_of(spec: ToolSpec) -> tuple[Finding, ...]:
    """Return the findings of a spec."""
    return cached_on(spec, "_checked", check_spec)


def _bare(schema: JsonValue) -> object:
    """Return a schema as sorted nested pairs, without descriptions and without keys that constrain nothing."""
    if isinstance(schema, list):
        return list(map(_bare, schema))
    if not isinstance(schema, dict):
        return schema
    if schema.keys() == _PLAIN and isinstance(schema["description"], str):
        return (("type", _bare(schema["type"])),)
    pairs: list[tuple[str, object]] = []
    for key in sorted(schema):
        value = schema[key]
        if (key in _WORDS and not isinstance(value, dict)) or (key == "required" and not value):
            continue
        pairs.append((key, _properties(value) if key in ("properties", "$defs") else _bare(value)))
    return tuple(pairs)


def _properties(value: JsonValue) -> object:
    schemas = as_object(value)
    return tuple((name, _bare(schemas[name])) for name in sorted(schemas))
