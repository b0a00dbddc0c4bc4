"""Convert BFCL's questions, functions and possible answers to a suite and back.

*Source:* the files `BFCL_v4_*.json` and `possible_answer/BFCL_v4_*.json` of the package `bfcl-eval` 2026.3.23,
https://pypi.org/project/bfcl-eval/.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from workbench.chat.json_value import JsonValue, load_json
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.suite.case import Case, Suite
from workbench.suite.exchange.bfcl_conversation import FunctionDocs, conversation_case, is_conversation
from workbench.suite.expectation import CallPattern, Expectation
from workbench.suite.read_suite import parse_case


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSuite:
    """A suite imported from another format."""

    suite: Suite
    left_out: tuple[str, ...] = ()
    """A message about each part of the input that was skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedSuite:
    """A suite in another format."""

    files: dict[str, str] = field(hash=False)
    """File name to text."""
    left_out: tuple[str, ...] = ()
    """A message about each part of the suite that the format cannot express."""


def read_lines(text: str, *, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each JSON object with its place, such as `answers, line 3`. Blank lines are skipped.

    Raises:
        BadInput: A line is not a JSON object.
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
    """Return the rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


TYPES: Final[Mapping[str, str | None]] = {
    "dict": "object",
    "float": "number",
    "tuple": "array",
    "any": None,
}
"""BFCL's name of a type to that of JSON Schema. None allows any type."""
_OTHER_LANGUAGES: Final = ("java", "javascript")


def import_bfcl(
    questions: str,
    answers: str | None,
    *,
    name: str,
    only: Sequence[str] = (),
    function_docs: Callable[[], FunctionDocs] | None = None,
) -> ImportedSuite:
    """Import a suite from BFCL's files.

    Args:
        questions: JSON Lines with `id`, `question` and `function`.
        answers: JSON Lines with `id` and `ground_truth`, or None for questions that expect no call.
        name: Name of the suite. The category is derived from it, such as `parallel_multiple`.
        only: IDs of the questions to import. If empty, all are imported.
        function_docs: Returns BFCL's documents of functions, for multi-turn questions. With None, they are skipped.

    Raises:
        BadInput: A line does not have BFCL's format, or no question can be imported.
    """
    _refuse_index(questions)
    truths = {str(row.get("id")): row for _, row in read_lines(answers, where="answers")} if answers else {}
    cases: list[Case] = []
    left_out: list[str] = []
    needs_bfcl = False
    for place, row in read_lines(questions, where="questions"):
        question_id = str(row.get("id"))
        if only and question_id not in only:
            continue
        truth = truths.get(question_id, {}).get("ground_truth", [])
        if function_docs and truth and is_conversation(row):
            document = conversation_case(row, truth, function_docs())
            cases.append(parse_case(document, suite=name, where=place))
            continue
        if reason := _skip_reason(question_id, row):
            left_out.append(f"{question_id}: {reason}")
            needs_bfcl |= "involved_classes" in row
            continue
        document = _document(place, question_id, row, truth, name)
        cases.append(parse_case(document, suite=name, where=place))
    if not cases:
        remedy = "; ".join(left_out[:1]) + (". Run this set with bfcl-eval" if needs_bfcl else "")
        raise BadInput("questions", "no question can be imported", remedy)
    suite = Suite(name=name, description="From the Berkeley Function-Calling Leaderboard", cases=tuple(cases))
    return ImportedSuite(suite=suite, left_out=tuple(left_out))


def export_bfcl(suite: Suite) -> ExportedSuite:
    """Export a suite as BFCL's two files, `questions.json` and `possible_answer.json`."""
    questions: list[JsonValue] = []
    answers: list[JsonValue] = []
    left_out: list[str] = []
    for case in suite.cases:
        truth = _truth(case, left_out)
        if truth is None:
            continue
        answer = next((expectation.bfcl for expectation in case.expectations if expectation.bfcl), None)
        functions = answer.function if answer else [_function_of(spec) for spec in case.tool_specs]
        system = [{"role": "system", "content": case.system}] if case.system else []
        messages = [{"role": message.role.value, "content": message.text} for message in case.messages]
        question = [[*system, *messages]]
        questions.append({"id": case.id, "question": question, "function": cast(JsonValue, functions)})
        if truth:
            answers.append({"id": case.id, "ground_truth": cast(JsonValue, truth)})
    files = {"questions.json": write_lines(questions), "possible_answer.json": write_lines(answers)}
    return ExportedSuite(files=files, left_out=tuple(left_out))


def with_json_schema_types(value: Any) -> Any:
    """Return one of BFCL's functions with the type names of JSON Schema."""
    if isinstance(value, list):
        return [with_json_schema_types(item) for item in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    changed = {str(key): with_json_schema_types(inner) for key, inner in cast(dict[Any, Any], value).items()}
    bfcl_type = changed.get("type")
    if isinstance(bfcl_type, str) and bfcl_type in TYPES:
        schema_type = TYPES[bfcl_type]
        if schema_type is None:
            del changed["type"]
        else:
            changed["type"] = schema_type
    return changed


def category_of(name: str) -> str:
    """Return how calls are matched, derived from the name of a set of questions.

    >>> category_of("BFCL_v4_parallel_multiple"), category_of("live_multiple"), category_of("simple_python")
    ('parallel', 'multiple', 'simple')
    """
    return "parallel" if "parallel" in name else "multiple" if "multiple" in name else "simple"


def _refuse_index(questions: str) -> None:
    """Refuse the file of the set `format_sensitivity`: one object with the IDs of questions by set."""
    try:
        index = cast(dict[str, Any], load_json(questions)) if questions.lstrip().startswith("{") else {}
    except ValueError:
        return
    if index and all(isinstance(ids, list) for ids in index.values()):
        raise BadInput(
            "questions",
            f"the file lists the IDs of questions in other files ({', '.join(index)})",
            "Import those files. bfcl-eval repeats their questions with other formats of the prompt",
        )


def _skip_reason(question_id: str, row: Mapping[str, Any]) -> str:
    """Return why a question cannot be imported; empty if it can."""
    question, classes = row.get("question"), row.get("involved_classes")
    if isinstance(classes, list):
        # Sets `multi_turn_*`, `memory` and `web_search`.
        names = ", ".join(map(str, cast(list[Any], classes)))
        has_turns = isinstance(question, list) and len(cast(list[Any], question)) > 1
        turns = "has several turns and " if has_turns else ""
        return f"it {turns}needs BFCL's classes ({names}), which a suite does not have"
    if question is None and "ground_truth" in row:
        return "it is an answer; give the file of questions"
    if not isinstance(question, list) or not isinstance(row.get("function"), list):
        return "it has no question or no functions"
    if len(cast(list[Any], question)) != 1:
        return "has several turns, but a case has one"
    # The answers of `simple_java_3`, for example, are Java values and not JSON.
    if any(f"_{language}_" in question_id for language in _OTHER_LANGUAGES):
        return "its answers are not in Python"
    return ""


def _document(
    place: str, question_id: str, row: Mapping[str, Any], truth: Any, name: str
) -> Mapping[str, Any]:
    functions = cast(list[Any], row["function"])
    expected: dict[str, Any]
    if truth:
        answer = {"function": functions, "ground_truth": truth, "category": category_of(name + question_id)}
        expected = {"bfcl": answer}
    elif "irrelevance" in name + question_id:
        expected = {"no_call": True}
    elif "relevance" in name + question_id:
        expected = {"call_count": {"at_least": 1}}
    else:
        raise BadInput(
            place, f"question {question_id!r} has no possible answer", "also give the file with the answers"
        )
    return {
        "id": question_id,
        "messages": row["question"][0],
        "tool_specs": [
            {"type": "function", "function": with_json_schema_types(function)} for function in functions
        ],
        "tags": ["bfcl", category_of(name + question_id) if truth else "irrelevance"],
        "max_rounds": 1,
        "expect": [expected],
    }


def _truth(case: Case, left_out: list[str]) -> list[Any] | None:
    """Return BFCL's possible answer of a case. Empty if no call is expected, None if BFCL cannot express the case."""
    if any(message.role not in (Role.SYSTEM, Role.USER) for message in case.messages):
        left_out.append(f"{case.id}: has messages that are not the user's")
        return None
    if not case.tool_specs:
        left_out.append(f"{case.id}: has tools from the catalog, but BFCL needs complete specs")
        return None
    found: list[Any] | None = None
    for expectation in case.expectations:
        truth = _expectation_truth(expectation)
        if truth is None or found is not None:
            combined = " together with another expectation" if found else ""
            left_out.append(f"{case.id}: BFCL cannot express {expectation.kind}{combined}")
        elif found is None:
            found = truth
    return found


def _expectation_truth(expectation: Expectation) -> list[Any] | None:
    if expectation.bfcl:
        return list(expectation.bfcl.ground_truth)
    if expectation.no_call:
        return []
    if not expectation.calls or expectation.in_order or expectation.allow_extra:
        return None
    patterns = [list(_pattern(pattern)) for pattern in expectation.calls for _ in range(pattern.count)]
    return [found[0] for found in patterns] if all(patterns) else None


def _pattern(pattern: CallPattern) -> Iterator[dict[str, dict[str, list[Any]]]]:
    """Yield the call with the possible values of its arguments, or nothing if BFCL cannot express it."""
    if not isinstance(pattern.name, str) or pattern.arguments is None or pattern.arguments_schema is not None:
        return
    required = {name: _values(condition) for name, condition in pattern.arguments.items()}
    optional = {name: _values(condition) for name, condition in pattern.optional.items()}
    if all(values is not None for values in (*required.values(), *optional.values())):
        yield {
            pattern.name: {
                **{name: values or [] for name, values in required.items()},
                **{name: [*(values or ()), ""] for name, values in optional.items()},
            }
        }


def _values(value_or_condition: Any) -> list[Any] | None:
    """Return the values that a condition allows, or None if they cannot be listed."""
    if not isinstance(value_or_condition, Mapping):
        return [value_or_condition]
    condition = cast(Mapping[str, Any], value_or_condition)
    if set(condition) == {"any_of"}:
        choices = condition["any_of"]
        if not any(isinstance(choice, Mapping) for choice in choices):
            return list(choices)
    return [condition["equals"]] if set(condition) == {"equals"} else None


def _function_of(spec: Mapping[str, JsonValue]) -> JsonValue:
    return spec.get("function", spec)
