"""Each test can fail, fits on a few screens, and is collected without the programs that only some tests need."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
MOST_LINES = 400
CHANGING = {
    "gzip.compress",
    "time.time",
    "time.monotonic",
    "datetime.now",
    "uuid4",
    "random.random",
    "tempfile.mkdtemp",
}
"""Functions whose results differ between processes. With `mtime`, gzip's do not."""
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
ASSERTING = frozenset({"raises", "warns", "fail", "expect"})
"""Functions of pytest and Playwright that fail."""
RAISES_ONLY = frozenset(
    {
        "test_other_values_are_accepted",
        "test_file_names_are_valid_names",
        "test_words_are_valid_tags",
        "test_settings_that_are_safe_are_accepted",
        "test_no_module_imports_itself_through_others",
    }
)
"""Tests that pass if nothing raises an exception, and that say so in their name or a comment."""


@cache
def functions() -> list[tuple[Path, FUNCTIONS]]:
    files = sorted((CHECKOUT / "tests").rglob("*.py"))
    return [
        (file, node)
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, FUNCTIONS)
    ]


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below this one, without those of functions and classes in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, FUNCTIONS | ast.Lambda | ast.ClassDef):
            yield child
            yield from own_nodes(child)


def called_names(node: ast.AST) -> set[str]:
    calls = [child.func for child in ast.walk(node) if isinstance(child, ast.Call)]
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}


def can_fail(node: ast.AST) -> bool:
    return any(
        isinstance(child, ast.Assert | ast.Raise)
        or (
            isinstance(child, ast.keyword)
            and child.arg == "check"
            and getattr(child.value, "value", False) is True
        )
        for child in ast.walk(node)
    )


@pytest.mark.slow
def test_every_test_asserts_something() -> None:
    asserting = ASSERTING | {node.name for _, node in functions() if can_fail(node)}
    called = [(node.name, called_names(node)) for _, node in functions()]
    before = 0
    while before != len(asserting):
        before = len(asserting)
        asserting |= {name for name, names in called if names & asserting}
    tests = {node.name for _, node in functions() if node.name.startswith("test_")}
    assert tests - asserting == RAISES_ONLY


def test_no_test_ends_before_its_first_assertion() -> None:
    """A case that returns early counts as passed. Leave it out of the parameters, or use `assume`."""
    early = []
    for file, node in functions():
        nodes = list(own_nodes(node))
        first = min((child.lineno for child in nodes if isinstance(child, ast.Assert)), default=0)
        if node.name.startswith("test_"):
            returns = [child.lineno for child in nodes if isinstance(child, ast.Return)]
            early += [f"{file.name}:{line}" for line in returns if line < first]
    assert early == []


def test_no_assertion_is_true_because_of_its_explanation() -> None:
    """`assert a == b or found` passes whenever something was found; `assert a == b, found` was meant."""
    found = []
    for file, node in functions():
        for child in own_nodes(node):
            if isinstance(child, ast.Assert) and isinstance(child.test, ast.BoolOp):
                last = child.test.values[-1]
                is_either = isinstance(child.test.op, ast.Or)
                if is_either and isinstance(last, ast.Name) and not last.id.startswith(("is_", "has_")):
                    found.append(f"{file.name}:{child.lineno}")
    assert found == []


def test_no_other_file_has_more_lines_than_the_style_allows() -> None:
    files = [
        file
        for folder in ("workbench", "tests", "scripts", "tools_catalog")
        for ending in ("*.py", "*.js", "*.sh")
        for file in (CHECKOUT / folder).rglob(ending)
        if not file.name.endswith(".min.js")
    ]
    lengths = {
        str(file.relative_to(CHECKOUT)): len(file.read_text(encoding="utf-8").splitlines()) for file in files
    }
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


@pytest.mark.slow
def test_tests_are_collected_without_a_driver_of_browsers_and_of_postgresql() -> None:
    code = "import sys; sys.modules |= dict.fromkeys(('psycopg', 'playwright'));"
    code += "import pytest; sys.exit(pytest.main(['--collect-only', '-qq', *sys.argv[1:]]))"
    folders = ["tests/store", "tests/ui/api", "tests/app", "tests/security/test_gate.py"]
    done = subprocess.run(
        [sys.executable, "-c", code, *folders], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_a_wait_of_a_fixed_time_says_why():
    """Others wait for a condition, with `expect`, or with `settle` and `until` of `tests/e2e/waiting.py`."""
    silent: list[str] = []
    for file in sorted((CHECKOUT / "tests").rglob("*.py")):
        lines = file.read_text(encoding="utf-8").splitlines()
        for before, number in zip(["", *lines], range(len(lines)), strict=False):
            is_wait = re.search(r"\w\.wait_for_timeout\(", lines[number])
            if is_wait and "#" not in lines[number] and not before.strip().startswith("#"):
                silent.append(f"{file.relative_to(CHECKOUT)}:{number + 1}")
    assert silent == []


def test_the_cases_of_a_test_are_the_same_in_every_process():
    """pytest-xdist refuses to run tests whose names differ between its processes. gzip writes the time, for example."""
    changing: list[str] = []
    for file, function in functions():
        for call in (node for decorator in function.decorator_list for node in ast.walk(decorator)):
            if not isinstance(call, ast.Call) or any(keyword.arg == "mtime" for keyword in call.keywords):
                continue
            if (name := ast.unparse(call.func)) in CHANGING:
                changing.append(f"{file.relative_to(CHECKOUT)}:{call.lineno}: {name}")
    assert changing == []
