"""A repository in a folder that is shared with the sandbox, and attacks on it from there."""

import os
import shutil
import subprocess
import textwrap

import pytest

from tests.toolbox.terminal.sites import terminal_of
from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.terminal.environments.local import LocalEnvironment
from workbench.toolbox.terminal.isolation import Isolation, find_isolation, make_base

NEEDS_SANDBOX_AND_GIT = [
    pytest.mark.skipif(find_isolation() is not Isolation.SANDBOX, reason="Bubblewrap does not work here"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
SHARED = CommandEnvironment(is_contained=True, root="/p", shares_folder=True)
EVIL_CONFIG = """
def evil(folder):
    os.makedirs(folder + '/hooks', exist_ok=True)
    for name in ('pre-commit', 'post-checkout', 'reference-transaction', 'post-index-change'):
        with open(folder + '/hooks/' + name, 'w') as hook:
            hook.write('#!/bin/sh\\ntouch "$MARK"\\n')
        os.chmod(folder + '/hooks/' + name, 0o755)
    with open(folder + '/config', 'a') as config:
        config.write('[core]\\nfsmonitor = "touch $MARK; false"\\n[alias]\\nst = "!touch $MARK"\\n')
        config.write('[filter "x"]\\nclean = "touch $MARK; cat"\\n[diff]\\nexternal = "touch $MARK"\\n')

def attempt(work, *arguments):
    try:
        work(*arguments)
    except OSError as error:
        print(error)
"""
ATTACKS = {
    "hooks": "attempt(evil, '.git')",
    "rename": "attempt(os.rename, '.git', 'g2'); attempt(shutil.copytree, '.git' if os.path.exists('.git') else 'g2', 'new'); attempt(os.rename, 'new', '.git'); attempt(evil, '.git')",
    "exchange": "shutil.copytree('.git', 'new') if os.path.isdir('.git') else os.mkdir('new'); evil('new'); attempt(shutil.rmtree, '.git'); attempt(os.rename, 'new', '.git'); attempt(os.replace, 'new', '.git')",
    "common folder": "shutil.copytree('.git', 'new') if os.path.isdir('.git') else os.mkdir('new'); evil('new'); attempt(lambda: open('.git/commondir', 'w').write('../new'))",
    "invalid": "attempt(os.chmod, '.git', 0); attempt(os.unlink, '.git/HEAD'); attempt(os.rename, '.git/refs', '.git/r2'); attempt(os.chmod, '.git/objects', 0)",
    "links": "attempt(os.symlink, '.git', 'g'); attempt(os.link, '.git/config', 'c'); attempt(lambda: open('c', 'a').write('[core]\\nfsmonitor = touch $MARK\\n')); attempt(evil, 'g')",
    "worktree settings": "attempt(lambda: open('.git/config.worktree', 'w').write('[core]\\nfsmonitor = touch $MARK\\n')); attempt(os.makedirs, '.git/worktrees/x'); attempt(os.makedirs, '.git/modules/x/hooks')",
    "git itself": "subprocess.run(['git', 'config', 'core.fsmonitor', 'touch $MARK']); subprocess.run(['git', 'config', 'core.hooksPath', 'h']); os.makedirs('h', exist_ok=True); open('h/pre-commit','w').write('#!/bin/sh\\ntouch \"$MARK\"\\n'); os.chmod('h/pre-commit', 0o755); subprocess.run(['git', 'init', '.']); subprocess.run(['git', 'init', '--separate-git-dir', 'sep'])",
    "folder as repository": "subprocess.run(['git', 'init', '-q', '--bare', '/tmp/bare']); [attempt(shutil.move, '/tmp/bare/' + name, name) for name in os.listdir('/tmp/bare')]; attempt(lambda: open('HEAD', 'w').write('ref: refs/heads/main\\n')); attempt(lambda: open('config', 'w').write('[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = .\\nhooksPath = hooks\\n[user]\\nname = a\\nemail = a@b\\n')); attempt(evil, '.')",
    "unfinished rebase": "attempt(os.mkdir, '.git/rebase-merge'); attempt(lambda: open('.git/rebase-merge/git-rebase-todo', 'w').write('exec touch $MARK'))",
    "a file": "attempt(shutil.rmtree, '.git'); attempt(os.unlink, '.git'); os.makedirs('new', exist_ok=True); evil('new'); attempt(lambda: open('.git', 'w').write('gitdir: new'))",
    "attributes": "open('sub.txt', 'w').write('x'); attempt(lambda: open('.gitattributes', 'w').write('* filter=x diff=x')); subprocess.run(['git', 'add', '.'])",
    "user settings": "open(os.path.expanduser('~/.gitconfig'), 'w').write('[filter \"x\"]\\nclean = touch $MARK\\n[core]\\nattributesFile = a\\n'); open('a', 'w').write('* filter=x')",
}


def git(work, *arguments, **variables):
    settings = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(work.parent)}
    return subprocess.run(
        ["git", *arguments],
        cwd=work,
        env={"PATH": os.environ["PATH"], **settings, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def work(tmp_path):
    """An empty folder of a project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def repository(work):
    """A folder that is a repository with one commit."""
    git(work, "init", "-q", "-b", "main")
    git(work, "config", "user.name", "ann")
    git(work, "config", "user.email", "ann@example.org")
    (work / "a.txt").write_text("a\n")
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    return work


def shared_terminal(work, path=os.environ["PATH"]):
    """Return a terminal whose sandbox shares a folder."""
    data = work.parent / "data"
    data.mkdir(exist_ok=True)
    environment = LocalEnvironment(
        base=make_base(data, Isolation.SANDBOX), data=data, isolation=Isolation.SANDBOX, shared=str(work)
    )
    return terminal_of(environment, {**os.environ, "PATH": path}, data)


def shared(work, path=os.environ["PATH"]):
    terminal = shared_terminal(work, path)
    return lambda command: str(terminal.run({"command": command}, task_id="t")["output"])


def attack(run, text):
    code = textwrap.dedent("import os, shutil, subprocess\n" + EVIL_CONFIG) + text.replace("; ", "\n")
    return run(f"cat > x.py <<'END'\n{code}\nEND\npython3 x.py 2>&1; rm -f x.py")


def use_git(work, mark):
    """Do what a person does, or what an editor does for them."""
    (work / "later.txt").write_text("later")
    for arguments in (
        ("status",),
        ("add", "later.txt"),
        ("diff", "--cached"),
        ("commit", "-qm", "later"),
        ("checkout", "-q", "-b", f"b{mark.parent.name[-4:]}"),
        ("stash",),
        ("log", "-1"),
    ):
        git(work, *arguments, MARK=str(mark))
