"""No option that a pure reader may have makes, changes or removes a file: each of them is run in a real folder."""

import shutil
import subprocess
from contextlib import suppress

import pytest

from workbench.toolbox.approval.allowed import detect
from workbench.toolbox.approval.programs import expressions, reading_files
from workbench.toolbox.approval.programs.rule import RuleCondition
from workbench.toolbox.approval.reason import CommandEnvironment

BARE = CommandEnvironment(is_contained=False, root="/home/me/project")
READERS = {
    name: rule
    for name, rule in {**reading_files.RULES, **expressions.RULES}.items()
    if rule.need is RuleCondition.NOTHING and shutil.which(name)
}
ENDLESS = {"-f", "-F", "--follow", "--retry"}
TEXTS = {"jq": [".", "a.txt"], "yq": [".", "a.txt"]}
FILES = {"a.txt": b"b 1\na 2\na 2\n", "b.txt": b"a 2\n", "z.gz": b"\x1f\x8b"}


def options(rule):
    """Yield each option of a rule as the words that a command has."""
    for token in rule.options.split():
        name = token.rstrip("[]=:")
        if token == "-#":
            yield ["-1"]
        elif token.startswith("--"):
            yield [f"{name}=a.txt"] if "=" in token else [name]
        elif token.endswith(":"):
            for letter in name[1:]:
                yield [f"-{letter}", "b.txt"]
                yield [f"-{letter}1"]
        else:
            yield from ([f"-{letter}"] for letter in name[1:])


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", sorted(READERS))
def test_no_option_of_a_reader_changes_a_file(tmp_path, name):
    rule = READERS[name]
    for file, data in FILES.items():
        (tmp_path / file).write_bytes(data)
    before = content(tmp_path)
    operands = TEXTS.get(name, ["a.txt"] if rule.operands.name == "READ" or rule.text_first else [])
    for option in options(rule):
        line = [name, *option, *(["a", *operands] if rule.text_first else operands)]
        is_output = bool(rule.outputs & {option[0][:2], option[0]})
        if option[0] in ENDLESS or is_output:
            assert option[0] in ENDLESS or detect(" ".join(line), BARE).categories, line
            continue
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(
                line,
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=1,
                check=False,
                env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
            )
        assert content(tmp_path) == before, line
