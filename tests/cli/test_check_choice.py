"""`workbench check` chooses and prints findings as ruff does."""

import json

import pytest

from tests.cli.test_check import BAD_CALL, asking, lines
from tests.trajectory.validate.rows import SHAREGPT

TWO = (BAD_CALL, asking("Mail ann@corp.com about {{ city }}"))


@pytest.fixture
def file(tmp_path):
    return lines(tmp_path / "a.jsonl", SHAREGPT, *TWO)


def codes(done):
    return sorted(line.split(" ")[1] for line in done.out.splitlines())


def test_codes_are_selected_and_ignored(run_cli, file):
    check = ("check", file, "--no-near")
    assert codes(run_cli(*check)) == ["call-not-strict", "personal-data", "placeholder"]
    assert codes(run_cli(*check, "--select", "placeholder,personal-data")) == ["personal-data", "placeholder"]
    done = run_cli(*check, "--ignore", "placeholder", "--ignore", "call")
    assert (codes(done), done.code) == (["personal-data"], 0)
    assert "3 rows, 0 errors, 1 warning, 2 ignored" in done.err
    done = run_cli("check", file, "--ignore", "placehodler")
    assert (done.code, "did you mean 'placeholder'" in done.err) == (2, True)


def test_lines_of_the_report_are_an_allow_list(run_cli, file, tmp_path):
    first = run_cli("check", file, "--no-near")
    allowed = tmp_path / "allowed.txt"
    allowed.write_text(f"# checked by hand\n{first.out}{file}:9:1: secret\n")
    done = run_cli("check", file, "--no-near", "--allow", str(allowed))
    assert (done.code, done.out) == (0, "")
    assert "no problems found, 3 ignored" in done.err
    assert f"1 line of {allowed} did not match a finding" in done.err
    allowed.write_text("placeholder  # everywhere\n")
    assert codes(run_cli("check", file, "--no-near", "--allow", str(allowed))) == [
        "call-not-strict",
        "personal-data",
    ]
    allowed.write_text("What is this?\n")
    assert (
        "allowed.txt, line 1: neither a finding nor a code"
        in run_cli("check", file, "--allow", str(allowed)).err
    )


def test_statistics_replace_the_findings(run_cli, file):
    done = run_cli("check", file, "--no-near", "--statistics")
    assert done.code == 1
    assert "1\tplaceholder\ta placeholder that was not replaced by a value" in done.out.splitlines()
    assert len(done.out.splitlines()) == 3


def test_findings_are_annotations_on_github(run_cli, file):
    done = run_cli("check", file, "--no-near", "--output-format", "github")
    assert done.out.splitlines()[0].startswith(f"::error file={file},line=2,title=call-not-strict::only the")
    assert done.code == 1


def test_findings_are_sarif(run_cli, file):
    done = run_cli("check", file, "--no-near", "--output-format", "sarif")
    (run,) = json.loads(done.out)["runs"]
    assert json.loads(done.out)["version"] == "2.1.0"
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {
        result["ruleId"] for result in run["results"]
    }
    location = run["results"][0]["locations"][0]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": file}, "region": {"startLine": 2}}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "/conversations/2/value"}]
    assert [result["level"] for result in run["results"]] == ["error", "error", "warning"]
