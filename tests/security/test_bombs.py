"""Bombs are refused where they are parsed, each with a clear message. No server is needed."""

from pathlib import Path
from random import Random

import pytest
import yaml

from tests.security.bombs import IMPORTS, SCHEMAS, archives
from tests.security.template_bombs import TEMPLATE_ARGUMENTS, TEMPLATES
from workbench.chat.json_value import load_json
from workbench.errors import BadInput, ConstraintFailed
from workbench.library.datasets.row_files import read_rows
from workbench.records.limits import SPACE
from workbench.toolbox.mock_samples import sample
from workbench.toolbox.mock_templates import render_template
from workbench.toolspec.budget import BudgetExceeded, budget, spend
from workbench.toolspec.check import check_arguments, check_spec
from workbench.toolspec.coerce import find_coercions, types_allowed
from workbench.toolspec.grammar import schema_grammar
from workbench.toolspec.importers.read import import_tools
from workbench.toolspec.quick import is_surely_valid
from workbench.toolspec.spec import ToolSpec
from workbench.toolspec.yaml_text import load_yaml
from workbench.ui.tabs.data.import_events import SPACE_LIMITS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("place", range(len(SCHEMAS)))
def test_no_schema_takes_long(place: int) -> None:
    schema, arguments = SCHEMAS[place]
    spec = ToolSpec.of_function({"name": "f", "parameters": schema})
    check_spec(spec)
    for finding in check_arguments(spec, arguments):
        assert len(finding.message) < 100
    find_coercions(schema, arguments)
    types_allowed(schema, schema)
    try:
        sample(schema, Random(0))
        schema_grammar(schema)
    except (BudgetExceeded, ConstraintFailed) as error:
        assert str(error)


def test_a_large_check_is_not_done_by_the_compiled_validator() -> None:
    schema = {"properties": {"a": {"items": {"enum": list(range(9000))}}}}
    spec = ToolSpec.of_function({"name": "f", "parameters": schema})
    assert is_surely_valid(spec, {"a": [8999.0] * 10})
    assert not is_surely_valid(spec, {"a": [8999.0] * 9000})


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_template_takes_long(template: str) -> None:
    try:
        made = render_template(template, TEMPLATE_ARGUMENTS, random=Random(0))
    except ValueError as error:
        assert "RecursionError" not in str(error)
    else:
        assert len(made) <= 20_000


@pytest.mark.parametrize("text", IMPORTS, ids=range(len(IMPORTS)))
def test_no_import_takes_long(text: str) -> None:
    try:
        import_tools(text)
    except BadInput as error:
        assert len(str(error)) < 400


def test_references_that_expand_to_too_much_are_named() -> None:
    with pytest.raises(BadInput, match="it has over 100,000 values after resolving references"):
        import_tools(IMPORTS[0])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "nested over 200 levels deep"),
        ('{"a":' * 250 + "1" + "}" * 250, "nested over 200 levels deep"),
        ("9" * 5000, "more than 4,300 digits"),
    ],
)
def test_json_is_parsed_within_limits(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        load_json(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "nested over 100 levels deep"),
        ("? " * 100_000, "nested over 100 levels deep"),
        ("a: &a [b]\nc: *a", "aliases .* are not allowed"),
        ("[" + "a," * 70_000 + "]", "over 60,000 values"),
        ("a: " + "1:" * 50_000 + "1", "a number of over 4,300 digits"),
        ("!!float " + "1:" * 2000 + "1", "cannot be read"),
        ("x" * 1_000_001, "over 1,000,000 characters"),
        ("a: \ud800", "half of a surrogate pair"),
    ],
)
def test_yaml_is_parsed_within_limits(text: str, problem: str) -> None:
    with pytest.raises(yaml.YAMLError, match=problem):
        load_yaml(text)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return archives()


def test_archives_are_unpacked_within_limits(files: dict[str, bytes], tmp_path: Path) -> None:
    refused: dict[str, str] = {}
    for name, content in files.items():
        file = tmp_path / name
        file.write_bytes(content)
        try:
            for row in read_rows(str(file), SPACE_LIMITS):
                if row.number > SPACE.import_rows:
                    break
        except BadInput as error:
            refused[name] = error.problem
    assert set(files) - set(refused) <= {"nested.jsonl.gz", "deep.jsonl", "digits.jsonl", "rows.jsonl.gz"}
    assert all("larger than" in problem or "too many parts" in problem for problem in refused.values())


def test_an_endless_line_is_refused_even_in_a_local_file(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    with file.open("wb") as lines:
        lines.truncate(140_000_000)
    with pytest.raises(BadInput, match="row 1 is larger than 134 MB"):
        list(read_rows(str(file)))


def test_nested_budgets_share_their_steps() -> None:
    with budget(100):
        with budget(1000):
            spend(60)
        with budget(30), pytest.raises(BudgetExceeded):
            spend(31)
        with budget(1000), pytest.raises(BudgetExceeded):
            spend(50)
    spend(1_000_000)
