"""Exporting sessions: which ones, in which order, and which are skipped."""

import json

import pytest

from tests.services import services_for
from workbench.app.export import export_sharegpt
from workbench.errors import BadInput


def test_sessions_are_exported_in_the_order_of_their_creation(tmp_path):
    with services_for(tmp_path, "A.", "B.") as (services, play):
        play("One?")
        play("Two?")
        done = export_sharegpt(services)
        rows = [json.loads(line) for line in done.text.splitlines()]
        assert [row["conversations"][1]["value"] for row in rows] == ["One?", "Two?"]
        assert (done.row_count, done.left_out) == (2, ())


def test_a_skipped_session_is_reported_with_the_reason(tmp_path):
    with services_for(tmp_path, "<tool_call>\n{bad}\n</tool_call>", "Good.") as (services, play):
        bad = play("One?")
        play("Two?")
        done = export_sharegpt(services)
        assert done.row_count == 1
        assert done.left_out[0].startswith(f"session {bad}: message 3: 1 call block")


def test_a_single_session_can_be_exported_and_an_unknown_one_is_rejected(tmp_path):
    with services_for(tmp_path, "A.") as (services, play):
        first = play("One?")
        play("Two?")
        assert export_sharegpt(services, [first]).row_count == 1
        with pytest.raises(BadInput, match="no such session"):
            export_sharegpt(services, ["nowhere"])
