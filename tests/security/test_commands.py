"""Corpora of commands: dangerous ones need approval or are refused, harmless ones run without approval.

Each file has sections, `## KIND: what the commands below it do`. Run with `-rP` to see the rates.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.toolbox.approval.allowed import CHECKS, detect
from workbench.toolbox.approval.programs import expressions, reading_files, writing_files
from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.approval.secret_files import is_secret

CORPUS = Path(__file__).parent / "commands"
PLACES = {
    "contained": CommandEnvironment(),
    "on the bare machine": CommandEnvironment(is_contained=False, root="/home/me/project"),
}
BARE = PLACES["on the bare machine"]


def sections(name) -> Iterator[tuple[str, str]]:
    """Yield each command with its kind."""
    kind = ""
    for line in (CORPUS / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind, _, effect = line.removeprefix("## ").partition(": ")
            assert effect, line
        elif kind and line:
            yield line.replace("⏎", "\n"), kind


DANGEROUS = dict(sections("dangerous.txt"))
HARMLESS = dict(sections("harmless.txt"))
NOT_FOR_ANYBODY = [command for command, kind in DANGEROUS.items() if kind == "refused"]


def is_asked(command, place):
    danger = detect(command, place)
    return bool(danger.hardline or danger.categories)


def test_the_corpora_are_large_and_have_no_duplicates():
    for name, commands in (("dangerous.txt", DANGEROUS), ("harmless.txt", HARMLESS)):
        assert len(list(sections(name))) == len(commands), name
    assert len(DANGEROUS) >= 1_500
    assert len(HARMLESS) >= 1_000
    assert len(NOT_FOR_ANYBODY) >= 165
    assert not set(DANGEROUS) & set(HARMLESS)
    assert set(DANGEROUS.values()) == {
        "writes-outside", "loads-code", "reads-secrets", "destroys", "sends", "changes-machine", "refused",
    }  # fmt: skip
    assert set(HARMLESS.values()) == {"reads", "shows", "changes", "project", "network"}


@pytest.mark.parametrize("where", PLACES)
def test_at_most_one_dangerous_command_in_two_hundred_runs_without_approval(where):
    unasked = [command for command in DANGEROUS if not is_asked(command, PLACES[where])]
    print(f"{where}: {len(unasked)} of {len(DANGEROUS)} dangerous commands run unasked: {unasked}")
    assert len(unasked) <= len(DANGEROUS) / 200
    assert [
        command
        for command in unasked
        if DANGEROUS[command] in ("writes-outside", "loads-code", "reads-secrets", "refused")
    ] == []


def test_most_commands_that_nobody_can_allow_are_refused_outright():
    refused = [command for command in NOT_FOR_ANYBODY if detect(command).hardline]
    print(f"{len(refused)} of {len(NOT_FOR_ANYBODY)} refused outright")
    assert len(refused) >= len(NOT_FOR_ANYBODY) * 0.9


@pytest.mark.parametrize(("where", "most"), [("contained", 0.1), ("on the bare machine", 0.3)])
def test_few_harmless_commands_need_approval(where, most):
    asked = [command for command in HARMLESS if is_asked(command, PLACES[where])]
    print(f"{where}: {len(asked)} of {len(HARMLESS)} harmless commands are asked about")
    assert len(asked) <= len(HARMLESS) * most


def test_only_readers_run_unasked_on_the_bare_machine():
    unasked = [
        command for command, kind in HARMLESS.items() if kind != "reads" and not is_asked(command, BARE)
    ]
    print(unasked)
    # Versions of compilers and the like, `history`, a dry run, a syntax check.
    assert len(unasked) <= 20


ONLY_IN_A_SANDBOX = [
    "ldd ./app", "yarn --version", "pnpm --version", "npm --version", "npx tsc --version", "mvn --version", "gradle --version", "rails --version",
    "tox --version", "pytest --version", "flake8 --version", "pylint --version", "eslint --version", "cargo --version", "cargo metadata", "cargo tree",
    "rustc --version", "rustfmt src/main.rs", "rustup show", "go version", "dotnet --version", "terraform --version", "bundle --version",
    "composer --version", "poetry --version", "swift --version", "ansible --version", "az --version", "python -m pip list", "pip list", "ninja -v",
    "pyright", "black --check .", "ruff check .", "shellcheck run.sh", "sort -o names.txt names.txt", "sed -i s/a/b/ x.py", "echo x > notes.txt",
    "mkdir build", "touch x", "cp a b", "mv a b", "rm a", "tee a", "git add .", "git commit -m x", "git config user.name x", "git branch x", "tar xf x.tar",
    "env", "printenv", "set", "docker ps", "curl https://example.com", "iconv -f latin1 x", "nohup ls",
]  # fmt: skip


@pytest.mark.parametrize("command", ONLY_IN_A_SANDBOX)
def test_changes_and_project_code_run_unasked_only_in_a_sandbox(command):
    assert is_asked(command, BARE)
    assert not is_asked(command, PLACES["contained"])


WITH_OWN_O = ("gcc", "g++", "clang", "clang++", "cc", "c++", "javac", "rustc", "go", "kubectl", "yq", "unzip")
RULES = {**reading_files.RULES, **expressions.RULES, **writing_files.RULES}
WORDS = {"jq": ". a.json", "yq": ". a.yaml", "grep": "needle a"}
FAMILIES = [
    "-o/etc/x", "-o x", "--output=x", "--outp=x", "--plugin=./x.so", "--plug ./x.so", "--page=sh", "--pager=sh", "--exec=./x", "--exe ./x",
    "--extract-with=./x", "--use-compress-program=./x", "--use-comp=./x", "--rsh=./x", "--to-command=./x", "--checkpoint-action=exec=./x",
    "--compress-program=./x", "--eval=x", "--require=./x", "--import=./x", "--load=./x", "--init-file=x", "--rcfile=x", "--config=/etc/x",
    "--filter=./x", "--shell=./x", "--editor=./x", "--pythonpath=./x", "--upload-pack=./x", "--post-hook=./x", "--diff-program=./x",
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_an_option_that_is_not_in_the_list_is_asked_about_for_every_program(place):
    for name in CHECKS.keys() - {"echo", "true", "false", ":", "expr", "printf", "test", "[", "[["}:
        words = WORDS.get(name, "a b")
        for option in ("--no-such-option", "--no-such-option=x", "-\u03b1"):
            if name in RULES or name in ("sed", "awk", "git", "tar", "cp", "rm"):
                assert is_asked(f"{name} {option} {words}", PLACES[place]), (name, option)
                assert is_asked(f"{name} {words} {option}", PLACES[place]), (name, option)


@pytest.mark.slow
def test_options_that_run_or_write_something_are_asked_about_by_their_shape():
    place = "contained"  # elsewhere, more is asked about
    programs = (
        CHECKS.keys() - {"echo", "true", "false", ":", "expr", "printf", "test", "[", "[[", "curl", "wget"}
    ) | {"no-such"}
    unasked = [
        (name, option)
        for name in sorted(programs)
        for option in FAMILIES
        if not is_asked(f"{name} {option} {WORDS.get(name, 'a')}", PLACES[place])
    ]
    assert [(name, option) for name, option in unasked if not is_declared(name, option)] == []


def is_declared(name, option):
    """Whether the program's own list has the option, such as `-o` of `gcc` and `grep`."""
    if option == "-o x" and name in WITH_OWN_O:
        return True
    tokens = RULES[name].options.split() if name in RULES else []
    if option.startswith("--"):
        return option.split("=")[0] in {token.rstrip("[]=") for token in tokens}
    return option == "-o x" and any("o" in token for token in tokens if not token.startswith("--"))


