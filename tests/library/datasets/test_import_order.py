"""The rows of a file are labelled in their order, however many transactions their import takes."""

import json
from pathlib import Path

import pytest

from tests.services import services_for
from workbench.label.records.project import QueueFilter
from workbench.library.datasets import row_import
from workbench.library.datasets.row_import import ImportOptions, import_rows


def test_rows_are_labelled_in_the_order_of_their_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_import, "_MOST_ROWS", 2)
    messages = [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": "Hello."}]
    file = tmp_path / "rows.jsonl"
    file.write_text(
        "".join(json.dumps({"messages": messages, "id": f"r{number}"}) + "\n" for number in range(5))
    )
    with services_for(tmp_path, "Fine.") as (services, play):
        before = play("Old?")
        rows = services.datasets.read(str(file), "auto")
        found = list(
            import_rows(services.corpus, rows, services.setup_for(), ImportOptions(file="rows.jsonl"))
        )
        after = play("New?")
        queue = [item.session_id for item in services.label_queues.queue(QueueFilter()).items]
        assert queue == [after, *(row.session_id for row in found), before]
        assert services.label_queues.next_open(QueueFilter(), after=after) == found[0].session_id
