"""The recipe for an API function, followed in a copy of the checkout."""

from collections.abc import Callable

import pytest

from tests.recipes.checkout_copy import CheckoutCopy

pytestmark = [pytest.mark.slow, pytest.mark.long]

FUNCTION = '''    def tools(self) -> str:
        """List the names of all tools that a model can be offered, in the toolsets of the caller.

        Returns:
            JSON with `tools`: the names in alphabetical order.
        """
        toolsets = self.services.tools.toolsets().values()
        return as_text({"tools": sorted({spec.name for tools in toolsets for spec in tools.specs})})

'''
TEST = '''"""The API function for the names of tools."""

import json

from tests.services import services_for
from workbench.app.api.functions import ApiFunctions


def test_the_names_of_tools_are_listed(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        assert "get_flumbuster" in json.loads(ApiFunctions(services).tools())["tools"]
'''


def test_an_api_function(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("An API function")
    api = "workbench/app/api/functions.py"
    copy.insert(api, FUNCTION, before="    def _reported")
    copy.insert(api, '    "tools": Permission.WORK,\n', before='    "export": Permission')
    copy.insert(
        "docs/how-to/use-the-api.md", "| `tools` | lists the names of all tools |\n", before="| `export` |"
    )
    copy.insert("README.md", ", tools", before=" and export.")
    copy.write("tests/ui/api/test_tools.py", TEST)
    copy.rewrite("tests/golden/api.json", "tests/ui/test_page.py", "-k", "recorded")
    tests = (
        "tests/ui/api/test_tools.py",
        "tests/ui/test_page.py",
        "tests/app/test_agents.py",
        "tests/docs/test_declarations.py",
    )
    assert copy.run_tests(*tests, "-k", "tools or api or agent_finds or functions") > 4
