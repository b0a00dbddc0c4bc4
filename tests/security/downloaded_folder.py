"""A person in a downloaded folder who starts commands there."""

import io
import json
import os
import sys

import pytest

from tests.security.hostile_folder import MARK, make_hostile
from workbench.cli.app import run

ROW = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """The file that hostile code writes to. The person has a home folder and no settings."""
    for name in [name for name in os.environ if name.startswith(("WORKBENCH_", "XDG_DATA"))]:
        monkeypatch.delenv(name)
    (tmp_path / "home").mkdir()
    path = tmp_path / "mark"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv(MARK, str(path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch, mark):
    """The downloaded folder, in which the person is."""
    place = tmp_path / "downloaded"
    place.mkdir()
    make_hostile(place)
    (place / "rows.jsonl").write_text((json.dumps(ROW) + "\n") * 3)
    (place / "text.txt").write_text("hello")
    (place / "messages.json").write_text(json.dumps(ROW["messages"]))
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def workbench(monkeypatch, capfd):
    """Runs a command in this process and returns its exit code, output and errors."""

    def run_here(*arguments):
        monkeypatch.setattr(sys, "argv", ["workbench", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"secret\n")))
        with pytest.raises(SystemExit) as ended:
            run()
        return ended.value.code or 0, *capfd.readouterr()

    return run_here
