"""The Tokens pane: tokens of every section, and what is shown if they are unknown."""

from tests.services import services_for
from workbench.app.token_sheet import SheetToken, TokenSheet, sheet_tokens
from workbench.chat.finding import Span
from workbench.rollout.ports import EmittedToken
from workbench.trajectory.mask import Token
from workbench.ui.present.conversation import read_path
from workbench.ui.present.raw import section_spans, show_round, with_sizes
from workbench.ui.present.session import family_of
from workbench.ui.present.tokens import MOST_TOKENS, ask_tokens, show_reported_tokens, show_tokens


def shown(tmp_path, completion="Hello."):
    with services_for(tmp_path, completion) as (services, play):
        session = services.sessions.find_session(play("Hi"))
        path = services.sessions.path(session.id)
        (read_round,) = read_path(path, session.setup.offered_tools())
        return read_round, show_round(path, read_round, family=family_of(session.setup))


def sheet(read_round, size=3, **changes):
    prompt = read_round.stored.generation.prompt_text
    pieces = tuple(
        Token(number, Span(start, min(start + size, len(prompt))))
        for number, start in enumerate(range(0, len(prompt), size))
    )
    words = (SheetToken(id=7, text="He"), SheetToken(id=8, text="llo."))
    fields = {"is_as_written": True, "is_writer": True, "model": "tiny", "context_tokens": 2048}
    return TokenSheet(prompt=pieces, completion=words, **{**fields, **changes})


def text_of(section):
    return "".join(cell.text for cell in section.cells)


def test_the_tokens_of_each_section_join_to_its_text_and_the_gauge_counts_all(tmp_path):
    read_round, raw = shown(tmp_path)
    token_sheet = sheet(read_round)
    view = show_tokens(read_round, token_sheet, raw.sections[:-1])
    assert "".join(map(text_of, view.sections)) == raw.text
    assert [section.is_open for section in view.sections] == [False] * (len(view.sections) - 1) + [True]
    used = len(token_sheet.prompt) + 2
    assert view.gauge == f"{used:,} of 2,048 tokens · {2048 - used:,} left"
    assert view.can_compute_logprobs and "Exact" in view.note


def test_another_vocabulary_gives_an_estimate(tmp_path):
    read_round, raw = shown(tmp_path)
    view = show_tokens(read_round, sheet(read_round, is_writer=False, is_as_written=False), raw.sections[:-1])
    assert "Estimate" in view.note and "tokenized again" in view.note


def test_computed_logprobs_are_shown_with_each_token(tmp_path):
    read_round, raw = shown(tmp_path)
    scored = [EmittedToken(id=7, text="Hello.", logprob=-0.5)]
    view = show_tokens(read_round, sheet(read_round), raw.sections[:-1], scored)
    assert view.sections[-1].cells[0].note == "logprob -0.500 · 60.7 %"
    assert not view.can_compute_logprobs


def test_a_very_long_completion_is_cut_and_keeps_its_token_count(tmp_path):
    read_round, _ = shown(tmp_path)
    many = tuple(SheetToken(id=1, text="x") for _ in range(MOST_TOKENS + 5))
    token_sheet = TokenSheet(
        prompt=(), completion=many, is_as_written=True, is_writer=True, model="tiny", context_tokens=10_000
    )
    section = show_tokens(read_round, token_sheet, ()).sections[-1]
    assert (len(section.cells), section.token_count) == (MOST_TOKENS, MOST_TOKENS + 5)


def test_without_a_tokenizer_the_reason_is_shown_and_no_tokens(tmp_path):
    read_round, _ = shown(tmp_path)
    view = show_reported_tokens(read_round, "No exact tokens: a reason.")
    assert view.is_known and view.sections == () and view.gauge == ""
    assert view.hint.startswith("No exact tokens: a reason. The server counted")


def test_without_a_completion_nothing_is_loaded(tmp_path):
    assert ask_tokens(None).message_id == ""
    read_round, _ = shown(tmp_path)
    assert ask_tokens(read_round).message_id == read_round.stored.id and not ask_tokens(read_round).is_known


def test_a_character_of_two_tokens_belongs_to_the_first():
    tokens = [Token(1, Span(0, 1)), Token(2, Span(1, 2)), Token(3, Span(1, 2)), Token(4, Span(2, 3))]
    assert [token.text for token in sheet_tokens(tokens, "aéb")] == ["a", "é", "", "b"]


def test_the_raw_pane_shows_token_counts_if_they_are_known(tmp_path):
    _, raw = shown(tmp_path)
    sizes = range(1, len(raw.sections) + 1)
    with_tokens = with_sizes(raw, tuple(sizes))
    assert [section.note for section in with_tokens.sections][:2] == ["1 token", "2 tokens"]
    assert with_tokens.text == raw.text
    assert [section.note for section in with_sizes(raw, None).sections] == [
        section.note for section in raw.sections
    ]
    assert "".join(span.of(raw.text) for span in section_spans(raw)) == raw.text
