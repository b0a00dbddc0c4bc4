"""The command lines that need no model and no database print the output that the pages show."""

import json
import re

import pytest

from tests.docs.test_docs import CHECKOUT, PAGES, read
from tests.hermes.templates.samples import GOOD
from workbench.engines.embedded_model import find_embedded

pytestmark = pytest.mark.slow

COMPLETION = (
    'Let me see.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris",}}\n</tool_call>'
)
MESSAGES = [{"role": "user", "content": "What is the weather in Paris?"}]
WITHOUT_MODEL = re.compile(r"(?:^|\| )workbench (?:parse|differ|render|template) ", re.MULTILINE)
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n```(?:text|json)\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
PYTHON_ERROR = re.compile(r" \([A-Z][^)]* at character \d+\)")


def examples():
    """Yield each command line that needs no model and no database, with the output that the page shows, or None."""
    for page in PAGES:
        for block in BLOCK.finditer(read(page)):
            lines = block.group(1).splitlines()
            for line in filter(WITHOUT_MODEL.search, lines):
                name = f"{page.relative_to(CHECKOUT)}: {line[:60]}"
                yield pytest.param(line, block.group(2) if line == lines[-1] else None, id=name)


EXAMPLES = list(examples())


def test_each_of_these_commands_has_an_example():
    lines = "\n".join(str(example.values[0]) for example in EXAMPLES)
    for command in ("parse", "differ", "render", "template check"):
        assert f"workbench {command}" in lines


@pytest.fixture
def given(tmp_path):
    """Write the files that the lines name."""
    (tmp_path / "completion.txt").write_text(COMPLETION)
    (tmp_path / "messages.json").write_text(json.dumps(MESSAGES))
    (tmp_path / "rows.jsonl").write_text(json.dumps({"family": "qwen3", "messages": MESSAGES}) + "\n")
    (tmp_path / "chat_template.jinja").write_text(GOOD)
    if model := find_embedded():
        (tmp_path / "model.gguf").symlink_to(model)


@pytest.mark.usefixtures("given")
@pytest.mark.parametrize(("line", "shown"), EXAMPLES)
def test_a_command_line_prints_the_output_that_the_page_shows(shell, line, shown):
    if "--gguf" in line and find_embedded() is None:
        pytest.skip("the embedded model is not installed")
    done = shell(line)
    # The chat template of the embedded model has an error, which gives exit code 1.
    assert done.returncode == 0 or ("--gguf" in line and done.returncode == 1), done.stderr
    assert "Traceback" not in done.stderr
    if shown is not None:
        assert PYTHON_ERROR.sub("", done.stdout) == PYTHON_ERROR.sub("", shown)
