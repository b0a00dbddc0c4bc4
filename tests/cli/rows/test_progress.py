"""Commands that take a while show how far they are, on standard error."""

import gzip

import pytest

from workbench.cli.terminal import paint
from workbench.cli.terminal.visible import own_code
from workbench.library.datasets.row_files import read_rows


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(paint, "time", clock)
    monkeypatch.setattr(paint, "is_protected", lambda _stream: True)
    return clock


def test_nothing_is_shown_in_the_first_two_seconds(clock, capsys):
    with paint.ProgressLine("rows", lambda: 10) as progress:
        for count in range(10):
            clock.now = count * 0.2
            progress.show(count)
    assert capsys.readouterr().err == ""


def test_a_bar_shows_the_share_and_is_removed_at_the_end(clock, monkeypatch, capsys):
    monkeypatch.setattr(paint, "is_protected", lambda _stream: True)
    with paint.ProgressLine("rows", lambda: 200) as progress:
        clock.now = 4.0
        progress.show(50)
        clock.now = 4.1
        progress.show(60)
    shown = capsys.readouterr().err
    assert "[#####---------------]  25 %  50 of 200 rows, 12/s" in shown
    assert "60 of" not in shown
    assert shown.endswith(f"\r{own_code('K')}")


def test_rows_of_plain_files_are_counted_beforehand(tmp_path):
    plain, packed = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"
    plain.write_text("{}\n" * 5)
    packed.write_bytes(b"\x1f\x8b...")
    assert paint.row_total([str(plain), str(plain)]) == 10
    assert paint.row_total([str(plain), str(packed)]) is None
    assert paint.row_total(["-"]) is None


def test_without_a_terminal_there_is_a_line_every_half_minute(capsys, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(paint, "time", clock)
    with paint.ProgressLine("rows", lambda: 200) as progress:
        for second in range(1, 70):
            clock.now = float(second)
            progress.show(second)
    assert capsys.readouterr().err == (
        "[###-----------------]  15 %  30 of 200 rows, 1/s\n[######--------------]  30 %  60 of 200 rows, 1/s\n"
    )


def test_work_without_a_row_says_so(tmp_path, monkeypatch, capsys):
    """2 GB of blank lines, or a file whose first row takes a minute."""
    monkeypatch.setattr(paint, "_FIRST_S", 0.02)
    monkeypatch.setattr(paint, "_EVERY_S", 0.01)
    monkeypatch.setattr(paint, "is_protected", lambda _stream: True)
    file = tmp_path / "blank.jsonl.gz"
    file.write_bytes(gzip.compress(b"\n" * 1_000_000))
    with paint.ProgressLine("rows", lambda: paint.row_total([str(file)])) as progress:
        for row in read_rows(str(file)):
            progress.show(row.number)
    assert "no rows after 0 s" in capsys.readouterr().err


def test_nothing_is_shown_right_after_something_else_was_printed(clock, monkeypatch, capsys):
    monkeypatch.setattr(paint, "is_protected", lambda _stream: True)
    with paint.ProgressLine("rows") as progress:
        clock.now = 4.0
        progress.hide()
        progress.show(1)
        assert capsys.readouterr().err == ""
        clock.now = 4.3
        progress.show(2)
    assert " rows, 0/s" in capsys.readouterr().err
