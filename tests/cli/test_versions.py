"""`workbench versions` imports and exports files byte for byte, and never overwrites a change silently."""

import json
import shutil

import pytest

from tests.services import CHECKOUT


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with contracts and tools of its own."""
    for name in ("prompts", "tools_catalog"):
        shutil.copytree(CHECKOUT / name, tmp_path / name)
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def minimal(home):
    return home / "prompts" / "contracts" / "minimal.md"


def read(run_cli, *arguments):
    done = run_cli("versions", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_files_are_the_first_versions(run_cli, home, minimal):
    found = read(run_cli, "list")["versions"]
    assert [(version["kind"], version["name"], version["number"], version["author"]) for version in found] == [
        *(("contract", file.stem, 1, "file") for file in sorted((home / "prompts/contracts").glob("*.md"))),
        *(("suite", file.stem, 1, "file") for file in sorted((home / "prompts/suites").glob("*.yaml"))),
        *(("tools", file.stem, 1, "file") for file in sorted((home / "tools_catalog").glob("*.yaml"))),
    ]  # fmt: skip
    assert run_cli("versions", "show", "minimal").out.encode() == minimal.read_bytes()
    assert "contract:minimal" in run_cli("versions", "list").out


def test_a_changed_file_becomes_a_version_and_an_old_text_is_restored_byte_for_byte(run_cli, minimal):
    read(run_cli, "list")
    first = minimal.read_bytes()
    second = first.replace(b"You can", b"You may") + b"  \r\n\xf0\x9f\xa6\x89"
    minimal.write_bytes(second)
    assert read(run_cli, "show", "minimal")["number"] == 2
    changed = read(run_cli, "diff", "minimal")
    assert (changed["before"], changed["after"]) == ("contract:minimal@v1", "contract:minimal@v2")
    assert "-You can call tools" in changed["diff"] and not changed["is_same_to_a_model"]
    assert "+You may call tools" in run_cli("versions", "diff", "minimal@1", "minimal@2").out
    assert read(run_cli, "restore", "minimal@1", "--message", "back")["message"] == "back"
    assert read(run_cli, "export", "minimal")["files"][0]["is_changed"]
    assert minimal.read_bytes() == first
    assert run_cli("versions", "export", "minimal@2", "--force").code == 0
    assert minimal.read_bytes() == second
    assert len(run_cli("versions", "history", "minimal").out.splitlines()) == 3


def test_a_changed_file_is_overwritten_only_with_force(run_cli, home, minimal):
    file = home / "tools_catalog" / "weather.yaml"
    read(run_cli, "list")
    first = file.read_text()
    file.write_text(first.replace("18", "19"))
    read(run_cli, "restore", "tools:weather@1")
    file.write_text(first.replace("18", "99"))
    refused = run_cli("versions", "export")
    assert refused.code == 2
    assert "tools_catalog/weather.yaml: it was changed" in refused.err
    assert "--force" in refused.err
    assert "99" in file.read_text()
    forced = run_cli("versions", "export", "tools:weather", "--force")
    assert (forced.code, file.read_text()) == (0, first)
    overwritten = forced.err.partition("stored as ")[2].strip()
    assert "99" in run_cli("versions", "show", overwritten).out
    file.write_text(first.replace("18", "77"))
    assert "weather.yaml is already v4" in run_cli("versions", "import", "tools:weather").out
    assert "77" in run_cli("versions", "show", "tools:weather").out


def test_an_empty_home_leaves_the_files_of_the_workbench_alone(run_cli, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    (tmp_path / "home").mkdir()
    shipped = CHECKOUT / "prompts" / "contracts" / "minimal.md"
    before = shipped.read_bytes()
    changed = tmp_path / "home" / "prompts"
    shutil.copytree(CHECKOUT / "prompts", changed)
    (changed / "contracts" / "minimal.md").write_bytes(before + b"more\n")
    assert read(run_cli, "show", "minimal")["number"] == 1
    shutil.rmtree(changed)
    read(run_cli, "restore", "minimal@1")
    done = run_cli("versions", "export", "minimal", "--force")
    assert (done.code, done.out, shipped.read_bytes()) == (2, "", before)
    assert f"copy {CHECKOUT / 'prompts'} to {changed}" in done.err


def test_tools_are_compared_as_json(run_cli, home):
    file = home / "tools_catalog" / "search.yaml"
    read(run_cli, "list")
    file.write_text("# a comment\n" + file.read_text())
    assert run_cli("versions", "diff", "search").out == ""
    assert read(run_cli, "diff", "search")["is_same_to_a_model"]


def test_a_tag_is_moved_used_and_removed(run_cli, minimal, tmp_path):
    read(run_cli, "list")
    minimal.write_text(minimal.read_text() + "more")
    assert read(run_cli, "tag", "minimal@1", "production")["tags"] == ["production"]
    assert read(run_cli, "show", "minimal@production")["number"] == 1
    script = tmp_path / "script.yaml"
    script.write_text("completions: [Hi.]")
    report = run_cli(
        "chat", "hi", "--model", f"scripted:{script}", "--contract", "minimal@production", "--json"
    )
    assert not json.loads(report.out)["messages"][0]["content"].endswith("more")
    report = run_cli("chat", "hi", "--model", f"scripted:{script}", "--json")
    assert json.loads(report.out)["messages"][0]["content"].endswith("more")
    assert read(run_cli, "tag", "minimal@production", "production", "--remove")["tags"] == []
    assert run_cli("versions", "tag", "minimal", "production", "--remove").code == 2


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["show", "nothing"], "version 'nothing': there is no such version"),
        (["show", "minimal@9"], "there is no such version"),
        (["show", "recipe:minimal"], "unknown kind 'recipe'"),
        (["diff", "minimal", "tools:weather"], "of different kinds"),
        (["diff", "a", "b", "c"], "3 versions"),
        (["tag", "minimal", "v7"], "not a valid tag"),
        (["import", "nothing"], "name 'nothing': there is no such file"),
    ],
)
def test_bad_usage_is_reported_in_one_line(run_cli, home, arguments, line):
    done = run_cli("versions", *arguments)
    assert (done.code, done.out) == (2, "")
    assert line in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_a_name_is_duplicated_renamed_deleted_and_restored(run_cli, minimal):
    read(run_cli, "list")
    copy = read(run_cli, "duplicate", "minimal", "short")
    assert (copy["name"], copy["number"], copy["message"]) == ("short", 1, "copied from minimal v1")
    assert run_cli("versions", "show", "short").out.startswith("---\nname: short\n")
    renamed = read(run_cli, "rename", "contract:short", "brief")
    assert (renamed["name"], renamed["number"]) == ("brief", 2)
    assert read(run_cli, "show", "brief@1")["id"] == copy["id"]
    assert run_cli("versions", "show", "short").code == 2
    assert "workbench versions undelete contract:brief" in run_cli("versions", "delete", "brief").out
    assert [entry["name"] for entry in read(run_cli, "deleted")["deleted"]] == ["brief"]
    restored = read(run_cli, "undelete", "brief", "--as", "other")
    assert (restored["name"], restored["number"]) == ("other", 3)
    assert read(run_cli, "deleted") == {"deleted": []}


@pytest.mark.parametrize("action", ["rename", "delete"])
def test_a_name_that_a_file_defines_is_not_changed(run_cli, minimal, action):
    read(run_cli, "list")
    done = run_cli("versions", action, "minimal", *(["other"] if action == "rename" else []))
    assert done.code == 2
    assert f"the file prompts/contracts/minimal.md defines it ({action} the file instead)" in done.err
    assert read(run_cli, "show", "minimal")["number"] == 1


def test_a_taken_name_is_rejected(run_cli, minimal):
    read(run_cli, "list")
    assert "this name is taken" in run_cli("versions", "duplicate", "minimal", "full").err
