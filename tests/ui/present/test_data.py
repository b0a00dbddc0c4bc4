"""Training rows and findings on the pages of the place Data."""

import json
from dataclasses import replace

from tests.records.corpus.sessions import CALL, talk
from tests.services import services_for
from workbench.library.datasets.row_import import RowImported
from workbench.library.datasets.session_export import export_rows
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.facts import DataTotals, FactCount, FactKind
from workbench.records.session_score import ProblemKind, ScoredCompletion, TurnProblem, turn_score
from workbench.ui.present.data import (
    EXPLORING,
    LONGEST_MESSAGE,
    MOST_CHARS,
    cards_of,
    findings_of,
    imported_line,
    show_job,
    show_stored,
    with_scores,
)

HOSTILE = "<b>${alert(1)}</b> <script>"


def export_one(tmp_path, **texts):
    with services_for(tmp_path) as (services, _):
        session_id, path = talk(services, **texts)
        (done,) = export_rows(services.corpus, ExportOptions())
        return session_id, path, done


def test_a_row_is_shown_as_written_with_its_trained_parts_marked(tmp_path):
    _, _, done = export_one(tmp_path, answer=HOSTILE)
    (card,) = cards_of(done)
    assert json.loads(card.json_text) == done.rows[0].row
    trained = [piece.text for piece in card.mask if piece.is_trained]
    assert trained == [f"{CALL}<|im_end|>", f"{HOSTILE}<|im_end|>"]
    assert "".join(piece.text for piece in card.mask).startswith("<|im_start|>system\n")


def test_a_long_row_is_cut_and_shows_the_number_of_missing_characters(tmp_path):
    _, _, done = export_one(tmp_path, answer="x" * 1_000_000)
    (card,) = cards_of(done)
    assert len(card.json_text) == MOST_CHARS
    assert card.more_chars == len(json.dumps(done.rows[0].row, indent=2, ensure_ascii=False)) - MOST_CHARS
    assert sum(len(piece.text) for piece in card.mask) <= MOST_CHARS


def test_a_finding_links_to_its_message(tmp_path):
    session_id, path, done = export_one(tmp_path, call=CALL.replace('"weather"', '"whether"'))
    (line,) = findings_of(done)
    assert (line.word, line.code, line.place) == ("skipped", "undeclared-tool", "Weather in Rome?")
    assert line.link == f"?tab=play&session={session_id}&message={path[2].id}"
    assert line.pointer == "/conversations/2/value"


def test_only_duplicate_and_rejected_rows_of_an_import_get_a_line():
    assert imported_line("a", RowImported(number=1, session_id="s", is_new=True)) is None
    duplicate = imported_line("a", RowImported(number=2, session_id="s"))
    assert (duplicate.place, duplicate.link) == ("a:2", "?tab=play&session=s")
    bad = imported_line("a", RowImported(number=3, problem="x" * 1000))
    assert (bad.tone, len(bad.text)) == ("error", LONGEST_MESSAGE)


def test_a_job_shows_its_progress():
    assert (show_job("Checking", 1, 4, "session").note, show_job("Checking", 1, 4, "session").share) == (
        "1 of 4 sessions",
        0.25,
    )
    assert show_job("Importing", 3, 0, "row").note == "3 rows"


def test_an_empty_preview_shows_what_is_stored():
    totals = DataTotals(conversations=2, rollouts=5, imported=0, completions=9, tool_calls={"get_weather": 4})
    facts = [
        FactCount(group="trailing-comma", kind=FactKind.FIX, count=3, message_count=2),
        FactCount(group="invalid-json", kind=FactKind.FINDING, count=1, message_count=1),
    ]
    view = show_stored(totals, facts)
    assert view.hint == EXPLORING.hint
    figures = {chart.title: {mark.category: mark.y for mark in chart.marks} for chart in view.charts}
    assert figures["Stored"]["suite rollouts"] == 5
    assert (figures["Stored"]["fixes"], figures["Stored"]["findings"]) == (3, 1)
    assert figures["Tool calls by tool"] == {"get_weather": 4}
    assert list(figures["Fixes and findings by code"]) == ["trailing-comma", "invalid-json"]
    completion = ScoredCompletion(
        session_id="s", message_id="m", turn_id="u", model="one", day="2026-11-27", calls=1, tokens=None,
        problems=(TurnProblem(ProblemKind.REPEATED_CALL, "now"),),
    )  # fmt: skip
    score = turn_score("one", [completion])
    scored = with_scores(view, score, [score], [replace(score, group="2026-11-27")])
    figures = {chart.title: {mark.category: mark.y for mark in chart.marks} for chart in scored.charts}
    assert figures["Problems in recorded sessions"]["repeated-call"] == 1
    assert (figures["Problems by model"], figures["Problems by day"]) == ({"one": 1}, {"2026-11-27": 1})
    assert with_scores(view, turn_score("all", []), [], []) == view
    nothing = DataTotals(conversations=0, rollouts=0, imported=0, completions=0, tool_calls={})
    assert show_stored(nothing, []).charts == ()
