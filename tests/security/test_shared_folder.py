"""In the sandbox, no command leaves something in a shared folder that git runs later outside of it."""

import shutil

import pytest

from tests.security.shared_repository import (
    ATTACKS,
    NEEDS_SANDBOX_AND_GIT,
    SHARED,
    attack,
    git,
    shared,
    use_git,
)
from tests.security.shared_repository import repository as repository  # a fixture
from tests.security.shared_repository import work as work  # a fixture
from workbench.toolbox.approval.allowed import detect
from workbench.toolbox.approval.startup_files import STARTUP_NAMES
from workbench.toolbox.terminal.shared_folder import build_guards

pytestmark = NEEDS_SANDBOX_AND_GIT


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_that_a_command_writes_is_run_by_git_outside(repository, tmp_path, name):
    said = attack(shared(repository), ATTACKS[name])
    use_git(repository, tmp_path / "mark")
    assert not (tmp_path / "mark").exists(), said
    assert "later" in git(repository, "log", "--oneline").stdout, said


@pytest.mark.parametrize("name", ATTACKS)
def test_a_folder_without_a_repository_does_not_get_one(work, tmp_path, name):
    said = attack(shared(work), ATTACKS[name])
    use_git(work, tmp_path / "mark")
    assert not (tmp_path / "mark").exists(), said
    assert list((work / ".git").iterdir()) == []
    assert git(work, "init", "-q").returncode == 0, "the person can still make one"
    use_git(work, tmp_path / "mark")
    assert not (tmp_path / "mark").exists(), said


def test_the_attacks_work_without_protection(repository, tmp_path, monkeypatch):
    """Otherwise the tests above would prove nothing."""
    monkeypatch.setattr(
        "workbench.toolbox.terminal.environments.local.build_guards", lambda *_, **__: ("--dir", "/x")
    )
    for name in ("hooks", "rename", "exchange", "common folder", "git itself", "folder as repository"):
        copied = tmp_path / name.replace(" ", "-")
        shutil.copytree(repository, copied)
        if name == "folder as repository":
            shutil.rmtree(copied / ".git")
        attack(shared(copied), ATTACKS[name])
        use_git(copied, tmp_path / "mark")
        assert (tmp_path / "mark").exists(), name
        (tmp_path / "mark").unlink()


def test_a_linked_worktree_keeps_its_repository(repository, tmp_path):
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "-q", str(linked), "-b", "linked")
    attack(shared(linked), ATTACKS["a file"])
    attack(shared(linked), ATTACKS["rename"])
    use_git(linked, tmp_path / "mark")
    assert not (tmp_path / "mark").exists()
    assert "later" in git(repository, "log", "--oneline", "--all").stdout


def test_a_link_in_place_of_a_repository_is_refused(repository, tmp_path):
    (repository / ".git").rename(tmp_path / "real")
    (repository / ".git").symlink_to(tmp_path / "real")
    with pytest.raises(PermissionError, match="is a link"):
        build_guards(repository, writes_git=False)


def test_a_submodule_keeps_its_place(repository, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty")
    done = git(
        repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "libs/sub"
    )
    assert done.returncode == 0, done.stderr
    git(repository, "commit", "-qm", "submodule")
    run = shared(repository)
    for text in (
        "attempt(os.rename, 'libs', 'l2'); attempt(os.rename, 'libs/sub', 's2'); attempt(os.unlink, 'libs/sub/.git'); attempt(os.unlink, '.gitmodules')",
        "os.makedirs('libs/sub/.git', exist_ok=True) if not os.path.exists('libs/sub/.git') else None; attempt(evil, '.git/modules/libs/sub')",
    ):
        attack(run, text)
    use_git(repository, tmp_path / "mark")
    git(repository / "libs/sub", "status", MARK=str(tmp_path / "mark"))
    assert not (tmp_path / "mark").exists()
    assert (repository / "libs/sub/.git").read_text().startswith("gitdir: ../../.git/modules")


@pytest.mark.parametrize("path", [".husky", "tools/hooks", "missing/hooks"])
def test_the_folder_of_the_hooks_is_protected_wherever_it_is(repository, tmp_path, path):
    git(repository, "config", "core.hooksPath", path)
    if not path.startswith("missing"):
        (repository / path).mkdir(parents=True)
        (repository / path / "note").write_text("note")
    top = path.split("/")[0]
    attack(
        shared(repository),
        f"attempt(os.rename, {top!r}, 'moved'); attempt(os.rename, {path!r}, 'moved2'); os.makedirs({path!r}, exist_ok=True); attempt(lambda: open('{path}/pre-commit', 'w').write('#!/bin/sh\\ntouch \"$MARK\"')); attempt(os.chmod, '{path}/pre-commit', 0o755)",
    )
    use_git(repository, tmp_path / "mark")
    assert not (tmp_path / "mark").exists()


def test_files_that_other_programs_run_are_read_only_and_asked_about(repository):
    kept = {}
    for number, name in enumerate(STARTUP_NAMES):
        path = repository / name
        if number % 2:
            path.write_text("kept")
            kept[name] = path
        else:
            path.mkdir()
            (path / "settings").write_text("kept")
            kept[name] = path / "settings"
    attack(
        shared(repository),
        f"""
for name in {list(STARTUP_NAMES)}:
    attempt(os.rename, name, 'moved')
    attempt(shutil.rmtree, name)
    attempt(os.unlink, name)
    attempt(lambda: open(name, 'w').write('changed'))
    attempt(lambda: open(name + '/settings', 'w').write('changed'))
    attempt(lambda: open(name + '/tasks.json', 'w').write('new'))
""",
    )
    assert all(path.read_text() == "kept" for path in kept.values())
    assert not list(repository.rglob("tasks.json"))
    for name in STARTUP_NAMES:
        for command in (
            f"echo x > {name}",
            f"cp x {name}/y",
            f"mv x sub/{name}",
            f"tee {name}",
            f"ln -s x {name}",
        ):
            assert detect(command, SHARED).categories, command
