"""Commands that take a while show how far they are, on standard error and only in a terminal."""

import sys

import pytest

from workbench.cli.terminal import paint


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(paint, "time", clock)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    return clock


def test_nothing_is_shown_in_the_first_two_seconds(clock, capsys):
    with paint.ProgressLine("rows", lambda: 10) as progress:
        for count in range(10):
            clock.now = count * 0.2
            progress.show(count)
    assert capsys.readouterr().err == ""


def test_a_bar_shows_the_share_and_is_removed_at_the_end(clock, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with paint.ProgressLine("rows", lambda: 200) as progress:
        clock.now = 4.0
        progress.show(50)
        clock.now = 4.1
        progress.show(60)
    shown = capsys.readouterr().err
    assert "[#####---------------]  25 %  50 of 200 rows, 12/s" in shown
    assert "60 of" not in shown
    assert shown.endswith("\r\x1b[K")


def test_rows_of_plain_files_are_counted_beforehand(tmp_path):
    plain, packed = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"
    plain.write_text("{}\n" * 5)
    packed.write_bytes(b"\x1f\x8b...")
    assert paint.row_total([str(plain), str(plain)]) == 10
    assert paint.row_total([str(plain), str(packed)]) is None
    assert paint.row_total(["-"]) is None


def test_without_a_terminal_there_is_no_progress(capsys, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(paint, "time", clock)
    items = list(paint.with_progress(range(3), "rows"))
    clock.now = 9.0
    assert (items, capsys.readouterr().err) == ([0, 1, 2], "")
