"""Snapshots preserve the database when the machine is replaced."""

import logging
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.services import services_for
from tests.store.examples import SETUP, user
from tests.store.opening import sessions_in
from tests.store.soundness import check_file
from workbench.store.snapshots import KEPT_SNAPSHOTS, Snapshots, periodic_snapshots
from workbench.wiring import open_services


def _store_message(url: str) -> None:
    with sessions_in(url) as store:
        store.append(store.create_session(SETUP).id, user("hi"), parent_id=None)


@pytest.fixture
def bucket(tmp_path: Path) -> Path:
    return tmp_path / "bucket"


def test_a_snapshot_is_taken_only_after_changes(url: str, file: Path, bucket: Path) -> None:
    snapshots = Snapshots(file, bucket)
    assert snapshots.take() is None
    _store_message(url)
    first = snapshots.take()
    assert first
    check_file(first)
    assert snapshots.take() is None
    with sessions_in(url) as store:
        store.create_session(SETUP)
        second = snapshots.take()
    assert second
    assert sorted(bucket.iterdir()) == [first, second]


@pytest.mark.slow
def test_the_oldest_snapshots_are_deleted(url: str, file: Path, bucket: Path) -> None:
    taken: list[Path | None] = []
    snapshots = Snapshots(file, bucket)
    for _ in range(KEPT_SNAPSHOTS + 3):
        _store_message(url)
        taken.append(snapshots.take())
    assert sorted(bucket.iterdir()) == taken[3:]


def test_the_newest_valid_snapshot_is_restored(
    url: str, file: Path, bucket: Path, caplog: pytest.LogCaptureFixture
) -> None:
    snapshots = Snapshots(file, bucket)
    taken: list[Path] = []
    for _ in range(3):
        _store_message(url)
        taken += filter(None, [snapshots.take()])
    taken[2].write_bytes(taken[2].read_bytes()[:5000])
    file.unlink()
    assert Snapshots(file, bucket).restore_newest() == taken[1]
    assert f"skipped the damaged snapshot {taken[2]}" in caplog.text
    with sessions_in(url) as store:
        assert len(store.list_sessions()) == 2


def test_an_existing_database_is_not_replaced(url: str, file: Path, bucket: Path) -> None:
    _store_message(url)
    Snapshots(file, bucket).take()
    _store_message(url)
    before = file.read_bytes()
    assert Snapshots(file, bucket).restore_newest() is None
    assert file.read_bytes() == before


def test_snapshots_are_taken_periodically(url: str, file: Path, bucket: Path) -> None:
    with periodic_snapshots(file, bucket, every_s=0.01), sessions_in(url) as store:
        store.create_session(SETUP)
        waiting = threading.Event()
        for _ in range(1000):
            if list(bucket.glob("*.sqlite3")):
                break
            waiting.wait(0.01)
        assert list(bucket.glob("*.sqlite3"))


def test_a_folder_that_cannot_be_written_is_logged(
    url: str, file: Path, bucket: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bucket.write_text("a file in the folder's place")
    with caplog.at_level(logging.WARNING), periodic_snapshots(file, bucket, every_s=60):
        _store_message(url)
    assert "could not take a snapshot" in caplog.text


def test_a_snapshot_at_the_end_is_restored_on_a_new_machine(tmp_path: Path, bucket: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    with services_for(old, "Hello.") as (services, _):
        settings = replace(services.settings, bucket=bucket)
    with open_services(settings) as services:
        session = services.sessions.create_session(SETUP)
        services.sessions.append(session.id, user("hi"), parent_id=None)
    url = settings.database_url.replace(str(old), str(new))
    with open_services(replace(settings, database_url=url)) as services:
        (found,) = services.sessions.list_sessions()
        assert found.id == session.id
