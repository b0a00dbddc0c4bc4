"""A suite exported to another format and imported again scores the same, for every expectation."""

import pytest

from tests.suite.rollouts import TOOLS, case, rollout
from tests.suite.test_score import ROWS
from workbench.suite.case import Suite
from workbench.suite.exchange.bfcl import export_bfcl, import_bfcl
from workbench.suite.exchange.openai import export_openai, import_openai
from workbench.suite.exchange.promptfoo import export_promptfoo, import_promptfoo
from workbench.suite.score import score

SPECS = [spec.document for spec in TOOLS.specs]


def read_bfcl(files):
    answers = files["possible_answer.json"]
    name = "own_parallel" if answers else "own_irrelevance"
    return import_bfcl(files["questions.json"], answers or None, name=name)


FORMS = {
    "promptfoo": (
        export_promptfoo,
        lambda files: import_promptfoo(files["promptfooconfig.yaml"], name="own"),
        23,
    ),
    "openai": (export_openai, lambda files: import_openai(files["messages.jsonl"], name="own"), 8),
    "bfcl": (export_bfcl, read_bfcl, 8),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_completely_exported_case_scores_the_same_when_imported_again(form):
    write, read, least = FORMS[form]
    exported_count = 0
    for expected, good, bad, _ in ROWS:
        own = case(expected, tool_specs=SPECS)
        written = write(Suite(name="own", cases=(own,)))
        if written.left_out:
            continue
        exported_count += 1
        [again] = read(written.files).suite.cases
        for completions in filter(None, (good, bad)):
            run = rollout(*completions, price=(1.0, 2.0))
            assert score(again, run).is_passed == score(own, run).is_passed, (expected, completions)
    assert exported_count >= least


@pytest.mark.parametrize("form", FORMS)
def test_a_second_expectation_that_is_lost_is_reported(form):
    write, _, _ = FORMS[form]
    call = {"calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]}
    own = case(call, {"prompt_tokens_at_most": 5}, tool_specs=SPECS)
    assert any("prompt_tokens_at_most" in line for line in write(Suite(name="own", cases=(own,))).left_out)
