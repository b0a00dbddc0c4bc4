"""In the sandbox, repositories in subfolders cannot be changed, and a new one that names programs is set aside."""

import pytest

from tests.security.shared_repository import NEEDS_SANDBOX_AND_GIT, attack, git, shared, shared_terminal
from tests.security.shared_repository import repository as repository  # a fixture
from tests.security.shared_repository import work as work  # a fixture
from tests.waiting import await_until
from workbench.toolbox.terminal.shared_folder import NewRepositories, _set_aside

pytestmark = NEEDS_SANDBOX_AND_GIT


NESTED = {
    "settings": "attempt(evil, 'sub/.git')",
    "moved": "attempt(evil, 'sub/.git'); os.rename('sub/.git', 'sub/g'); os.makedirs('deep/er'); os.rename('sub/g', 'deep/er/.git'); os.rename('deep', 'sub/deep')",
    "a file": "subprocess.run(['git', 'init', '-q', '--separate-git-dir', 'plain', 'sub']); attempt(evil, 'plain')",
    "a link": "subprocess.run(['git', 'init', '-q', 'other']); os.rename('other/.git', 'plain'); os.rename('sub/.git', 'g'); os.symlink('../plain', 'sub/.git'); attempt(evil, 'plain')",
    "linked settings": "os.rename('sub/.git/config', 'sub/c'); os.symlink('../c', 'sub/.git/config')",
    "hooks": "open('sub/.git/hooks/post-index-change', 'w').write('#!/bin/sh\\ntouch \"$MARK\"\\n'); os.chmod('sub/.git/hooks/post-index-change', 0o755)",
    "monitor": "subprocess.run(['git', '-C', 'sub', 'config', 'core.fsmonitor', 'touch $MARK'])",
    "closed": "attempt(evil, 'sub/.git'); os.chmod('sub/.git/config', 0); os.chmod('sub', 0o500)",
    "closed hooks": "attempt(evil, 'sub/.git'); os.chmod('sub/.git/hooks', 0); os.chmod('sub/.git/config', 0o600)",
    "other folder": "shutil.copytree('sub/.git', 'g2'); attempt(evil, 'g2'); open('sub/.git/commondir', 'w').write('../../g2')",
}
NEW = "subprocess.run(['git', 'init', '-q', 'sub']); subprocess.run(['git', '-C', 'sub', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x']); "


def add_all(work, mark):
    """Add everything, and look at it again, as editors do."""
    for arguments in (("add", "-A"), ("status",), ("commit", "-qm", "all"), ("diff", "--stat", "HEAD~1")):
        git(work, *arguments, MARK=str(mark))
    for sub in work.rglob(".git"):
        git(sub.parent, "status", MARK=str(mark))


@pytest.mark.parametrize("name", NESTED)
def test_a_new_repository_in_a_subfolder_is_set_aside_if_it_names_programs(repository, tmp_path, name):
    said = attack(shared(repository), NEW + NESTED[name])
    add_all(repository, tmp_path / "mark")
    assert not (tmp_path / "mark").exists(), said
    assert "was renamed to .git-set-aside" in said
    assert list(repository.rglob(".git-set-aside-*"))


def test_new_repositories_would_run_programs_without_protection(repository, tmp_path, monkeypatch):
    monkeypatch.setattr("workbench.toolbox.terminal.shared_folder._is_plain", lambda _git: True)
    attack(shared(repository), NEW + NESTED["settings"])
    add_all(repository, tmp_path / "mark")
    assert (tmp_path / "mark").exists()


def test_a_plain_new_repository_stays_and_later_commands_cannot_change_it(repository, tmp_path):
    run = shared(repository)
    assert "set-aside" not in attack(run, NEW)
    assert (repository / "sub/.git/HEAD").exists()
    for text in (*NESTED.values(), "attempt(shutil.rmtree, 'sub'); attempt(os.rename, 'sub', 's2')"):
        attack(run, text)
    add_all(repository, tmp_path / "mark")
    assert not (tmp_path / "mark").exists()
    assert (repository / "sub/.git/HEAD").exists()


def test_a_repository_of_the_person_in_a_subfolder_cannot_be_changed(repository, tmp_path):
    (repository / "sub").mkdir()
    git(repository / "sub", "init", "-q")
    (repository / "sub/.git/hooks/pre-commit").write_text("#!/bin/sh\n")
    run = shared(repository)
    for text in NESTED.values():
        attack(run, text)
    add_all(repository, tmp_path / "mark")
    assert not (tmp_path / "mark").exists()
    assert (repository / "sub/.git/hooks/pre-commit").exists()


def test_a_link_that_another_command_puts_in_the_way_is_not_followed(repository, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "config", "core.fsmonitor", "x")
    found = NewRepositories(repository)
    found.begin()
    (repository / "sub").symlink_to(other)
    assert "Do not use git there" in _set_aside(repository / "sub/.git", repository)
    assert found.end() == "" and (other / ".git").is_dir()


def test_what_a_command_in_the_background_creates_is_found_when_it_has_ended(repository):
    terminal = shared_terminal(repository)
    evil = "git init -q sub; git -C sub config core.fsmonitor x; touch done; sleep 30"
    started = terminal.run({"command": evil, "background": True}, task_id="t")["process_id"]
    await_until(lambda: (repository / "done").exists())
    assert "renamed" in str(terminal.run({"command": "true"}, task_id="t")["output"])
    assert not (repository / "sub/.git").exists()
    next(repository.glob("sub/.git-set-aside-*")).rename(repository / "sub/.git")
    terminal.process({"action": "kill", "process_id": started}, task_id="t")
    assert not (repository / "sub/.git").exists()
    terminal.close()
