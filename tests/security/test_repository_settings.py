"""Outside of a sandbox, a repository whose settings name programs is not used unasked, and no key in them is shown."""

import pytest

from tests.security.test_commands import is_asked
from workbench.toolbox.approval.reason import CommandEnvironment

HARMLESS = '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.org:me/x.git\n\tfetch = +refs/*:refs/*\n[branch "main"]\n\tmerge = refs/heads/main\n'
PROGRAMS = [
    "[diff]\n\texternal = touch x",
    '[diff "x"]\n\ttextconv = touch x',
    '[filter "x"]\n\tclean = touch x',
    "[include]\n\tpath = ../settings",
    "[core]\n\tworktree = ..",
    "[core]\n\tautocrlf = x\\\n[diff]",
    "[core] sshCommand = x",
    "[gpg]\n\tprogram = x",
    "[extensions]\n\tworktreeConfig = true",
]
READERS = [
    "git diff",
    "git status",
    "git log -p",
    "git show HEAD",
    "git blame a.py",
    "git -C sub diff",
    "cd sub && git diff",
]


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    (folder / "sub").mkdir()
    (folder / ".git/config").write_text(HARMLESS)
    return folder


def place(folder, *, is_contained=False):
    return CommandEnvironment(is_contained=is_contained, root=str(folder))


@pytest.mark.parametrize("command", READERS)
def test_git_reads_a_clone_unasked(work, command):
    assert not is_asked(command, place(work))
    assert not is_asked(command, CommandEnvironment(is_contained=False))


@pytest.mark.parametrize("lines", PROGRAMS)
def test_git_is_asked_about_where_settings_name_a_program(work, lines):
    with (work / ".git/config").open("a") as settings:
        settings.write(lines + "\n")
    for command in READERS:
        assert is_asked(command, place(work)), command
        assert not is_asked(command, place(work, is_contained=True)), command
    assert is_asked("git diff", place(work / "sub")), "the repository is above the working folder"
    (work / "sub/.git").mkdir()
    assert is_asked("git diff", place(work / "sub")), "git skips a repository that is damaged"


def test_settings_of_linked_repositories_are_read(work, tmp_path):
    linked = tmp_path / "linked"
    (linked / "deep").mkdir(parents=True)
    (work / ".git/worktrees/linked").mkdir(parents=True)
    (work / ".git/worktrees/linked/commondir").write_text("../..\n")
    (linked / ".git").write_text(f"gitdir: {work}/.git/worktrees/linked\n")
    assert not is_asked("git diff", place(linked))
    (work / ".git/worktrees/linked/config.worktree").write_text(PROGRAMS[0])
    assert is_asked("git diff", place(linked))
    (work / ".git/worktrees/linked/config.worktree").unlink()
    (work / ".git/config").write_text(PROGRAMS[0])
    assert is_asked("git diff", place(linked)) and is_asked("git -C deep diff", place(linked))
    (linked / ".git").unlink()
    (linked / ".git").symlink_to(work / ".git")
    assert is_asked("git diff", place(linked))


@pytest.mark.parametrize("is_contained", [True, False])
@pytest.mark.parametrize(
    "line",
    [
        "url = https://me:secret@example.org/x.git",
        "url = https://ghp_secret@example.org/x.git",
        'url = "ssh://me:secret@example.org/x.git"',
        "pushurl = http://x-token@example.org/x",
    ],
)
def test_git_shows_no_key_of_an_address_unasked(work, line, is_contained):
    shown = ["git config --list", "git config -l", "git remote -v", "git config --get remote.origin.url"]
    shown += ["git remote get-url origin", "git remote show origin"] if not is_contained else []
    for command in shown[:4]:
        assert not is_asked(command, place(work, is_contained=is_contained)), command
    with (work / ".git/config").open("a") as settings:
        settings.write(f'[remote "origin"]\n\t{line}\n')
    for command in shown:
        assert is_asked(command, place(work, is_contained=is_contained)), command


@pytest.mark.parametrize(
    "command",
    ["cat .git/config", "head -5 .git/config", "sed -n 1,9p .git/config", "grep url .git/config", "awk 1 sub/.git/config",
     "tail x/.git/modules/y/config", "cat .git/config.worktree", "git config --list --show-origin -f .git/config"],
)  # fmt: skip
def test_the_file_with_the_settings_is_asked_about(work, command):
    assert is_asked(command, place(work)) and is_asked(command, place(work, is_contained=True))
