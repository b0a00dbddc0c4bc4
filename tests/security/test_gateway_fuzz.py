"""Malformed and forged requests to the gateway are refused in the words of its protocol, and reveal nothing of others."""

from pathlib import Path

import pytest

from tests.security.gateway_fuzz import fuzz_gateway


@pytest.mark.slow
def test_forged_requests_leave_no_traceback_and_leak_nothing(tmp_path: Path) -> None:
    fuzz_gateway(tmp_path, count=200, seed=7)
