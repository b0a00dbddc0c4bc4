"""Convert BFCL's questions, functions and possible answers to a suite and back.

*Source:* the files `BFCL_v4_*.json` and `possible_answer/BFCL_v4_*.json` of the package `bfcl-eval` 2026.3.23.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from workbench.chat.json_value import JsonValue, load_json
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.suite.case import Case, Suite
from workbench.suite.expectation import CallPattern, Expectation
from workbench.suite.read_suite import parse_case


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSuite:
    """A suite out of another form."""

    suite: Suite
    left_out: tuple[str, ...] = ()
    """A line about each thing that the suite does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedSuite:
    """A suite in another form."""

    files: dict[str, str] = field(hash=False)
    left_out: tuple[str, ...] = ()
    """A line about each thing that the form cannot say."""


def read_lines(text: str, *, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object with the place that it stands at; blank lines are passed over.

    Raises:
        BadInput: A line is no JSON object.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{where}, line {number}"
        try:
            value = load_json(line)
        except ValueError as error:
            raise BadInput(place, f"not JSON: {error}") from error
        if not isinstance(value, dict):
            raise BadInput(place, "not a JSON object")
        yield place, cast(dict[str, Any], value)


def write_lines(rows: Iterable[object]) -> str:
    """One JSON value a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


TYPES: Final[Mapping[str, str | None]] = {
    "dict": "object",
    "float": "number",
    "tuple": "array",
    "any": None,
}
"""BFCL's word for a type to JSON Schema's; None for no type at all."""
_OTHER_LANGUAGES: Final = ("java", "javascript")


def import_bfcl(questions: str, answers: str | None, *, name: str, only: Sequence[str] = ()) -> ImportedSuite:
    """A suite out of BFCL's files.

    Args:
        questions: JSON Lines with `id`, `question` and `function`.
        answers: JSON Lines with `id` and `ground_truth`; None for a set in which nothing is to be called.
        name: What the suite is called; it tells the category, such as `parallel_multiple`.
        only: Ids of the questions to take; none takes all.

    Raises:
        BadInput: A line is not of BFCL's form.
    """
    truths = {str(row.get("id")): row for _, row in read_lines(answers, where="answers")} if answers else {}
    cases: list[Case] = []
    left_out: list[str] = []
    for place, row in read_lines(questions, where="questions"):
        identity = str(row.get("id"))
        if only and identity not in only:
            continue
        if reason := _unusable(identity, row):
            left_out.append(f"{identity}: {reason}")
            continue
        truth = truths.get(identity, {}).get("ground_truth", [])
        document = _document(place, identity, row, truth, name)
        cases.append(parse_case(document, suite=name, where=place))
    if not cases:
        raise BadInput("questions", "there is no question that can be taken", "; ".join(left_out[:1]))
    suite = Suite(name=name, description="From the Berkeley Function-Calling Leaderboard", cases=tuple(cases))
    return ImportedSuite(suite=suite, left_out=tuple(left_out))


def export_bfcl(suite: Suite) -> ExportedSuite:
    """BFCL's two files of a suite: `questions.json` and `possible_answer.json`."""
    questions: list[JsonValue] = []
    answers: list[JsonValue] = []
    left_out: list[str] = []
    for case in suite.cases:
        truth = _truth(case, left_out)
        if truth is None:
            continue
        answer = next((one.bfcl for one in case.expectations if one.bfcl), None)
        functions = answer.function if answer else [_function_of(spec) for spec in case.tool_specs]
        system = [{"role": "system", "content": case.system}] if case.system else []
        said = [*system, *({"role": one.role.value, "content": one.text} for one in case.messages)]
        questions.append({"id": case.id, "question": [said], "function": cast(JsonValue, functions)})
        if truth:
            answers.append({"id": case.id, "ground_truth": cast(JsonValue, truth)})
    files = {"questions.json": write_lines(questions), "possible_answer.json": write_lines(answers)}
    return ExportedSuite(files=files, left_out=tuple(left_out))


def sound_schema(value: Any) -> Any:
    """A function of BFCL's with JSON Schema's words for types."""
    if isinstance(value, list):
        return [sound_schema(item) for item in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    changed = {str(key): sound_schema(inner) for key, inner in cast(dict[Any, Any], value).items()}
    kind = changed.get("type")
    if isinstance(kind, str) and kind in TYPES:
        sound = TYPES[kind]
        if sound is None:
            del changed["type"]
        else:
            changed["type"] = sound
    return changed


def category_of(name: str) -> str:
    """How calls of a set are matched, by the set's name.

    >>> category_of("BFCL_v4_parallel_multiple"), category_of("live_multiple"), category_of("simple_python")
    ('parallel', 'multiple', 'simple')
    """
    return "parallel" if "parallel" in name else "multiple" if "multiple" in name else "simple"


def _unusable(identity: str, row: Mapping[str, Any]) -> str:
    question = row.get("question")
    if not isinstance(question, list) or not isinstance(row.get("function"), list):
        return "it has no question and function"
    if len(cast(list[Any], question)) != 1:
        return "it has several turns, and a case has one"
    # `simple_java_3`: its answers are written in Java's values, not in JSON.
    if any(f"_{language}_" in identity for language in _OTHER_LANGUAGES):
        return "its answers are not of Python"
    return ""


def _document(place: str, identity: str, row: Mapping[str, Any], truth: Any, name: str) -> Mapping[str, Any]:
    functions = cast(list[Any], row["function"])
    expected: dict[str, Any]
    if truth:
        answer = {"function": functions, "ground_truth": truth, "category": category_of(name + identity)}
        expected = {"bfcl": answer}
    elif "irrelevance" in name + identity:
        expected = {"no_call": True}
    elif "relevance" in name + identity:
        expected = {"call_count": {"at_least": 1}}
    else:
        raise BadInput(place, f"question {identity!r} has no possible answer", "give the file of answers")
    return {
        "id": identity,
        "messages": row["question"][0],
        "tool_specs": [{"type": "function", "function": sound_schema(one)} for one in functions],
        "tags": ["bfcl", category_of(name + identity) if truth else "irrelevance"],
        "max_rounds": 1,
        "expect": [expected],
    }


def _truth(case: Case, left_out: list[str]) -> list[Any] | None:
    """BFCL's answer; empty where nothing is to be called, None where BFCL cannot say what the case wants."""
    if any(one.role not in (Role.SYSTEM, Role.USER) for one in case.messages):
        left_out.append(f"{case.id}: its messages hold more than the user's words")
        return None
    if not case.tool_specs:
        left_out.append(f"{case.id}: its tools are of the catalog, and BFCL's files hold them whole")
        return None
    found: list[Any] | None = None
    for one in case.expectations:
        said = _said(one)
        if said is None or found is not None:
            left_out.append(
                f"{case.id}: {one.kind} has no word in BFCL" + (" beside another" if found else "")
            )
        elif found is None:
            found = said
    return found


def _said(one: Expectation) -> list[Any] | None:
    if one.bfcl:
        return list(one.bfcl.ground_truth)
    if one.no_call:
        return []
    if not one.calls or one.in_order or one.allow_extra:
        return None
    patterns = [list(_pattern(pattern)) for pattern in one.calls for _ in range(pattern.count)]
    return [found[0] for found in patterns] if all(patterns) else None


def _pattern(pattern: CallPattern) -> Iterator[dict[str, dict[str, list[Any]]]]:
    """The call with the right values of its arguments; nothing where BFCL cannot say it."""
    if not isinstance(pattern.name, str) or pattern.arguments is None or pattern.arguments_schema is not None:
        return
    right = {name: _values(want) for name, want in pattern.arguments.items()}
    optional = {name: _values(want) for name, want in pattern.optional.items()}
    if all(values is not None for values in (*right.values(), *optional.values())):
        yield {
            pattern.name: {
                **{name: values or [] for name, values in right.items()},
                **{name: [*(values or ()), ""] for name, values in optional.items()},
            }
        }


def _values(want: Any) -> list[Any] | None:
    """The right values that a condition allows; None where they cannot be listed."""
    if not isinstance(want, Mapping):
        return [want]
    condition = cast(Mapping[str, Any], want)
    if set(condition) == {"any_of"} and not any(isinstance(one, Mapping) for one in condition["any_of"]):
        return list(condition["any_of"])
    return [condition["equals"]] if set(condition) == {"equals"} else None


def _function_of(spec: Mapping[str, JsonValue]) -> JsonValue:
    return spec.get("function", spec)
