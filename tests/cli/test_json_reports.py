"""Commands that write files report with `--json` what they wrote."""

import json
from functools import partial

import pytest

from tests.cli.recorded import GOLDEN
from tests.library.datasets.hub_server import serving_hub
from workbench.library.datasets.hub_push import push_files

ROWS = GOLDEN / "inputs/rows.jsonl"


def test_synth_reports_the_file_and_its_rows(run_cli, tmp_path):
    out = tmp_path / "rows.jsonl"
    done = run_cli("synth", "--count", "2", "--out", out, "--contract", "minimal", "--json")
    assert json.loads(done.out) == {"rows": 2, "file": str(out)}
    assert len(out.read_text().splitlines()) == 2


def test_synth_refuses_rows_and_report_on_the_same_output(run_cli):
    done = run_cli("synth", "--count", "2", "--out", "-", "--json")
    assert (done.code, done.out) == (2, "")
    assert "--json: the rows already go to standard output" in done.err


def test_a_receipt_is_written_and_printed(run_cli, tmp_path):
    out = tmp_path / "receipt.json"
    done = run_cli("receipt", ROWS, "--out", out, "--json")
    assert json.loads(done.out) == json.loads(out.read_text()) == json.loads(run_cli("receipt", ROWS).out)
    assert len(done.out.splitlines()) == 1


def test_a_trial_of_push_reports_card_and_receipt(run_cli):
    options = ("--repo", "ann/rows", "--licence", "mit", "--dry-run")
    report = json.loads(run_cli("push", ROWS, *options, "--json").out)
    assert (report["url"], report["files"]) == (None, [])
    assert report["card"] == run_cli("push", ROWS, *options).out
    assert report["receipt"] == json.loads(run_cli("receipt", ROWS).out)


@pytest.mark.parametrize("option", ["--json", "--json-out=-"])
def test_a_run_prints_its_report_as_json(workbench, option):
    model = f"scripted:{GOLDEN / 'inputs/suite_model.yaml'}"
    done = workbench("run", GOLDEN / "inputs/own.yaml", "--model", model, "--at-once", "1", option)
    report = json.loads(done.stdout)
    assert report["title"]
    again = json.loads(workbench("runs", "report", "last", option).stdout)
    assert (again["run"], again["cards"]) == (report["run"], report["cards"])


def test_a_report_cannot_be_printed_and_written(workbench, tmp_path):
    done = workbench("run", "nonsense", "--json", "--json-out", tmp_path / "run.json")
    assert done.returncode == 2
    assert "--json-out writes the same report to a file" in done.stderr


def test_a_refused_push_gives_3_and_the_message_of_the_hub(run_cli, tmp_path, monkeypatch):
    rows = tmp_path / "train.jsonl"
    rows.write_text(
        json.dumps(
            {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
        )
        + "\n"
    )
    with serving_hub("secret") as hub:
        refused = partial(push_files, endpoint=hub.address, token="other")
        monkeypatch.setattr("workbench.library.datasets.hub_push.push_files", refused)
        done = run_cli("push", str(rows), "--repo", "me/set", "--licence", "mit")
    assert (done.code, hub.files) == (3, {})
    assert "repository 'me/set': HTTP 401: Invalid username or password." in done.err
