"""Writers killed two hundred times on one database."""

from pathlib import Path

import pytest

from tests.store.crashing import crash_and_check
from tests.store.soundness import check_file

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]
TIMES = 200


def test_two_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "workbench.sqlite3"
    assert crash_and_check(f"sqlite:///{file}", lambda: check_file(file), times=TIMES) > TIMES
