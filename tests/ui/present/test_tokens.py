"""Tokens: each text is whole in them, and what is not known is said."""

from tests.services import services_for
from workbench.app.token_sheet import SheetToken, TokenSheet, sheet_tokens
from workbench.chat.finding import Span
from workbench.rollout.ports import EmittedToken
from workbench.trajectory.mask import Token
from workbench.ui.present.conversation import read_path
from workbench.ui.present.raw import section_spans, show_round, with_sizes
from workbench.ui.present.session import family_of
from workbench.ui.present.tokens import MOST_TOKENS, ask_tokens, show_tokens, show_told_tokens


def shown(tmp_path, completion="Hello."):
    with services_for(tmp_path, completion) as (services, play):
        session = services.sessions.find_session(play("Hi"))
        path = services.sessions.path(session.id)
        (one,) = read_path(path, session.setup.offered_tools())
        return one, show_round(path, one, family=family_of(session.setup))


def sheet(one, size=3, **changes):
    prompt = one.kept.generation.prompt_text
    pieces = tuple(
        Token(number, Span(start, min(start + size, len(prompt))))
        for number, start in enumerate(range(0, len(prompt), size))
    )
    words = (SheetToken(id=7, text="He"), SheetToken(id=8, text="llo."))
    made = {"is_as_written": True, "is_writer": True, "model": "tiny", "context_tokens": 2048}
    return TokenSheet(prompt=pieces, completion=words, **{**made, **changes})


def text_of(section):
    return "".join(cell.text for cell in section.cells)


def test_every_section_holds_its_text_and_the_gauge_counts_them_all(tmp_path):
    one, raw = shown(tmp_path)
    made = sheet(one)
    view = show_tokens(one, made, raw.sections[:-1])
    assert "".join(map(text_of, view.sections)) == raw.text
    assert [section.is_open for section in view.sections] == [False] * (len(view.sections) - 1) + [True]
    used = len(made.prompt) + 2
    assert view.gauge == f"{used:,} of 2,048 tokens · {2048 - used:,} left"
    assert view.can_weigh and "exact" in view.note


def test_another_vocabulary_is_an_estimate(tmp_path):
    one, raw = shown(tmp_path)
    view = show_tokens(one, sheet(one, is_writer=False, is_as_written=False), raw.sections[:-1])
    assert "an estimate" in view.note and "cut anew" in view.note


def test_weighed_tokens_tell_their_probability(tmp_path):
    one, raw = shown(tmp_path)
    weighed = [EmittedToken(id=7, text="Hello.", logprob=-0.5)]
    view = show_tokens(one, sheet(one), raw.sections[:-1], weighed)
    assert view.sections[-1].cells[0].note == "log-probability -0.500 · 60.7 %"
    assert not view.can_weigh


def test_a_very_long_completion_is_cut_and_says_how_much_is_left(tmp_path):
    one, _ = shown(tmp_path)
    many = tuple(SheetToken(id=1, text="x") for _ in range(MOST_TOKENS + 5))
    made = TokenSheet(
        prompt=(), completion=many, is_as_written=True, is_writer=True, model="tiny", context_tokens=10_000
    )
    section = show_tokens(one, made, ()).sections[-1]
    assert (len(section.cells), section.token_count) == (MOST_TOKENS, MOST_TOKENS + 5)


def test_without_a_tokenizer_it_is_said_and_nothing_invented(tmp_path):
    one, _ = shown(tmp_path)
    view = show_told_tokens(one, "No exact tokens: a reason.")
    assert view.is_known and view.sections == () and view.gauge == ""
    assert view.hint.startswith("No exact tokens: a reason. Its server counted")


def test_before_there_is_a_completion_nothing_is_asked(tmp_path):
    assert ask_tokens(None).message_id == ""
    one, _ = shown(tmp_path)
    assert ask_tokens(one).message_id == one.kept.id and not ask_tokens(one).is_known


def test_a_character_of_two_tokens_counts_to_the_first():
    tokens = [Token(1, Span(0, 1)), Token(2, Span(1, 2)), Token(3, Span(1, 2)), Token(4, Span(2, 3))]
    assert [token.text for token in sheet_tokens(tokens, "aéb")] == ["a", "é", "", "b"]


def test_the_margin_of_the_raw_text_tells_tokens_where_they_can_be_counted(tmp_path):
    _, raw = shown(tmp_path)
    sizes = range(1, len(raw.sections) + 1)
    told = with_sizes(raw, tuple(sizes))
    assert [section.note for section in told.sections][:2] == ["1 token", "2 tokens"]
    assert told.text == raw.text
    assert [section.note for section in with_sizes(raw, None).sections] == [
        section.note for section in raw.sections
    ]
    assert "".join(span.of(raw.text) for span in section_spans(raw)) == raw.text
