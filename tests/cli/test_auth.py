"""`workbench auth hash` prints an account for WORKBENCH_AUTH."""

import io

import pytest

from workbench.app.passwords import is_right
from workbench.cli.auth import hash_account
from workbench.errors import BadInput
from workbench.settings import read_settings


def test_the_setting_accepts_the_printed_line(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(" open sesame\n"))
    hash_account("ann")
    accounts = read_settings({"WORKBENCH_AUTH": capsys.readouterr().out}).accounts
    assert list(accounts) == ["ann"]
    assert is_right(" open sesame", accounts["ann"])


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a,b"])
def test_a_name_that_the_setting_cannot_contain_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="name"):
        hash_account(name)


def test_two_passwords_that_differ_are_refused(monkeypatch) -> None:
    answers = iter(["one", "other"])
    monkeypatch.setattr("sys.stdin", type("Terminal", (), {"isatty": staticmethod(lambda: True)})())
    monkeypatch.setattr("getpass.getpass", lambda _prompt: next(answers))
    with pytest.raises(BadInput, match="differ"):
        hash_account("ann")
