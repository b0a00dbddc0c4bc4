"""Columns side by side, and how each differs from the first."""

from dataclasses import replace

import pytest

from tests.app.comparisons.comparing import CALL, column, create, run_all, script
from tests.services import services_for
from workbench.app.comparisons.opened import find_comparison
from workbench.app.comparisons.running import start_comparison
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


def board_of(services, stored):
    return show_board(read_comparison(services, find_comparison(services, stored.id)))


def test_calls_arguments_answers_and_fixes_have_their_signs(services, tmp_path):
    other = script(tmp_path, "other", ODD + ODD, f"It is 27. {HOSTILE}")
    stored, _ = run_all(services, create(services, column(services), column(services, model=other)))
    board = board_of(services, stored)
    first, second = board.turns[0].cells
    assert [call.sign for call in first.calls] == [""]
    assert [call.sign for call in second.calls] == ["≠", "+"] or [call.sign for call in second.calls] == [
        "+",
        "≠",
    ]
    changed = next(call for call in second.calls if call.sign == "≠")
    assert [(argument.sign, argument.value, argument.was) for argument in changed.arguments] == [
        ("≠", '"london"', '"cairo"')
    ]
    assert second.summary == "≠ A: calls, answer, fixes"
    assert {(fix.sign, fix.code) for fix in second.fixes} >= {("+", "python-literal")}
    assert HOSTILE in "".join(word.text for word in second.text if word.kind != "drop")
    assert [figure.name for figure in second.figures] == [
        "prompt",
        "evaluated",
        "completion",
        "seconds",
        "rounds",
    ]
    assert second.figures[2].against.startswith("+")


def test_counts_that_a_server_does_not_report_are_unknown_and_not_compared(services, tmp_path):
    other = script(tmp_path, "other", CALL % "cairo", "It is 31.")
    stored, _ = run_all(services, create(services, column(services), column(services, model=other)))
    read = read_comparison(services, find_comparison(services, stored.id))
    silent = read.answers[0, 1]
    unknown = replace(silent.figures, prompt_tokens=None, evaluated_tokens=None, written_tokens=None)
    answers = {**read.answers, (0, 1): replace(silent, figures=unknown)}
    second = show_board(replace(read, answers=answers)).turns[0].cells[1]
    assert [(figure.value, figure.against) for figure in second.figures[:3]] == [("–", "")] * 3


def test_equal_answers_are_marked_as_equal(services, tmp_path):
    same = script(tmp_path, "same", CALL % "cairo", "It is 31.")
    stored, _ = run_all(services, create(services, column(services), column(services, model=same)))
    second = board_of(services, stored).turns[0].cells[1]
    assert (second.summary, second.differs, [call.sign for call in second.calls]) == ("= A", False, ["="])
    assert [word.kind for word in second.text] == ["same"]


def test_texts_that_have_little_in_common_are_not_shown_as_a_diff(services, tmp_path):
    other = script(
        tmp_path, "other", CALL % "cairo", "No flumbuster tool said anything; the town is closed, sorry."
    )
    stored, _ = run_all(services, create(services, column(services), column(services, model=other)))
    first, second = board_of(services, stored).turns[0].cells
    assert first.is_alike and not second.is_alike
    plain = "".join(word.text for word in second.text if word.kind != "drop")
    assert plain == "No flumbuster tool said anything; the town is closed, sorry."


def test_missing_and_failed_answers_are_shown_in_their_cell(services):
    stored = create(services, column(services), column(services, model="gone"))
    board = board_of(services, stored)
    assert [cell.summary for cell in board.turns[0].cells] == ["no answer yet"] * 2
    assert (board.note, board.can_resume, board.turns[0].can_vote) == ("0 of 2 answers", True, False)
    stored, _ = run_all(services, stored)
    board = board_of(services, stored)
    failed = board.turns[0].cells[1]
    assert (failed.state, failed.summary, board.note) == (
        "failed",
        "no answer",
        "2 of 2 answers · 1 incomplete",
    )
    assert "gone" in failed.problem


def test_if_the_first_column_failed_the_others_are_not_compared(services):
    stored, _ = run_all(services, create(services, column(services, model="gone"), column(services)))
    second = board_of(services, stored).turns[0].cells[1]
    assert second.summary == "no answer in column A to compare with"
    assert [call.sign for call in second.calls] == [""]


@pytest.mark.parametrize(
    ("vote", "note"),
    [
        (
            Vote(turn=0, kind=VoteKind.BEST, column=1),
            "B is better. Saved as a preference pair for the dpo export.",
        ),
        (Vote(turn=0, kind=VoteKind.TIE), "Tie. Saved, but not exported as a pair."),
        (Vote(turn=0, kind=VoteKind.BAD), "All bad. Saved as bad answers for the kto export."),
    ],
)
def test_a_vote_says_how_it_is_exported(services, tmp_path, vote, note):
    other = script(tmp_path, "other", "It is 27.")
    stored, _ = run_all(services, create(services, column(services), column(services, model=other)))
    services.comparisons.save_vote(stored.id, vote)
    turn = board_of(services, stored).turns[0]
    assert (turn.vote, turn.voted, turn.vote_note) == (vote.kind, vote.column, note)


def test_watching_shows_each_answer_as_it_arrives(services, tmp_path):
    other = script(tmp_path, "other", "It is 27.")
    stored = create(services, column(services), column(services, model=other))
    read = read_comparison(services, stored)
    with start_comparison(services, stored).watched() as batches:
        seen = list(watch(services, read, batches))
    assert seen[-1].live.note == "2 of 2 answers"
    boards = [step.board for step in seen if step.board]
    assert [cell.state for cell in boards[-1].turns[0].cells] == ["done", "done"]
    assert all(board.is_running and not board.can_resume for board in boards)


def test_only_the_end_of_a_long_text_in_progress_is_shown():
    live = LiveRound(number=1, limit=8)
    live = live.after(PieceArrived(text="x" * 50_000 + "end"), now_s=0.0)
    shown = show_live({1: (2, live)}, column_count=2, turn_count=3, done=3, now_s=1.0)
    text = "".join(piece.text for piece in shown.columns[1].pieces)
    assert len(text) == TAIL_CHARS and text.endswith("end")
    assert shown.columns[1].note.startswith("turn 3 of 3")
    assert (shown.note, shown.share, shown.columns[0].note) == ("3 of 6 answers", 0.5, "–")
