"""`workbench doctor` reports and changes nothing."""

import json

from tests.cli.conftest import CHECKOUT


def test_it_reports_as_json_and_creates_no_database(run_cli, monkeypatch, tmp_path, script):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "fresh"))
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    monkeypatch.setenv("WORKBENCH_MODEL", script)
    done = run_cli("doctor", "--json")
    checks = {check["subject"]: check for check in json.loads(done.out)["checks"]}
    assert {"python", "packages", "llama.cpp", "model", "database", "terminal", "browser"} <= set(checks)
    assert checks["database"]["ok"]
    assert "is created at the first start" in checks["database"]["state"]
    assert not list((tmp_path / "fresh").glob("*.sqlite3*"))
