"""Import a suite from the text of a file in any known format."""

from collections.abc import Callable

from workbench.errors import BadInput
from workbench.suite.exchange.bfcl import ImportedSuite, import_bfcl
from workbench.suite.exchange.bfcl_conversation import FunctionDocs
from workbench.suite.exchange.openai import import_openai
from workbench.suite.exchange.promptfoo import import_promptfoo
from workbench.suite.read_suite import ReadFile, parse_suite


def import_suite(
    text: str,
    *,
    name: str,
    is_yaml: bool,
    read_file: ReadFile | None = None,
    answers: str | None = None,
    function_docs: Callable[[], FunctionDocs] | None = None,
) -> ImportedSuite:
    """Import a suite: a suite file or promptfoo's in YAML, BFCL's or OpenAI's in JSON Lines.

    Args:
        name: Name of the suite.
        is_yaml: Whether the text is YAML.
        read_file: Reads the files that the text names. None refuses them.
        answers: The answers of BFCL, from its folder `possible_answer`.
        function_docs: As for `import_bfcl`.

    Raises:
        BadInput: The text cannot be parsed, or nothing in it can be imported.
    """
    if is_yaml and _is_promptfoo(text):
        imported = import_promptfoo(text, name=name, read_file=read_file)
        if not imported.suite.cases:
            raise BadInput(f"suite {name!r}", "no test can be imported", "; ".join(imported.left_out[:1]))
        return imported
    if is_yaml:
        return ImportedSuite(suite=parse_suite(text, name=name, read_file=read_file))
    if '"messages"' in text.partition("\n")[0]:
        return import_openai(text, name=name)
    return import_bfcl(text, answers, name=name, function_docs=function_docs)


def _is_promptfoo(text: str) -> bool:
    keys = {line.partition(":")[0] for line in text.splitlines()}
    return "suite" not in keys and not keys.isdisjoint(("tests", "scenarios"))
