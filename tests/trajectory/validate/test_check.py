"""Checks of many rows: unreadable lines, duplicates, and findings about the set."""

import json
from hashlib import blake2b
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from tests.trajectory.validate.rows import OTHER, PARIS, SHAREGPT, SPEC, changed
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.validate.check import CheckOptions, RowsCheck
from workbench.trajectory.validate.duplicates import (
    DuplicateRow,
    RowFingerprint,
    RowFingerprints,
    fingerprint_row,
    fingerprint_text,
)
from workbench.trajectory.validate.set_facts import ToolWatch

LONG = (
    "We drive from Lisbon to Porto on Friday with two dogs and an old van, stop for lunch near the sea, "
    "and want to know whether rain or strong wind is likely on that day before we book the small hotel"
)


def row(question: str, answer: str = PARIS, **more: Any) -> dict[str, Any]:
    entries = [
        {"from": "human", "value": question},
        {"from": "gpt", "value": answer},
    ]
    return {"conversations": entries, "tools": json.dumps([SPEC, OTHER]), **more}


def checked(*rows: dict[str, Any], **options: Any) -> RowsCheck:
    check = RowsCheck(options=CheckOptions(**options))
    for row in rows:
        check.check(FORMATS["sharegpt"].read(row))
    return check


def duplicates(*rows: dict[str, Any], files: list[int] | None = None) -> list[DuplicateRow]:
    return list(checked(*rows).duplicates(files or [len(rows)]))


def test_unreadable_rows_are_counted() -> None:
    check = checked(row("a"))
    check.count_unreadable()
    assert (check.rows, check.facts.rows) == (2, 1)


class TestDuplicates:
    def test_the_same_conversation_is_a_duplicate_whatever_its_system_text(self) -> None:
        system = {"from": "system", "value": "Be brief."}
        second = row("Hi there", source="b")
        second["conversations"].insert(0, system)
        assert duplicates(row("Hi there"), row("Hi here"), second) == [DuplicateRow("duplicate-row", 2, 0)]

    @pytest.mark.parametrize("count", [12, 13, 255, 300, 5000])
    def test_a_sketch_has_the_bits_that_more_than_half_of_the_hashes_have(self, count: int) -> None:
        words = [str(Random(number).randrange(count)) for number in range(count)]
        hashes = [int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big") for word in words]
        hashes += [(one * 31 + other) % 2**64 for one, other in pairwise(hashes)]
        bits = sum(1 << bit for bit in range(64) if sum(one >> bit & 1 for one in hashes) * 2 > len(hashes))
        assert fingerprint_text(" ".join(words)).sketch == int.from_bytes(bits.to_bytes(8, "little"), "big")

    def test_the_same_conversation_in_another_file_is_a_shared_row(self) -> None:
        assert duplicates(row("a"), row("b"), row("a"), files=[2, 3]) == [DuplicateRow("shared-row", 2, 0)]

    def test_each_later_row_is_reported_once(self) -> None:
        assert duplicates(row("a"), row("a"), row("a")) == [
            DuplicateRow("duplicate-row", 1, 0),
            DuplicateRow("duplicate-row", 2, 0),
        ]

    @pytest.mark.parametrize("other", [LONG.upper(), LONG + "!", LONG.replace(" ", "  ")])
    def test_the_same_words_with_other_case_or_punctuation_are_near_duplicates(self, other: str) -> None:
        assert duplicates(row(LONG), row(other)) == [DuplicateRow("near-duplicate-row", 1, 0)]

    def test_long_conversations_with_one_different_word_are_near_duplicates(self) -> None:
        long = f"{LONG}. {LONG[::-1]}. {LONG.swapcase()[20:]}"
        assert duplicates(row(long), row(long.replace("Friday", "Monday"))) == [
            DuplicateRow("near-duplicate-row", 1, 0)
        ]

    @pytest.mark.parametrize("other", ["What is the weather in Rome?", "How is the weather in Oslo?"])
    def test_short_conversations_with_different_words_are_not_near_duplicates(self, other: str) -> None:
        assert duplicates(row("What is the weather in Oslo?", "Fine."), row(other, "Fine.")) == []

    def test_unreadable_rows_are_not_duplicates(self) -> None:
        check = RowsCheck()
        for _ in range(3):
            check.count_unreadable()
            check.check(FORMATS["sharegpt"].read({}))
        assert list(check.duplicates([6])) == []

    def test_without_the_search_for_near_duplicates_only_exact_ones_are_reported(self) -> None:
        check = checked(row(LONG), row(LONG + "!"), row(LONG), finds_near=False)
        assert list(check.duplicates([3])) == [DuplicateRow("duplicate-row", 2, 0)]

    def test_sketches_are_found_wherever_three_bits_differ(self) -> None:
        for bits in ((0, 1, 2), (0, 20, 40), (15, 31, 63), (5, 50, 51)):
            fingerprints = RowFingerprints()
            fingerprints.append(RowFingerprint(1, 0x0123456789ABCDEF))
            fingerprints.append(RowFingerprint(2, 0x0123456789ABCDEF ^ sum(1 << bit for bit in bits)))
            assert list(fingerprints.duplicates([2])) == [DuplicateRow("near-duplicate-row", 1, 0)]

    def test_a_fingerprint_needs_sixteen_bytes_per_row(self) -> None:
        fingerprints = checked(*(row(str(number)) for number in range(100))).fingerprints
        assert fingerprints.exact.itemsize * len(fingerprints.exact) == 800
        assert fingerprints.sketches.itemsize * len(fingerprints.sketches) == 800

    def test_a_fingerprint_is_the_same_in_every_run(self) -> None:
        assert fingerprint_row(FORMATS["sharegpt"].read(row(LONG))) == RowFingerprint(
            fingerprint_row(FORMATS["sharegpt"].read(row(LONG))).exact,
            fingerprint_row(FORMATS["sharegpt"].read(row(LONG))).sketch,
        )


def said_of(*rows: dict[str, Any]) -> list[str]:
    return [finding.code for finding in checked(*rows).facts.findings()]


NOW = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'


def balanced(count: int) -> list[dict[str, Any]]:
    """Return a balanced set without findings: two tools equally often, parallel calls, and answers without a call."""
    answers = [f"{PARIS}\n{NOW}", "Fine."]
    return [row(f"q{number}", answers[number % 2]) for number in range(count)]


class TestSet:
    def test_a_balanced_set_has_no_findings(self) -> None:
        assert said_of(*balanced(100)) == []

    def test_a_small_set_has_no_findings(self) -> None:
        assert said_of(*(row(f"q{number}") for number in range(99))) == []

    def test_a_set_without_plain_answers_is_few_no_call(self) -> None:
        assert said_of(*(row(f"q{number}", f"{PARIS}\n{NOW}") for number in range(100))) == ["few-no-call"]

    def test_a_set_without_parallel_calls_is_no_parallel(self) -> None:
        answers = [PARIS, NOW, "Fine."]
        assert said_of(*(row(f"q{number}", answers[number % 3]) for number in range(102))) == ["no-parallel"]

    def test_a_set_with_one_frequent_tool_is_dominant_tool(self) -> None:
        assert said_of(*balanced(100), row("more")) == ["dominant-tool"]

    def test_a_set_with_some_thoughts_is_thinking_mixed(self) -> None:
        assert said_of(*balanced(100), row("why", "<think>\nhm\n</think>\nSo.")) == ["thinking-mixed"]

    def test_a_tool_with_two_schemas_is_schema_conflict(self) -> None:
        other = json.dumps([changed(SPEC, "function", "parameters", "required", to=[]), OTHER])
        assert said_of(*balanced(100), row("why", "Fine.", tools=other)) == ["schema-conflict"]

    def test_two_halves_add_up_to_the_same_result(self) -> None:
        rows = [*balanced(90), *(row(f"r{number}") for number in range(30)), SHAREGPT]
        whole, first = checked(*rows), checked(*rows[:50])
        first.extend(checked(*rows[50:]))
        assert first.facts == whole.facts
        assert first.rows == whole.rows == 121
        assert first.formats == whole.formats
        assert list(first.duplicates([121])) == list(whole.duplicates([121]))


WATCHED = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}
WORDED = {
    "name": "f",
    "parameters": {"properties": {"a": {"description": "d", "type": "string"}}, "type": "object"},
}
REBOUND = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}


