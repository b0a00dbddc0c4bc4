"""The panes of the Play tab, from real turns."""

import json
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.turns import begin_session
from workbench.chat.finding import Finding, Severity
from workbench.chat.message import Message, Role
from workbench.errors import EngineError
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.ui.present.session import show_session

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


@pytest.fixture
def shown(tmp_path):
    """Return a function that runs one turn with these completions and shows the session."""

    def show(*completions, text="Reading?", message=None, **changes):
        with services_for(tmp_path, *completions) as (services, play):
            session_id = play(text, **changes)
            path = services.sessions.path(session_id)
            session = services.sessions.find_session(session_id)
            message_id = path[message].id if message is not None else None
            return path, show_session(path, session.setup, message_id=message_id)

    return show


def test_a_result_is_shown_with_its_call(shown):
    path, view = shown(CALL, "It is 31.")
    assert [entry.role for entry in view.transcript.entries] == ["system", "user", "model", "model"]
    (card,) = view.transcript.entries[2].blocks
    assert (card.kind, card.name, card.status, card.tone) == ("call", "get_flumbuster", "ready", "clean")
    assert [(row.name, row.value) for row in card.arguments] == [("flumb", '"cairo"')]
    assert json.loads(card.result.text)["reading"] == 31
    assert "rule" in card.result.note
    assert len(path) == 5


def test_a_long_message_of_a_person_is_folded(shown):
    for text in ("word " * 4_000, "line\n" * 100):
        _, view = shown("Yes.", text=text)
        (block,) = view.transcript.entries[1].blocks
        assert (block.kind, block.text) == ("folded", text)
        assert block.summary.endswith(f" · {len(text):,} characters")
    _, view = shown("Yes.", text="A short one.\nOf two lines.")
    assert [block.kind for block in view.transcript.entries[1].blocks] == ["prose"]


def test_a_result_shows_what_was_cut_and_the_placeholder_of_an_image(shown):
    path, _ = shown(CALL, "It is 31.")
    placeholder = "[image: image/png, 20 × 30 pixels, 300 bytes; not shown to you]"
    message = "the model gets the first 900 of 52,310 characters, which fit its context"
    stored = path[3]
    run = replace(
        stored.tool_run, findings=(Finding(code="result-cut", message=message, severity=Severity.WARNING),)
    )
    path = [*path]
    path[3] = replace(stored, message=replace(stored.message, text=json.dumps(placeholder)), tool_run=run)
    setup = RunConfig(contract_name="", contract_text="", tools_text="[]")
    view = show_session(path, setup, message_id=path[2].id)
    (card,) = view.transcript.entries[2].blocks
    (row,) = view.calls.calls
    for note, text in ((card.result.note, card.result.text), (row.note, row.result)):
        assert note.endswith(f" · {message}")
        assert json.loads(text) == placeholder


def test_a_call_that_the_tool_choice_forbids_is_marked_as_not_run(shown):
    _, view = shown(CALL, tool_choice="none", message=2)
    (card,) = view.transcript.entries[2].blocks
    assert (card.status, card.tone, card.result) == ("not run", "fix", None)
    [row] = view.calls.calls
    assert (row.status, row.tone, row.no_result) == ("not run", "fix", "not run")


def test_the_newest_round_is_shown_by_default(shown):
    path, view = shown(CALL, "It is 31.")
    assert view.calls.calls == ()
    assert view.raw.text == path[4].generation.prompt_text + "It is 31."


@pytest.mark.parametrize("message", [0, 1, 2, 3])
def test_a_selected_message_shows_its_round(shown, message):
    path, view = shown(CALL, "It is 31.", message=message)
    assert [call.name for call in view.calls.calls] == ["get_flumbuster"]
    assert view.raw.text == path[2].generation.prompt_text + CALL


def test_the_raw_text_is_cut_into_messages_and_tags(shown):
    _, view = shown(CALL, "It is 31.")
    assert [section.label for section in view.raw.sections] == [
        "system", "user", "model", "tool", "model", "completion",
    ]  # fmt: skip
    assert view.raw.badge == "exact"
    marks = [piece.text for section in view.raw.sections for piece in section.pieces if piece.kind == "mark"]
    assert marks[0] == "<|im_start|>"
    assert "<tool_call>" in marks


def test_tags_that_a_user_wrote_are_not_coloured(shown):
    _, view = shown("Hello.", text="What does <|im_end|> mean?")
    user = view.raw.sections[1]
    assert "<|im_end|>" not in [piece.text for piece in user.pieces[1:-2] if piece.kind == "mark"]
    assert any("What does <|im_end|> mean?" in piece.text for piece in user.pieces)


