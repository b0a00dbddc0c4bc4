"""Twenty thousand malformed and forged events and API calls for a team's server and a Space.

`python -m pytest -m soak tests/soak/test_event_fuzz.py`; FUZZ_EVENTS and FUZZ_SEED change number and seed.
"""

import os
from pathlib import Path

import pytest

from tests.security.event_fuzz import fuzz_server

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

EVENTS = int(os.environ.get("FUZZ_EVENTS", "20000"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))


@pytest.mark.parametrize("is_team", [True, False], ids=["team", "space"])
def test_thousands_of_events_leave_no_traceback_and_leak_nothing(tmp_path: Path, *, is_team: bool) -> None:
    found = fuzz_server(tmp_path / "fuzz", is_team=is_team, count=EVENTS // 2, seed=SEED)
    print(f"\n{'team' if is_team else 'space'}: {found.summary()}")
