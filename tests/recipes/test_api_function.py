"""The recipe for an API function, followed in a copy of the checkout."""

from collections.abc import Callable

import pytest

from tests.recipes.checkout_copy import CheckoutCopy

pytestmark = [pytest.mark.slow, pytest.mark.long]

FUNCTION = '''    @needs(Permission.WORK)
    def tools(self, request: gr.Request) -> str:
        """List the names of all tools that a model can be offered, in the toolsets of the caller.

        Returns:
            JSON with `tools`: the names in alphabetical order.
        """
        with errors_to_caller():
            toolsets = self._of(request).tools.toolsets().values()
            return as_text({"tools": sorted({spec.name for tools in toolsets for spec in tools.specs})})

'''
TEST = '''"""The API function for the names of tools."""

import json

from tests.services import services_for
from workbench.ui.api import ApiFunctions
from workbench.ui.tabs.tab_work import TabWork


def test_the_names_of_tools_are_listed(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        functions = ApiFunctions(services, TabWork(), services_of=lambda _request: services)
        assert "get_flumbuster" in json.loads(functions.tools(None))["tools"]
'''


def test_an_api_function(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("An API function")
    api = "workbench/ui/api.py"
    copy.insert(api, FUNCTION, before="    @contextmanager\n    def _under_way")
    copy.insert(api, '"tools", ', before='"export")')
    copy.insert(
        "docs/how-to/use-the-api.md", "| `tools` | lists the names of all tools |\n", before="| `export` |"
    )
    copy.insert("README.md", ", tools", before=" and export.")
    copy.write("tests/ui/api/test_tools.py", TEST)
    copy.rewrite("tests/golden/api.json", "tests/ui/test_page.py", "-k", "recorded")
    tests = (
        "tests/ui/api/test_tools.py",
        "tests/ui/test_page.py",
        "tests/ui/test_agents.py",
        "tests/docs/test_declarations.py",
    )
    assert copy.run_tests(*tests, "-k", "tools or api or agent_finds or functions") > 4
