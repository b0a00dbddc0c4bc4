"""Which log lines of a server count as errors."""

from tests.served import unexpected_errors

TRACEBACK = """Traceback (most recent call last):
  File "a.py", line 1, in one
    two()
    ^^^^^
{}
"""
CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"


def test_each_traceback_in_a_log_is_reported_by_its_last_line() -> None:
    log = (
        "It is running.\n"
        + TRACEBACK.format("ValueError: one")
        + "INFO\n"
        + TRACEBACK.format("a.B: two\nmore")
    )
    assert unexpected_errors(log) == ["ValueError: one", "a.B: two"]
    assert unexpected_errors("") == []


def test_of_chained_exceptions_the_last_is_reported() -> None:
    chain = TRACEBACK.format("KeyError: 1") + CAUSE + TRACEBACK.format("ValueError: one")
    assert unexpected_errors(chain) == ["ValueError: one"]
