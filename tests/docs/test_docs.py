"""The documentation agrees with the code."""

import re
import tomllib
from pathlib import Path

import pytest
import typer

import workbench
from workbench.cli.app import build_app
from workbench.contract.lint import CONTRACT_CODES
from workbench.engines.embedded_model import PACKAGE, VERSION
from workbench.settings import VARIABLES

CHECKOUT = Path(__file__).parents[2]
DOCS = CHECKOUT / "docs"
PAGES = sorted(
    [*DOCS.rglob("*.md"), *(CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
)
LAYERS = (
    "__main__", "wiring", "library", "store", "records", "rollout", "trajectory", "hermes",
    "toolspec", "chat", "errors",
)  # fmt: skip


def read(path):
    return path.read_text(encoding="utf-8")


def test_there_is_documentation():
    assert len(PAGES) > 8
    for kind in ("tutorial", "how-to", "reference", "explanation", "decisions"):
        assert list((DOCS / kind).glob("*.md")), kind


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_every_link_leads_to_a_file(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", read(page)):
        if not re.match(r"https?://", target):
            assert (page.parent / target).exists(), target


def test_the_index_links_every_page():
    index = read(DOCS / "README.md")
    for page in DOCS.rglob("*.md"):
        if page.name != "README.md":
            assert f"({page.relative_to(DOCS)})" in index, page


def test_the_table_of_settings_matches_the_code():
    lines = re.findall(r"^\| `WORKBENCH_.*$", read(DOCS / "reference/settings.md"), re.MULTILINE)
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    assert rows == [
        (f"`{row.name}`", f"`{row.default}`" if row.default else "", row.meaning) for row in VARIABLES
    ]


def test_every_command_has_its_heading():
    app = typer.main.get_command(build_app())
    headings = re.findall(r"^## `workbench (\w+)`$", read(DOCS / "reference/cli.md"), re.MULTILINE)
    assert sorted(headings) == sorted(app.commands)


def test_the_table_of_lint_codes_matches_the_code():
    text = read(DOCS / "reference" / "contracts.md").split("## Lint")[1]
    assert dict(re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", text, re.MULTILINE)) == dict(CONTRACT_CODES)


def test_every_make_target_on_a_page_exists():
    makefile = read(CHECKOUT / "Makefile")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for page in PAGES:
        for target in re.findall(r"`make ([a-z-]+)", read(page)):
            assert target in targets, (page, target)


SERVED = "http://127.0.0.1:7860"


def examples():
    for page in PAGES:
        blocks = re.findall(r"^```python\n(.*?)^```", read(page), re.MULTILINE | re.DOTALL)
        # tests/ui/api/test_pages.py runs the code that needs a served page, tests/training/test_grpo_on_a_suite.py
        # that of an exported suite.
        if blocks and not any(place in "".join(blocks) for place in (SERVED, "shop_env")):
            yield pytest.param("\n".join(blocks), id=str(page.relative_to(CHECKOUT)))


@pytest.mark.parametrize("code", list(examples()))
def test_the_python_code_of_a_page_runs_from_top_to_bottom(code):
    exec(compile(code, "<page>", "exec"), {"__name__": "__page__"})


def test_the_layers_are_in_the_same_order_everywhere():
    project = tomllib.loads(read(CHECKOUT / "pyproject.toml"))
    layers = " ".join(project["tool"]["importlinter"]["contracts"][0]["layers"])
    table = read(DOCS / "explanation/architecture.md").split("## Layers")[1]
    for text in (layers, workbench.__doc__, table):
        places = [
            re.search(rf"\b{layer}\b", text.split("do not import each other.")[-1]).start()
            for layer in LAYERS
        ]
        assert places == sorted(places)


def test_pinned_versions_agree():
    constraints = read(CHECKOUT / "constraints.txt").splitlines()
    assert f"{PACKAGE}=={VERSION}" in constraints
    for line in read(CHECKOUT / "requirements.txt").splitlines():
        if "==" in line:
            assert line in constraints
    gradio = next(line.split("==")[1] for line in constraints if line.startswith("gradio=="))
    assert f"sdk_version: {gradio}\n" in read(CHECKOUT / "README.md")


def test_constraints_contain_only_names_and_versions():
    for line in read(CHECKOUT / "constraints.txt").splitlines():
        assert re.fullmatch(r"#.*|[a-z0-9-]+==[A-Za-z0-9.]+", line), line


def test_every_package_has_a_docstring():
    for package in (CHECKOUT / "workbench").rglob("__init__.py"):
        if "migrations" not in package.parts:
            assert read(package).startswith('"""'), package


def test_the_front_matter_is_valid_yaml():
    import yaml

    front = read(CHECKOUT / "README.md").split("---\n")[1]
    assert yaml.safe_load(front)["sdk"] == "gradio"
