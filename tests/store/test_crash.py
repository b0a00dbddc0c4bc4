"""A process that is killed loses nothing that it was told is kept."""

import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.crashing import Kept, crash_and_check, missing
from tests.store.examples import SETUP, user
from tests.store.soundness import check_file
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL"), pytest.mark.slow]
TIMES = 20


def test_killed_writers_leave_a_sound_file_and_all_that_was_told(file: Path) -> None:
    assert crash_and_check(f"sqlite:///{file}", lambda: check_file(file), times=TIMES) > TIMES


@pytest.mark.postgres
def test_killed_writers_leave_all_that_was_told_on_a_server(fresh: str) -> None:
    assert crash_and_check(fresh, lambda: None, times=TIMES // 4) > TIMES // 4


def test_what_is_not_there_would_be_seen(url: str) -> None:
    with closing(Store(url)) as store:
        owned = store.of(LOCAL_OWNER)
        session = owned.sessions.create_session(SETUP)
        there = owned.sessions.append(session.id, user("there"), parent_id=None)
        told = [Kept(0, session.id, there.id, "there"), Kept(0, session.id, "gone", "gone")]
        assert missing(owned, told) == [told[1]]
