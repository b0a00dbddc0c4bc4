"""Choosing the call threshold of a model by held-out cases."""

from workbench.training.call_threshold import WeighedCase, best_threshold, threshold_rows


def test_each_kind_counts_as_much_as_the_others() -> None:
    # Nine single calls want a low threshold, one request without a call wants a high one.
    cases = [WeighedCase("single", 0.42, is_right_with_call=True, is_right_without_call=False)] * 9
    cases.append(WeighedCase("no call", 0.61, is_right_with_call=False, is_right_without_call=True))
    means = {row.threshold: row.mean for row in threshold_rows(cases)}
    assert means[0.4] == means[0.65] == 0.5
    assert means[0.5] == 0


def test_of_equal_thresholds_the_middle_one_is_chosen() -> None:
    cases = [
        WeighedCase("single", 0.72, is_right_with_call=True, is_right_without_call=False),
        WeighedCase("no call", 0.08, is_right_with_call=False, is_right_without_call=True),
    ]
    assert best_threshold(threshold_rows(cases)) == 0.4


def test_a_case_that_is_always_wrong_or_always_right_changes_nothing() -> None:
    indifferent = [
        WeighedCase("single", 0.3, is_right_with_call=False, is_right_without_call=False),
        WeighedCase("single", 0.3, is_right_with_call=True, is_right_without_call=True),
    ]
    assert {row.mean for row in threshold_rows(indifferent)} == {0.5}


def test_a_model_that_calls_badly_and_refuses_well_is_not_kept_from_calling() -> None:
    # Of ten single calls, one is right. Ten requests with a missing value would all want a threshold above 0.9.
    singles = [
        WeighedCase("single", 0.8, is_right_with_call=place == 0, is_right_without_call=False)
        for place in range(10)
    ]
    missing = [
        WeighedCase("missing", place / 10 + 0.05, is_right_with_call=False, is_right_without_call=True)
        for place in range(10)
    ]
    rows = threshold_rows([*singles, *missing])
    assert max(rows, key=lambda row: row.mean).threshold > 0.9
    assert best_threshold(rows) == 0.8
    assert {row.threshold: row.kept for row in rows}[0.85] == 0


def test_cases_without_any_right_call_have_a_threshold_too() -> None:
    cases = [WeighedCase("no call", 0.5, is_right_with_call=False, is_right_without_call=True)]
    assert best_threshold(threshold_rows(cases)) > 0.5
