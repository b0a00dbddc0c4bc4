"""Databases of workers: deleted at the end, and by the next worker if theirs was killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from workbench.store.backup.temporary import temporary_database

HELD = """
import time
from workbench.store.backup.temporary import temporary_database
with temporary_database() as url:
    open(url.removeprefix("sqlite:///"), "w").close()
    print(url, flush=True)
    time.sleep(60)
"""


def folder_of(url):
    return Path(url.removeprefix("sqlite:///")).parent


def test_the_database_is_deleted_at_the_end_and_after_its_worker_was_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-c", HELD],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        theirs = folder_of(other.stdout.readline().strip())
        with temporary_database() as url:
            ours = folder_of(url)
            assert ours != theirs
            assert ours.is_dir() and theirs.is_dir()
            assert (theirs / "workbench.sqlite3").exists()
        assert not ours.exists()
        other.send_signal(signal.SIGKILL)
        other.wait()
    assert theirs.is_dir()
    with temporary_database():
        assert not theirs.exists()
    assert list(tmp_path.iterdir()) == []
