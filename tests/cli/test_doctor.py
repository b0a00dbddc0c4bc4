"""`workbench doctor` reports and changes nothing."""

import importlib.util
import json

import pytest

from tests.cli.conftest import CHECKOUT
from workbench.cli import doctor
from workbench.settings import read_settings


def test_it_reports_as_json_and_creates_no_database(run_cli, monkeypatch, tmp_path, script):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "fresh"))
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    monkeypatch.setenv("WORKBENCH_MODEL", script)
    done = run_cli("doctor", "--json")
    checks = {check["subject"]: check for check in json.loads(done.out)["checks"]}
    assert {"python", "packages", "llama.cpp", "model", "data", "database", "terminal", "browser"} <= set(
        checks
    )
    assert checks["database"]["ok"]
    assert "is created at the first start" in checks["database"]["state"]
    assert not list((tmp_path / "fresh").glob("*.sqlite3*"))


@pytest.fixture
def checks(run_cli, monkeypatch, tmp_path, script):
    """Runs `workbench doctor` with settings and returns its exit code and its checks by their subject."""

    def run_doctor(**variables):
        for name, value in {
            "DATA": tmp_path / "data",
            "HOME": CHECKOUT,
            "MODEL": script,
            **variables,
        }.items():
            monkeypatch.setenv(f"WORKBENCH_{name}", str(value))
        done = run_cli("doctor", "--json")
        return done.code, {check["subject"]: check for check in json.loads(done.out)["checks"]}

    return run_doctor


def test_the_data_folder_is_left_as_it_was(checks, tmp_path):
    code, found = checks(DATA=tmp_path / "a" / "b")
    assert (code, found["data"]["ok"]) == (0, True) and not (tmp_path / "a").exists()
    (tmp_path / "a").mkdir()
    assert checks(DATA=tmp_path / "a")[1]["data"]["state"] == str(tmp_path / "a")
    assert list((tmp_path / "a").iterdir()) == []


@pytest.mark.parametrize("folder", ["/proc/x", "/sys/x", "/etc/passwd/x"])
def test_a_data_folder_that_cannot_be_made_is_reported(checks, folder):
    code, found = checks(DATA=folder)
    assert (code, found["data"]["ok"]) == (1, False)
    assert f"{folder} cannot be written: " in found["data"]["state"]


def test_the_database_in_such_a_folder_is_not_called_a_server(run_cli, monkeypatch):
    monkeypatch.setenv("WORKBENCH_DATA", "/proc/x")
    done = run_cli("presets", "list")
    assert (done.code, done.out) == (2, "") and "/proc/x" in done.err
    assert "socket" not in done.err and "writable" in done.err


@pytest.mark.parametrize(
    ("model", "is_ok"),
    [("openai:hermes", True), ("hf-inference:o/n", True), ("embedded", False), ("zerogpu:embedded", False)],
)
def test_llama_cpp_is_needed_for_models_that_it_runs(monkeypatch, model, is_ok):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setenv("WORKBENCH_MODEL", model)
    check = doctor._llama(read_settings())
    assert check.is_ok is is_ok and "llama-cpp-python is not installed" in check.state