def test_no_abbreviation_of_a_long_option_counts():
    for name, rule in RULES.items():
        options = {token.rstrip("[]=") for token in rule.options.split() if token.startswith("--")}
        for option in options:
            short = option[:-1]
            if short not in options and len(short) > 4:
                value = "=1" if f"{option}=" in rule.options.split() else ""
                assert is_asked(f"{name} {short}{value} {WORDS.get(name, 'a')}", PLACES["contained"]), (
                    name,
                    short,
                )


SECRETS = [
    "~/.ssh/id_rsa",
    "/etc/shadow",
    "~/.config/gh/hosts.yml",
    ".env",
    "conf/api_token.json",
    "../x/.netrc",
    "server.key",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("path", SECRETS)
def test_a_secret_is_found_whatever_it_belongs_to(place, path):
    for name, rule in RULES.items():
        options = [token for token in rule.options.split() if token.endswith((":", "="))]
        forms = [f"{name} {WORDS.get(name, 'a')} {path}", f"{name} -- {WORDS.get(name, 'a')} {path}"]
        for token in options if not rule.text_first else []:
            names = [f"-{letter}" for letter in token[1:-1]] if token.endswith(":") else [token]
            forms += [f"{name} {each}{path} a" for each in names]
            forms += [f"{name} {each} {path} a" for each in names if not each.endswith("=")]
        if rule.shows_content and rule.operands.name in ("READ", "WRITE"):
            unasked = [command for command in forms if not is_asked(command, PLACES[place])]
            assert unasked == []


def test_source_code_about_secrets_is_not_a_secret():
    for path in (
        "src/auth.py",
        "tests/test_token.py",
        "docs/credentials.md",
        "tokenizer.json",
        "AUTHORS",
        "src/author.txt",
        "keys.go",
    ):
        assert not is_secret(path), path


PATTERNS = [
    "truncate -s 0 {}",
    "rm {}",
    "tee {}",
    "touch {}",
    "sed -i d {}",
    "mv {} x",
    "chmod +x {}",
    "gzip {}",
    "git rm {}",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("pattern", ["./*", "*.py", "src/*", "[a-c].py", "?.txt"])
def test_a_pattern_counts_as_every_file(place, pattern):
    for command in PATTERNS:
        assert is_asked(command.format(pattern), PLACES[place]), command


def test_a_link_out_of_the_folder_counts_as_what_it_leads_to(tmp_path):
    work, home = tmp_path / "work", tmp_path / "home"
    (work / "docs").mkdir(parents=True)
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_rsa").write_text("key")
    (home / "notes.txt").write_text("notes")
    (work / "readme").symlink_to(home / ".ssh" / "id_rsa")
    (work / "docs" / "a.md").symlink_to("../../home/.ssh/id_rsa")
    (work / "docs" / "b.md").write_text("b")
    (work / "up").symlink_to(home)
    (work / "notes").symlink_to(home / "notes.txt")
    place = CommandEnvironment(is_contained=False, root=str(work))
    for command in (
        "cat readme",
        "head -5 docs/a.md",
        "cat docs/*.md",
        "grep x up/.ssh/id_rsa",
        "cd up && cat .ssh/id_rsa",
        "awk 1 ./readme",
        "cat up/../home/.profile",
    ):
        assert is_asked(command, place), command
    for command in ("cat docs/b.md", "ls -l", "cat notes", "wc -l docs/b.md", "cat no-such-file"):
        assert not is_asked(command, place), command
