"""The recipes for an engine and for a mock tool, followed in a copy of the checkout."""

from collections.abc import Callable

import pytest

from tests.recipes.checkout_copy import CheckoutCopy

pytestmark = [pytest.mark.slow, pytest.mark.long]

ENGINE = '''"""An engine that repeats the end of the prompt."""

from collections.abc import Callable, Iterator

from workbench.rollout.ports import Capabilities, Delta, FinishReason, GenerationRequest, Usage


class EchoEngine:
    """Repeats the last `size` characters of each prompt; a token is a character."""

    def __init__(self, size: int, *, name: str) -> None:
        self.name = name
        self.device = "echo"
        self.fingerprint = f"echo-{size}"
        self.context_tokens = 32_768
        self.capabilities = Capabilities(has_exact_prompt=True, has_grammar=False)
        self._size = size

    def count_tokens(self, text: str) -> int:
        """Length in characters."""
        return len(text)

    def close(self) -> None:
        """There is nothing to free."""

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """The end of the prompt; see `workbench.rollout.ports.Engine`."""
        text = "" if is_cancelled() else request.prompt[-self._size :]
        usage = Usage(prompt_tokens=len(request.prompt), cached_tokens=0, completion_tokens=len(text))
        yield Delta(text=text, finish_reason=FinishReason.STOP, usage=usage)
'''
OPEN = """        if name.startswith(ECHO):
            from workbench.engines.echo import EchoEngine

            return EchoEngine(int(name.removeprefix(ECHO)), name=name)
"""
ENGINE_TEST = '''"""An engine that repeats the prompt."""

from tests.engines.remote.asking import REQUEST
from tests.engines.test_all_models import models_for


def test_the_end_of_the_prompt_is_repeated():
    models = models_for().with_paths(is_permitted=False)
    (delta,) = models.engine("echo:9").generate(REQUEST, is_cancelled=lambda: False)
    assert delta.text == REQUEST.prompt[-9:]
'''
MOCK = """  - function:
      name: get_tide
      description: Get the tide at a port.
      parameters:
        type: object
        properties:
          port: {type: string, description: "Name of the port"}
        required: [port]
        additionalProperties: false
    mocks:
      - when: {port: {regex: "(?i)dover"}}
        result: {port: Dover, height_m: 4.2}
      - error: port not found
"""
MOCK_ROW = """        ("get_tide", {"port": "dover"}, {"port": "Dover", "height_m": 4.2}, 1),
"""


def test_an_engine(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("An engine")
    all_models = "workbench/engines/all_models.py"
    copy.write("workbench/engines/echo.py", ENGINE)
    copy.insert(all_models, 'ECHO: Final = "echo:"\n', before="_BY_NAME: Final")
    copy.insert(all_models, "ECHO, ", before='f"{ZERO_GPU}{HUB}")')
    copy.insert(all_models, "ECHO, ", before="SCRIPTED, REPLAY, ZERO_GPU)")
    copy.insert(all_models, OPEN, before="        if name.startswith(ZERO_GPU):")
    copy.insert(
        "docs/reference/models.md",
        "| `echo:NUMBER` | the last characters of the prompt | exact |\n",
        before="| `scripted:NAME`",
    )
    copy.write("tests/engines/test_echo.py", ENGINE_TEST)
    assert copy.run_tests("tests/engines/test_echo.py") == 1


def test_a_mock_tool(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("A mock tool")
    with (copy.root / "tools_catalog/weather.yaml").open(encoding="utf-8") as file:
        catalog = file.read()
    copy.write("tools_catalog/weather.yaml", catalog + MOCK)
    copy.insert(
        "tests/toolbox/test_catalog.py", MOCK_ROW, before='        ("search_docs", {"query": "cheese"}'
    )
    copy.insert("tests/toolbox/test_catalog.py", '"get_tide", ', before=')\n    assert toolsets["office"]')
    assert copy.run_tests("tests/toolbox/test_catalog.py") > 20
