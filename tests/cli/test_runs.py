"""`workbench runs` lists, reports, renames, tags, shares, deletes and restores stored runs."""

import json
from contextlib import closing

import pytest

from tests.store.runs.examples import give_run
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store


@pytest.fixture
def run_id(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    with closing(Store(f"sqlite:///{tmp_path / 'data' / 'workbench.sqlite3'}")) as store:
        return give_run(store.of(LOCAL_OWNER)).id


def read(run_cli, *arguments):
    done = run_cli("runs", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_a_run_is_renamed_and_tagged(run_cli, run_id):
    assert read(run_cli, "rename", run_id[:8], "before the fix")["title"] == "before the fix"
    assert read(run_cli, "tag", "last", "nightly", "v2")["tags"] == ["nightly", "v2"]
    assert read(run_cli, "tag", "last", "v2", "--remove")["tags"] == ["nightly"]
    assert [run["id"] for run in read(run_cli, "list", "--tag", "nightly")["runs"]] == [run_id]
    assert read(run_cli, "list", "--tag", "v2") == {"runs": []}
    assert "before the fix [nightly]: 0 passed, 0 errors, 1 of 4 done" in run_cli("runs", "list").out


def test_a_stored_run_is_reported_again(run_cli, run_id, tmp_path):
    done = run_cli("runs", "report", "last", "--junit", str(tmp_path / "r.xml"))
    assert "| short | 0/1" in done.out
    assert 'name="s: short"' in (tmp_path / "r.xml").read_text()
    report = json.loads(run_cli("runs", "report", "last", "--json-out", "-").out)
    assert (report["run"], report["tags"]) == (run_id, {})


def test_a_report_is_shared_until_it_is_stopped(run_cli, run_id):
    link = run_cli("runs", "share", "last").out
    assert link.startswith("http://127.0.0.1:") and "/report/" in link
    assert run_cli("runs", "share", "last").out == link
    assert read(run_cli, "list")["runs"][0]["is_shared"]
    assert run_cli("runs", "share", "last", "--stop").code == 0
    assert not read(run_cli, "list")["runs"][0]["is_shared"]


def test_a_run_is_deleted_and_restored(run_cli, run_id):
    assert f"workbench runs undelete {run_id[:12]}" in run_cli("runs", "delete", "last").out
    assert read(run_cli, "list") == {"runs": []}
    assert [run["id"] for run in read(run_cli, "list", "--deleted")["runs"]] == [run_id]
    assert run_cli("runs", "undelete", run_id[:12]).code == 0
    assert [run["id"] for run in read(run_cli, "list")["runs"]] == [run_id]
    done = run_cli("runs", "undelete", run_id[:12])
    assert (done.code, "no such deleted run" in done.err) == (2, True)
