"""What a person wrote in place of the model or a tool is counted in the row and in the receipt."""

from tests.records.corpus.sessions import CALL, rows_of, said, talk
from tests.services import services_for
from workbench.library.datasets.export_target import ExportSummary, ExportTarget
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.sessions import MessageOrigin


def edited(services, *messages):
    """Store a session in which a person wrote some messages of the model and of tools."""
    session_id, path = talk(services)
    parent = path[1].id
    said_again = [said(role, text, origin=origin) for role, text, origin in messages]
    services.sessions.append_all(session_id, said_again, parent_id=parent)


def test_edits_and_results_by_hand_are_counted(tmp_path):
    with services_for(tmp_path) as (services, _):
        edited(
            services,
            ("model", CALL, MessageOrigin.MODEL),
            ("tool", '{"sky": "my own"}', MessageOrigin.PERSON),
            ("model", "It is mine.", MessageOrigin.PERSON),
        )
        (row,), obstacles = rows_of(services)
        assert obstacles == []
        assert row["written_by_person"] == {"results": 1, "answers": 1}
        summary = ExportSummary()
        target = ExportTarget(out=str(tmp_path / "rows.jsonl"))
        list(services.datasets.export(services.corpus, ExportOptions(), target, summary))
        assert summary.receipt["export"]["person_messages"] == 2


def test_rows_of_a_model_and_mocks_do_not_have_the_column(tmp_path):
    with services_for(tmp_path) as (services, _):
        talk(services)
        (row,), _ = rows_of(services)
        assert "written_by_person" not in row