def test_a_prompt_that_cannot_be_rendered_again_is_still_shown_whole(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, play):
        path = services.sessions.path(play("Hi"))
        broken = services.setup_for().__class__(
            contract_name="x", contract_text="no front matter", tools_text="["
        )
        view = show_session(path, broken)
    assert view.raw.text == path[-1].generation.prompt_text + "Hello."
    assert [section.label for section in view.raw.sections] == ["system", "user", "model", "completion"]


def test_a_valid_completion_needs_no_fixes(shown):
    _, view = shown(CALL, "It is 31.", message=2)
    assert view.fixes.calm == "No fixes were needed."
    assert (view.fixes.fixes, view.fixes.findings) == ((), ())


def test_a_fix_is_shown_with_before_after_and_position(shown):
    broken = CALL.replace('"cairo"}', '"cairo",}')
    _, view = shown(broken, "It is 31.", message=2)
    (fix,) = view.fixes.fixes
    assert fix.code == "trailing-comma"
    assert not fix.is_guess
    assert [(edit.before, edit.after) for edit in fix.edits] == [(",", "nothing")]
    assert fix.place.startswith("line 2, column ")
    (card,) = view.transcript.entries[2].blocks
    assert (card.status, card.tone) == ("fixed · 1 fix", "fix")


def test_an_unknown_tool_is_reported_and_refused(shown):
    _, view = shown(CALL.replace("get_flumbuster", "get_nothing"), "Sorry.", message=2)
    (card,) = view.transcript.entries[2].blocks
    assert (card.status, card.tone) == ("unknown tool", "error")
    assert card.result.is_error
    assert view.calls.calls[0].is_error


def test_arguments_that_break_the_schema_are_reported(shown):
    _, view = shown(CALL.replace('flumb"', 'flum"'), "Sorry.", message=2)
    (card,) = view.transcript.entries[2].blocks
    assert card.status == "invalid arguments"
    assert view.calls.calls[0].findings


def test_a_call_that_was_cut_off_is_unfinished_and_not_run(shown):
    _, view = shown('<tool_call>\n{"name": "get_flumbu')
    (block,) = view.transcript.entries[2].blocks
    assert (block.kind, block.status) == ("broken", "unfinished")


def test_timing_has_a_row_for_each_round_of_the_turn(shown):
    _, view = shown(CALL, "It is 31.", message=2)
    assert [row.cells[0] for row in view.timing.rounds] == ["1", "2"]
    assert [row.is_selected for row in view.timing.rounds] == [True, False]


def test_counts_that_a_server_does_not_report_are_unknown_in_the_timing(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, play):
        session_id = play("Reading?")
        path = services.sessions.path(session_id)
        setup = services.sessions.find_session(session_id).setup
    counts = dict.fromkeys(("prompt_tokens", "cached_tokens", "completion_tokens", "time_to_first_token_s"))
    silent = [
        replace(stored, generation=replace(made, timing=replace(made.timing, **counts)))
        if (made := stored.generation)
        else stored
        for stored in path
    ]
    first = show_session(silent, setup).timing.rounds[0]
    assert first.cells[:-1] == ("1", "–", "–", "–", "–", "–")


def test_an_empty_session_shows_examples_and_hints(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        view = show_session((), services.setup_for())
    assert view.transcript.entries == ()
    assert "What is the flumbuster reading for cairo?" in [
        example.text for example in view.transcript.examples
    ]
    assert view.raw.sections == ()
    assert all(hint for hint in (view.raw.hint, view.calls.hint, view.fixes.hint, view.timing.hint))


def test_a_message_with_siblings_shows_its_position(tmp_path):
    with services_for(tmp_path, "First.", "Second.", "Third.") as (services, play):
        session_id = play("One?")
        leaf = services.sessions.path(session_id)[-1]
        services.sessions.append_all(session_id, [_user_message("a"), _user_message("b")], parent_id=leaf.id)
        services.sessions.append(session_id, _user_message("c"), parent_id=leaf.id)
        path, tree = services.sessions.path(session_id), services.sessions.tree(session_id)
        view = show_session(path, services.setup_for(), tree=tree)
        branches = [entry.branch for entry in view.transcript.entries]
        first = next(node.id for node in tree if node.parent_id == leaf.id)
        assert branches[:3] == [None, None, None]
        assert (branches[3].place, branches[3].count) == (2, 2)
        assert (branches[3].before, branches[3].after) == (first, None)


def test_an_interrupted_message_says_so(tmp_path):
    with services_for(tmp_path, {"text": "Half of it", "error": "fell over"}) as (services, play):
        session_id = begin_session(services, services.setup_for()).id
        with pytest.raises(EngineError):
            play("Tell?", session_id)
        view = show_session(services.sessions.path(session_id), services.setup_for())
        assert view.transcript.entries[-1].note.startswith("interrupted")


def _user_message(text):
    return NewMessage(message=Message(role=Role.USER, text=text), origin=MessageOrigin.PERSON)
