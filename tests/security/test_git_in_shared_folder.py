"""In the sandbox, git may write a shared repository if nothing else runs and its settings name no programs."""

import os
import shutil

import pytest

from tests.security.shared_repository import (
    ATTACKS,
    NEEDS_SANDBOX_AND_GIT,
    SHARED,
    attack,
    git,
    shared,
    shared_terminal,
)
from tests.security.shared_repository import repository as repository  # a fixture
from tests.security.shared_repository import work as work  # a fixture
from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.terminal.shared_folder import may_write_git, runs_only_git

pytestmark = NEEDS_SANDBOX_AND_GIT


def test_commands_that_only_run_git_change_the_repository_as_before(repository):
    run = shared(repository)
    run("echo b > b.txt")
    assert "fatal" not in run("git add -A && git commit -qm 'second commit'")
    run("git switch -qc other; git branch")
    run("echo c >> b.txt; rm a.txt")
    assert "b.txt" in run("git status --short")
    run("git stash 2>&1 | tail -1")
    run("git stash pop >/dev/null 2>&1 || true")
    run("git commit -qam third && git tag v1 && git checkout -q main && git merge other")
    log = git(repository, "log", "--oneline", "main").stdout
    assert "second commit" in log and "third" in log
    assert git(repository, "status", "--short").stdout == ""
    assert git(repository, "tag").stdout == "v1\n"
    assert "Read-only file system" in run("python3 -c 'print(1)'; git commit --allow-empty -m mixed 2>&1")


def test_git_may_write_the_repository_only_while_no_other_command_runs(repository):
    terminal = shared_terminal(repository)
    commit = {"command": "git commit -q --allow-empty -m alone 2>&1"}
    other = terminal.run({"command": "sleep 30", "background": True}, task_id="other")["process_id"]
    assert "Read-only file system" in str(terminal.run(commit, task_id="t"))
    terminal.process({"action": "kill", "process_id": other}, task_id="other")
    assert terminal.run(commit, task_id="t")["exit_code"] == 0
    terminal.run({**commit, "background": True}, task_id="t")
    assert "alone" in str(
        terminal.run({"command": "python3 -c 'print(1)'; git log --oneline"}, task_id="other")
    )
    assert git(repository, "log", "--oneline").stdout.count("alone") == 2, "it had ended before"
    terminal.close()


@pytest.mark.parametrize(
    ("command", "is_git"),
    [
        ("git add -A && git commit -m 'a; b'", True),
        ("git add x; git status | git log", True),
        ("git reset --hard", True),
        ("git commit -m x 2>&1 | tail -3", True),
        ("git add x >/dev/null 2>&1 || true; git log | cat", True),
        ("git log > g/commondir", False),
        ("git log | tee g/commondir", False),
        ("git log | sort -o g/commondir", False),
        ("cat x > g/config; git add x", False),
        ("git commit -m x && make", False),
        ('git commit -m "$(python3 x.py)"', False),
        ("git add x > .git/commondir", False),
        ("git -c core.pager=x log", False),
        ("git --git-dir=x status", False),
        ("GIT_DIR=x git status", False),
        ("git -C sub commit -m x", False),
        ("cd sub && git commit -m x", False),
        ("git clone x .git/y", False),
        ("git commit -F .git/x --cleanup=x", False),
        ("git rebase --exec 'sh x' HEAD~1", False),
        ("git diff --output=.git/commondir", False),
        ("git diff --ext-diff", False),
        ("git x", False),
        ("./git add x", False),
        ("git", False),
        ("", False),
        ("git () { python3 x.py; }; git add x", False),
        ("alias git=x; git add x", False),
        ("g=git; $g add x", False),
        ("git add x & git commit", False),
    ],
)
def test_only_commands_of_git_alone_may_write_the_repository(command, is_git):
    assert runs_only_git(command, SHARED) is is_git
    assert not runs_only_git(command, CommandEnvironment(shares_folder=True, folder="sub"))
    assert not runs_only_git(command, CommandEnvironment())


def test_a_program_that_an_earlier_command_planted_does_not_run_where_git_may_write(repository):
    run = shared(repository, f"{repository}/bin:{os.environ['PATH']}")
    attack(
        run,
        "os.makedirs('bin', exist_ok=True); open('bin/git', 'w').write('#!/bin/sh\\ntouch .git/planted\\n'); os.chmod('bin/git', 0o755)",
    )
    attack(run, ATTACKS["user settings"].replace("touch $MARK", "touch .git/planted; cat"))
    attack(run, "open('.gitattributes', 'w').write('* filter=x')")
    run("git add -A && git commit -qm x")
    assert not (repository / ".git/planted").exists()
    assert "x" in git(repository, "log", "--oneline").stdout


@pytest.mark.parametrize(
    "lines",
    [
        '[filter "x"]\nclean = ./clean.sh',
        "[include]\npath = ../settings",
        "[core]\nworktree = ..",
        "[core] editor = ./x",
        "[core]\nautocrlf = x\\\n[filter",
        "[alias]\nst = !x",
        "[extensions]\nworktreeConfig = true",
        "[core]\nattributesFile = a",
        "[commit]\ngpgsign = true",
        '[submodule "x"]\nurl = y',
        '[diff "x"]\ntextconv = y',
        '[merge "x"]\ndriver = y',
    ],
)
def test_a_repository_whose_settings_name_programs_or_files_stays_read_only(repository, lines):
    assert may_write_git(repository)
    with (repository / ".git/config").open("a") as config:
        config.write(f"{lines}\n")
    assert not may_write_git(repository)


def test_nested_repositories_and_linked_ones_are_not_written(repository, work):
    (repository / "sub/deep").mkdir(parents=True)
    git(repository / "sub/deep", "init", "-q")
    assert not may_write_git(repository)
    shutil.rmtree(repository / "sub/deep/.git")
    (repository / "sub/deep/.git").write_text("gitdir: x")
    assert not may_write_git(repository)
    (repository / "sub/deep/.git").unlink()
    assert may_write_git(repository)
    (repository / ".git/commondir").write_text(".")
    assert not may_write_git(repository)
