"""Training rows as the Data tab shows them."""

import json

from tests.records.corpus.sessions import CALL, talk
from tests.services import services_for
from workbench.library.datasets.row_import import RowImported
from workbench.library.datasets.session_export import export_rows
from workbench.records.corpus.session_rows import ExportOptions
from workbench.ui.present.data import (
    LONGEST_MESSAGE,
    MOST_CHARS,
    cards_of,
    findings_of,
    imported_line,
    show_job,
)

HOSTILE = "<b>${alert(1)}</b> <script>"


def done_of(tmp_path, **said):
    with services_for(tmp_path) as (services, _):
        session_id, path = talk(services, **said)
        (done,) = export_rows(services.corpus, ExportOptions())
        return session_id, path, done


def test_a_row_is_shown_as_it_stands_in_the_file_with_what_is_trained_told_apart(tmp_path):
    _, _, done = done_of(tmp_path, answer=HOSTILE)
    (card,) = cards_of(done)
    assert json.loads(card.json_text) == done.rows[0].row
    trained = [piece.text for piece in card.mask if piece.is_trained]
    assert trained == [f"{CALL}<|im_end|>", f"{HOSTILE}<|im_end|>"]
    assert "".join(piece.text for piece in card.mask).startswith("<|im_start|>system\n")


def test_a_long_row_is_cut_and_says_by_how_much(tmp_path):
    _, _, done = done_of(tmp_path, answer="x" * 1_000_000)
    (card,) = cards_of(done)
    assert len(card.json_text) == MOST_CHARS
    assert card.more_chars == len(json.dumps(done.rows[0].row, indent=2, ensure_ascii=False)) - MOST_CHARS
    assert sum(len(piece.text) for piece in card.mask) <= MOST_CHARS


def test_a_finding_leads_to_its_message(tmp_path):
    session_id, path, done = done_of(tmp_path, call=CALL.replace('"weather"', '"whether"'))
    (line,) = findings_of(done)
    assert (line.word, line.code, line.place) == ("left out", "undeclared-tool", "Weather in Rome?")
    assert line.link == f"?session={session_id}&message={path[2].id}"
    assert line.pointer == "/conversations/2/value"


def test_what_became_of_a_row_of_a_file_is_told_where_it_matters():
    assert imported_line("a", RowImported(number=1, session_id="s", is_new=True)) is None
    known = imported_line("a", RowImported(number=2, session_id="s"))
    assert (known.place, known.link) == ("a:2", "?session=s")
    bad = imported_line("a", RowImported(number=3, problem="x" * 1000))
    assert (bad.tone, len(bad.text)) == ("error", LONGEST_MESSAGE)


def test_a_job_says_how_far_it_is():
    assert (show_job("Checking", 1, 4, "session").note, show_job("Checking", 1, 4, "session").share) == (
        "1 of 4 sessions",
        0.25,
    )
    assert show_job("Importing", 3, 0, "row").note == "3 rows"