class TestToolWatch:
    """Different parameters of one tool are reported in any order, but only if they have different constraints."""

    @staticmethod
    def watch(*functions):
        watch = ToolWatch()
        for function in functions:
            watch.add(OfferedTools(specs=(ToolSpec.of_function(function),)))
        return watch

    def test_descriptions_and_key_order_do_not_matter(self):
        assert self.watch(WATCHED, WORDED, WATCHED).conflicts == set()
        assert self.watch(WATCHED, WORDED, REBOUND).conflicts == {"f"}

    def test_two_watches_add_up_to_the_same_result(self):
        whole = self.watch(WATCHED, WORDED, REBOUND)
        first, second = self.watch(WATCHED), self.watch(WORDED, REBOUND)
        first.extend(second)
        assert first == whole

    def test_long_parameters_are_compared_too(self):
        long = {"name": "f", "parameters": {"enum": ["x" * 5000]}}
        assert self.watch(long, long).conflicts == set()
        assert self.watch(long, WATCHED).conflicts == {"f"}

    @pytest.mark.parametrize("value", [float("nan"), 2**70, "\ud800"])
    def test_values_that_json_cannot_hold_are_compared_too(self, value: object):
        unusual = {"name": "f", "parameters": {"const": value}}
        assert self.watch(unusual, unusual).conflicts == set()
        assert self.watch(unusual, {"name": "f", "parameters": {"const": None}}).conflicts == {"f"}

    def test_deeply_nested_parameters_are_no_error(self):
        deep = nested(900)
        assert self.watch(deep, nested(900)).conflicts == set()
        assert self.watch(deep, WATCHED).conflicts == {"f"}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels // 2):
        schema = {"type": "object", "properties": {"a": schema}}
    return {"name": "f", "parameters": schema}


def test_a_row_with_deeply_nested_tools_is_checked() -> None:
    tools = json.dumps([{"type": "function", "function": nested(900)}])
    assert said_of(row("a", tools=tools)) == []
