"""A killed process loses nothing that the store has acknowledged."""

import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.crashing import StoredItem, crash_and_check, missing
from tests.store.examples import SETUP, user
from tests.store.soundness import check_file
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL"), pytest.mark.slow]
TIMES = 8
"""How often a writer is killed. `make soak` kills more."""


def test_killed_writers_leave_a_valid_file_with_everything_acknowledged(file: Path) -> None:
    assert crash_and_check(f"sqlite:///{file}", lambda: check_file(file), times=TIMES) > TIMES


@pytest.mark.postgres
def test_killed_writers_leave_everything_acknowledged_on_a_server(fresh: str) -> None:
    assert crash_and_check(fresh, lambda: None, times=TIMES // 4) > TIMES // 4


def test_a_missing_item_is_noticed(url: str) -> None:
    with closing(Store(url)) as store:
        owned = store.of(LOCAL_OWNER)
        session = owned.sessions.create_session(SETUP)
        message = owned.sessions.append(session.id, user("there"), parent_id=None)
        acknowledged = [
            StoredItem(0, session.id, message.id, "there"),
            StoredItem(0, session.id, "gone", "gone"),
        ]
        assert missing(owned, acknowledged) == [acknowledged[1]]
