"""Every row of the corpus is rendered byte for byte as by the published template of its family."""

import pytest

from tests.hermes.corpus_rows import ROWS, Row, rendered, row_id
from workbench.chat.finding import Severity

EXPECTED_FINDINGS = {
    ("hermes-3", "no_tools"): [],
    ("hermes-3", "preface"): ["tools-not-json", "content-dropped"],
}


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_the_prompt_equals_that_of_the_published_template(row: Row) -> None:
    assert rendered(row).text == row["prompt"]


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_only_the_faults_of_hermes_3_are_reported(row: Row) -> None:
    usual = ["tools-not-json"] if row["family"] == "hermes-3" else []
    expected = EXPECTED_FINDINGS.get((row["family"], row["case"]), usual)
    findings = rendered(row).findings
    assert [finding.code for finding in findings] == expected
    assert all(finding.severity is Severity.WARNING for finding in findings)


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_neutralising_a_clean_conversation_changes_nothing(row: Row) -> None:
    assert rendered(row, neutralise=True) == rendered(row)


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_parts_follow_each_other_and_cover_the_prompt(row: Row) -> None:
    prompt = rendered(row)
    assert "".join(part.span.of(prompt.text) for part in prompt.parts) == prompt.text
    indices = [part.message_index for part in prompt.parts if part.message_index is not None]
    assert indices == list(range(len(row["messages"])))


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_every_mark_is_listed(row: Row) -> None:
    prompt = rendered(row)
    texts = [mark.of(prompt.text) for mark in prompt.marks]
    for mark in ("<|im_start|>", "<|im_end|>", "<tools>", "</tool_call>", "<tool_response>", "<think>"):
        assert texts.count(mark) == prompt.text.count(mark)
