"""What is in an imported row comes out of an export in every format, or its loss is reported by name and place."""

import json
from random import Random

import pytest

from tests.library.datasets.test_exporting import bring, write
from tests.records.corpus.sessions import label
from tests.services import services_for
from tests.trajectory.writing.keyed_rows import keyed_row
from tests.trajectory.writing.test_every_key import assert_nothing_is_silent
from workbench.library.datasets.session_export import export_rows
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.label import Verdict
from workbench.trajectory.formats.known import WRITTEN

pytestmark = pytest.mark.slow
CONVERSATIONS = ["openai", "trl", "sharegpt", "hermes-agent", "llamafactory"]
ROWS = 15


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, _):
        yield services


@pytest.mark.parametrize("is_corrected", [False, True])
@pytest.mark.parametrize("form", CONVERSATIONS)
def test_keys_and_masks_of_imported_rows_come_out_or_are_reported(services, tmp_path, form, is_corrected):
    rows = [keyed_row(Random(f"{form} {seed}"), form) for seed in range(ROWS)]
    done = bring(services, write(tmp_path / "rows.jsonl", *(row.fields for row in rows)), form)
    assert [imported.problem for imported in done if not imported.is_new] == []
    by_session = {imported.session_id: row for imported, row in zip(done, rows, strict=True)}
    for session_id in by_session if is_corrected else ():
        answer = services.sessions.path(session_id)[-1]
        text = answer.message.text.replace("answer", "better answer")
        label(services, session_id, answer.id, verdict=Verdict.BAD_ANSWER, correction=text)
    for to in (name for name in WRITTEN if name == "raw" or name in CONVERSATIONS):
        options = ExportOptions(format=to, includes_stale=True)
        results = {one.session_id: one for one in export_rows(services.corpus, options)}
        written = 0
        for session_id, row in by_session.items():
            for result in results[session_id].rows:
                if result.row is None:
                    assert result.obstacles
                    continue
                written += 1
                assert_nothing_is_silent(row, result.row, result.changes, to)
                if result.original is not None:
                    assert json.loads(result.original) == result.row
        assert written >= ROWS * 2 // 3, to
