"""Twenty thousand malformed and forged requests for a gateway.

`python -m pytest -m soak tests/soak/test_gateway_fuzz.py`; FUZZ_REQUESTS and FUZZ_SEED change number and seed.
"""

import os
from pathlib import Path

import pytest

from tests.security.gateway_fuzz import fuzz_gateway

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

REQUESTS = int(os.environ.get("FUZZ_REQUESTS", "20000"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))


def test_thousands_of_requests_leave_no_traceback_and_leak_nothing(tmp_path: Path) -> None:
    found = fuzz_gateway(tmp_path, count=REQUESTS, seed=SEED)
    print(f"\ngateway: {found.summary()}")
