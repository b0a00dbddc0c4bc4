"""The command fails if a case gets worse without a line in known.yaml, and if a line is not needed."""

import pytest

from tests.conformance.archives import VLLM
from tests.conformance.cpp_text import CppCall, NotAValue, read_value, tokens_of
from tests.conformance.outcome import Known, Outcome, Suite, judged, load_known
from tests.conformance.suites import SUITES
from tests.conformance.whole_and_streamed import STREAMED

OUTCOMES = [Outcome(id="a", agrees=True), Outcome(id="b", agrees=False), Outcome(id="c", agrees=False)]


def result(*known, cases=3):
    suite = Suite(name="s", archive=VLLM, cases=cases, outcomes=lambda _folder: OUTCOMES)
    return judged(suite, OUTCOMES, known)


def known(verdict, *cases):
    return Known(verdict=verdict, reason="It is so.", cases=frozenset(cases))


def test_cases_that_are_listed_are_counted_by_their_verdict():
    row, problems = result(known("better", "b"), known("worse", "c"))
    assert row == ("s", 3, 1, 1, 1) and problems == []


@pytest.mark.parametrize(
    ("listed", "cases", "said"),
    [
        (("b",), 3, "c does not agree"),
        (("b", "c", "a"), 3, "a is listed in known.yaml but agrees"),
        (("b", "c", "d"), 3, "d is listed in known.yaml but does not exist"),
        (("b", "c"), 4, "has 3 cases, not 4"),
    ],
)
def test_what_is_not_as_known_is_a_problem(listed, cases, said):
    [problem] = result(known("worse", *listed), cases=cases).problems
    assert said in problem


@pytest.mark.parametrize(
    "entry",
    [
        "{verdict: other, reason: r, cases: [a]}",
        "{verdict: worse, reason: '', cases: [a]}",
        "{verdict: worse, reason: r, cases: [a]}, {verdict: better, reason: r, cases: [a]}",
    ],
)
def test_a_faulty_line_is_refused(tmp_path, entry):
    path = tmp_path / "known.yaml"
    path.write_text(f"s: [{entry}]")
    with pytest.raises(ValueError, match=r"twice|needs a reason"):
        load_known(path)


def test_known_yaml_names_only_suites_that_exist():
    assert load_known().keys() <= {suite.name for suite in SUITES} | {STREAMED}


SOURCE = r"""
f({ "a\n" "b", R"x(raw ")" \n)x", /* one */ g(1, name), "\xE2\x82\xAC\u00e9" }); // end
"""


def test_values_of_cpp_are_read():
    value, _ = read_value(tokens_of(SOURCE), 0, {"name": "value"})
    assert value == CppCall(
        name="f",
        arguments=(("a\nb", 'raw ")" \\n', CppCall(name="g", arguments=(1.0, "value")), "€é"),),
    )


@pytest.mark.parametrize("source", ["[](auto x) { return 1; }", '"a" + 1 ', "f(a ? b : c)", "*p "])
def test_other_expressions_are_refused(source):
    with pytest.raises(NotAValue):
        read_value(tokens_of(f"{source} ;"), 0, {})
