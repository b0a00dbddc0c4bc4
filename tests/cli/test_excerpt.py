"""An excerpt shows one line of a text and marks a span with carets."""

import pytest

from workbench.chat.finding import Span
from workbench.cli.terminal.paint import WIDTH, excerpt


@pytest.mark.parametrize(
    ("text", "span", "line", "carets"),
    [
        ("abc", Span(1, 2), "abc", " ^"),
        ("abc", Span(1, 3), "abc", " ^^"),
        ("abc", Span(3, 3), "abc", "   ^"),
        ("", Span(0, 0), "", "^"),
        ("a\nbc\nd", Span(2, 3), "bc", "^"),
        ("a\nbc", Span(1, 2), "a", " ^"),
        ("ab\ncd", Span(1, 5), "ab", " ^"),
        ("東京x", Span(2, 3), "東京x", "    ^"),
        ("e\u0301x", Span(2, 3), "e\u0301x", " ^"),
        ("a\tb", Span(2, 3), "a␉b", "  ^"),
        ("\x1b[0m", Span(0, 1), "␛[0m", "^"),
    ],
)
def test_carets_mark_the_columns_of_the_span(text, span, line, carets):
    assert excerpt(text, span) == (line, carets)


def test_a_long_line_is_cut_at_both_ends():
    text = "x" * 1000
    line, carets = excerpt(text, Span(500, 503))
    assert line[0] == line[-1] == "…"
    assert len(line) <= WIDTH + 2
    assert (carets.count("^"), carets.index("^")) == (3, 41)


def test_a_span_longer_than_the_excerpt_is_marked_to_the_end_of_the_excerpt():
    line, carets = excerpt("y" * 500, Span(0, 400))
    assert carets == "^" * WIDTH
    assert line == "y" * WIDTH + "…"
