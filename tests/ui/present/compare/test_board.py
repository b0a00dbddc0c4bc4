"""Columns side by side: what is shown of each, and in what it differs from the first."""

import pytest

from tests.app.comparisons.comparing import CALL, asked, column, played, script
from tests.services import services_for
from workbench.app.comparisons.opened import find_comparison
from workbench.records.comparisons import Vote, VoteKind
from workbench.rollout.events import PieceArrived
from workbench.ui.present.compare.board import TAIL_CHARS, show_board, show_live
from workbench.ui.present.live import LiveRound
from workbench.ui.tabs.compare.watching import read_comparison, watch

ODD = CALL.replace('"', "'") % "london"
HOSTILE = "<script>alert(1)</script> ${1} <tool_call"


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, CALL % "cairo", "It is 31.") as (services, _):
        yield services


def board_of(services, kept):
    return show_board(read_comparison(services, find_comparison(services, kept.id)))


def test_calls_arguments_answers_and_fixes_have_their_signs(services, tmp_path):
    other = script(tmp_path, "other", ODD + ODD, f"It is 27. {HOSTILE}")
    kept, _ = played(services, asked(services, column(services), column(services, model=other)))
    board = board_of(services, kept)
    first, second = board.turns[0].cells
    assert [one.sign for one in first.calls] == [""]
    assert [one.sign for one in second.calls] == ["≠", "+"] or [one.sign for one in second.calls] == [
        "+",
        "≠",
    ]
    changed = next(one for one in second.calls if one.sign == "≠")
    assert [(one.sign, one.value, one.was) for one in changed.arguments] == [("≠", '"london"', '"cairo"')]
    assert second.told == "≠ A: calls, answer, fixes"
    assert {(one.sign, one.code) for one in second.fixes} >= {("+", "python-literal")}
    assert HOSTILE in "".join(one.text for one in second.text if one.kind != "drop")
    assert [one.name for one in second.figures] == ["prompt", "evaluated", "written", "seconds", "rounds"]
    assert second.figures[2].against.startswith("+")


def test_equal_answers_say_so(services, tmp_path):
    same = script(tmp_path, "same", CALL % "cairo", "It is 31.")
    kept, _ = played(services, asked(services, column(services), column(services, model=same)))
    second = board_of(services, kept).turns[0].cells[1]
    assert (second.told, second.differs, [one.sign for one in second.calls]) == ("= A", False, ["="])
    assert [one.kind for one in second.text] == ["same"]


def test_what_is_missing_or_failed_is_told_in_its_cell(services):
    kept = asked(services, column(services), column(services, model="gone"))
    board = board_of(services, kept)
    assert [one.told for one in board.turns[0].cells] == ["no answer yet"] * 2
    assert (board.note, board.can_go_on, board.turns[0].can_vote) == ("0 of 2 answers", True, False)
    kept, _ = played(services, kept)
    board = board_of(services, kept)
    failed = board.turns[0].cells[1]
    assert (failed.state, failed.told, board.note) == ("failed", "no answer", "2 of 2 answers · 1 not whole")
    assert "gone" in failed.problem


def test_where_the_first_failed_the_others_are_shown_as_they_are(services):
    kept, _ = played(services, asked(services, column(services, model="gone"), column(services)))
    second = board_of(services, kept).turns[0].cells[1]
    assert second.told == "nothing to hold it against"
    assert [one.sign for one in second.calls] == [""]


@pytest.mark.parametrize(
    ("vote", "said"),
    [
        (Vote(turn=0, kind=VoteKind.BEST, column=1), "B is better: kept, and a pair of the dpo export"),
        (Vote(turn=0, kind=VoteKind.TIE), "a tie: kept, and no pair"),
        (Vote(turn=0, kind=VoteKind.BAD), "none is good: kept, and bad answers of the kto export"),
    ],
)
def test_a_vote_says_what_comes_of_it(services, tmp_path, vote, said):
    other = script(tmp_path, "other", "It is 27.")
    kept, _ = played(services, asked(services, column(services), column(services, model=other)))
    services.comparisons.save_vote(kept.id, vote)
    turn = board_of(services, kept).turns[0]
    assert (turn.vote, turn.voted, turn.said) == (vote.kind, vote.column, said)


def test_watching_shows_each_answer_as_it_comes(services, tmp_path):
    other = script(tmp_path, "other", "It is 27.")
    kept = asked(services, column(services), column(services, model=other))
    seen = list(watch(services, read_comparison(services, kept), is_cancelled=lambda: False, token=None))
    assert seen[-1].live.note == "2 of 2 answers"
    boards = [one.board for one in seen if one.board]
    assert [cell.state for cell in boards[-1].turns[0].cells] == ["done", "done"]
    assert all(board.is_running and not board.can_go_on for board in boards)


def test_of_a_long_text_that_is_being_written_the_end_is_shown():
    live = LiveRound(number=1, limit=8)
    live = live.after(PieceArrived(text="x" * 50_000 + "end"), now_s=0.0)
    shown = show_live({1: (2, live)}, column_count=2, turn_count=3, done=3, now_s=1.0)
    text = "".join(piece.text for piece in shown.columns[1].pieces)
    assert len(text) == TAIL_CHARS and text.endswith("end")
    assert shown.columns[1].note.startswith("turn 3 of 3")
    assert (shown.note, shown.share, shown.columns[0].note) == ("3 of 6 answers", 0.5, "–")
