"""The recipes for a command and for a setting, followed in a copy of the checkout."""

from collections.abc import Callable

import pytest

from tests.recipes.checkout_copy import CheckoutCopy

pytestmark = [pytest.mark.slow, pytest.mark.long]

COMMAND = '''"""`workbench shout`: write a text in capitals."""

from typing import Annotated

import typer

from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line


def shout(text: Annotated[str, typer.Argument(help="The text")], as_json: JsonOption = False) -> None:
    """Write a text in capitals."""
    if as_json:
        write_json_line({"text": text.upper()})
    else:
        print(text.upper())
'''
LISTED = """    "shout": CliCommand("workbench.cli.shout", "Write a text in capitals."),
"""
SECTION = """## `workbench shout`

Writes a text in capitals. `--json` prints `{"text"}`.

"""
SETTING = """    greeting: str = setting("WORKBENCH_GREETING", "Hello", parse_text, "First words of the page")
"""
ROW = """| `WORKBENCH_GREETING` | `Hello` | First words of the page |
"""
USED = """
from workbench.settings import read_settings

print(read_settings({}).greeting, read_settings({"WORKBENCH_GREETING": "Ahoy"}).greeting)
"""


def test_a_command(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("A command")
    copy.write("workbench/cli/shout.py", COMMAND)
    copy.insert("workbench/cli/app.py", LISTED, before='    "doctor": CliCommand')
    copy.insert("docs/reference/cli.md", SECTION, before="## `workbench doctor`\n")
    step = "- {name: shout, run: [shout, hello, --json], data: json}\n"
    copy.insert("tests/golden/cli/steps.yaml", step, before="- {name: render, run")
    copy.insert(
        "tests/security/test_local_code.py", '    "shout": ["hello"],\n', before='    "auth hash": ["ann"],'
    )
    assert copy.python("-m", "workbench", "shout", "hello") == "HELLO\n"
    tests = ("tests/cli/test_help.py", "tests/docs/test_docs.py", "tests/cli/test_recorded.py")
    assert copy.run_tests(*tests, "-k", "every_command") >= 2


def test_a_setting(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("A setting")
    copy.insert("workbench/settings/value.py", SETTING, before="    host: str = setting(")
    copy.insert("docs/reference/settings.md", ROW, before="| `WORKBENCH_HOST`")
    assert copy.python("-c", USED) == "Hello Ahoy\n"
    assert copy.run_tests("tests/test_settings.py", "tests/docs/test_docs.py", "-k", "settings") > 20
