"""In the sandbox, no command leaves something in a shared folder that git runs later outside of it."""

import os
import shutil
import subprocess
import textwrap

import pytest

from tests.toolbox.terminal.sites import terminal_of
from tests.waiting import await_until
from workbench.toolbox.approval.allowed import detect
from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.approval.startup_files import STARTUP_NAMES
from workbench.toolbox.terminal.environments.local import LocalEnvironment
from workbench.toolbox.terminal.isolation import Isolation, find_isolation, make_base
from workbench.toolbox.terminal.shared_folder import (
    NewRepositories,
    _set_aside,
    build_guards,
    may_write_git,
    runs_only_git,
)

pytestmark = [
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


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


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
def repository(work):
    git(work, "init", "-q", "-b", "main")
    git(work, "config", "user.name", "ann")
    git(work, "config", "user.email", "ann@example.org")
    (work / "a.txt").write_text("a\n")
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    return work


def shared(work, path=os.environ["PATH"]):
    data = work.parent / "data"
    data.mkdir(exist_ok=True)
    environment = LocalEnvironment(
        base=make_base(data, Isolation.SANDBOX), data=data, isolation=Isolation.SANDBOX, shared=str(work)
    )
    terminal = terminal_of(environment, {**os.environ, "PATH": path}, data)
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
    data = repository.parent / "data"
    data.mkdir()
    environment = LocalEnvironment(
        base=make_base(data, Isolation.SANDBOX),
        data=data,
        isolation=Isolation.SANDBOX,
        shared=str(repository),
    )
    terminal = terminal_of(environment, {**os.environ}, data)
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
    data = repository.parent / "data"
    data.mkdir()
    environment = LocalEnvironment(
        base=make_base(data, Isolation.SANDBOX),
        data=data,
        isolation=Isolation.SANDBOX,
        shared=str(repository),
    )
    terminal = terminal_of(environment, {**os.environ}, data)
    evil = "git init -q sub; git -C sub config core.fsmonitor x; touch done; sleep 30"
    started = terminal.run({"command": evil, "background": True}, task_id="t")["process_id"]
    await_until(lambda: (repository / "done").exists())
    assert "renamed" in str(terminal.run({"command": "true"}, task_id="t")["output"])
    assert not (repository / "sub/.git").exists()
    next(repository.glob("sub/.git-set-aside-*")).rename(repository / "sub/.git")
    terminal.process({"action": "kill", "process_id": started}, task_id="t")
    assert not (repository / "sub/.git").exists()
    terminal.close()
