"""What an import costs: the pure floors load neither the page, a model nor a database."""

import ast
import os
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter

import grimp
import pytest

from tests.databases import put_database

HEAVY = ("gradio", "llama_cpp", "sqlmodel", "sqlalchemy", "huggingface_hub", "openai", "typer")


LIGHT = (
    "workbench",
    "workbench.errors",
    "workbench.settings",
    "workbench.chat.message",
    "workbench.toolspec.tools_text",
    "workbench.hermes.parse",
    "workbench.hermes.render",
    "workbench.contract.compose",
    "workbench.trajectory.formats.sharegpt",
    "workbench.rollout.loop",
    "workbench.app.turns",
)
"""A module of each floor, from the lowest to the highest."""


@pytest.mark.slow
def test_a_floor_is_light():
    # All in one process: what none of them loads, no single one loads.
    code = (
        "import importlib, sys\n"
        f"for module in {LIGHT!r}:\n"
        "    importlib.import_module(module)\n"
        f"    print(module, [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"{module} []" for module in LIGHT]


@pytest.mark.slow
def test_the_server_for_agents_starts_without_the_page():
    # Agents wait for it. Gradio alone takes longer to load than everything else.
    code = "import sys, workbench.app.agents.server, workbench.wiring; print('gradio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


COMMAND_HEAVY = (
    "alembic", "gradio", "httpx", "httpx2", "huggingface_hub", "jinja2", "jsonschema", "jsonschema_rs", "llama_cpp",
    "mcp", "numpy", "openai", "pandas", "pyarrow", "pydantic", "rich", "sqlalchemy", "sqlmodel", "torch", "yaml",
)  # fmt: skip


def run_command(arguments, heavy, **environment):
    """Run a command in a process of its own. Return its output and which of the `heavy` modules it loaded."""
    code = (
        f"import sys; sys.argv = ['workbench', *{arguments!r}]\n"
        "from workbench.__main__ import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        f"print('\\n', [name for name in {tuple(heavy)!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return done.stdout, ast.literal_eval(done.stderr.splitlines()[-1].strip())


@pytest.mark.parametrize(
    ("arguments", "printed"), [(["--version"], "workbench 0."), (["--help"], "doctor"), (["-h"], "doctor")]
)
def test_version_and_help_load_no_command_and_nothing_heavy(arguments, printed):
    output, loaded = run_command(arguments, (*COMMAND_HEAVY, "workbench.cli.chat", "workbench.wiring"))
    assert (printed in output, loaded) == (True, [])


@pytest.mark.parametrize(
    ("line", "offered"), [("workbench pre", "presets"), ("workbench db ba", "backup"), ("workbench ", "chat")]
)
def test_completing_a_command_loads_nothing_heavy(line, offered):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    # Typer itself uses pydantic for arguments.
    heavy = [name for name in COMMAND_HEAVY if name != "pydantic"]
    output, loaded = run_command([], heavy, _WORKBENCH_COMPLETE="complete_bash", **words)
    assert (offered in output.split(), loaded) == (True, [])


@pytest.mark.parametrize(
    "arguments", [["presets", "list"], ["versions", "list"], ["runs", "list"], ["search", "rain"]]
)
@pytest.mark.slow
def test_commands_that_read_the_database_load_no_model_no_tools_and_no_client(arguments, tmp_path):
    put_database(tmp_path)
    needed = ("jsonschema_rs", "pydantic", "sqlalchemy", "sqlmodel", "yaml")
    others = [name for name in COMMAND_HEAVY if name not in needed]
    heavy = (*others, "workbench.engines", "workbench.toolbox", "workbench.training", "workbench.gateway")
    assert run_command(arguments, heavy, WORKBENCH_DATA=str(tmp_path))[1] == []


TYPER = (
    "typer", "annotated_doc", "annotated_types", "pydantic", "pydantic_core", "shellingham", "typing_extensions",
    "typing_inspection",
)  # fmt: skip
"""What Typer loads to read the arguments of any command."""


def test_parse_loads_what_the_library_loads(tmp_path):
    file = tmp_path / "completion.txt"
    file.write_text('<tool_call>{"name": "now", "arguments": {}}</tool_call>')
    code = (
        "import sys\n"
        f"sys.argv = ['workbench', 'parse', {str(file)!r}]\n"
        "from workbench.__main__ import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    others = {
        *sys.stdlib_module_names,
        *TYPER,
        "__main__",
        "_distutils_hack",
        "_sysconfigdata__linux_x86_64-linux-gnu",
    }
    loaded = [name for name in done.stderr.split() if name.partition(".")[0] not in others]
    assert len(loaded) <= 100
    assert {name.partition(".")[0] for name in loaded} == {"workbench", "jiter", "jsonschema_rs", "orjson"}


@pytest.mark.slow
def test_the_page_and_the_commands_need_no_extra():
    # An installation of `make run` has none of these: they come with the extras for tests, agents and training.
    blocked = (
        "mcp",
        "openai",
        "torch",
        "transformers",
        "peft",
        "trl",
        "datasets",
        "accelerate",
        "gguf",
        "ray",
        "psycopg",
    )
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({blocked!r}))\n"
        "import workbench.engines.remote.openai_api, workbench.engines.remote.transport.guarded_client\n"
        "import workbench.wiring, workbench.ui.page, workbench.ui.serve, workbench.ui.gate.app\n"
        "from workbench.cli.app import build_app\n"
        "build_app()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@cache
def import_graph():
    return grimp.build_graph("workbench", exclude_type_checking_imports=True)


def test_no_module_imports_itself_through_others():
    graph = import_graph()
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the modules of a circle


KNOWN_CIRCLES = {
    "workbench": {"app", "cli", "gateway", "label", "library", "store", "ui", "wiring"},
    "workbench.trajectory": {
        "compress", "declared_tools", "formats", "row", "row_reading", "validate", "writing",
    },
}  # fmt: skip
"""The siblings of a folder that import each other in a circle. `label` is on the floors of the others, so its folder is
in a circle with theirs, but none of its modules is. The others are still to be resolved; a resolved one must go."""


def test_siblings_of_a_folder_import_each_other_in_one_direction():
    graph = import_graph()
    folders = [module for module in graph.modules if graph.find_children(module)]
    circles = {folder: siblings_in_circles(graph, folder) for folder in folders}
    assert {folder: found for folder, found in circles.items() if found} == KNOWN_CIRCLES


def siblings_in_circles(graph, folder):
    """Return the names of the modules and subfolders of a folder that import themselves through their siblings.

    Imports within functions count. Those for type checking only do not.
    """
    imports = {child: set() for child in graph.find_children(folder)}
    for child, imported in imports.items():
        for module in (child, *graph.find_descendants(child)):
            for found in graph.find_modules_directly_imported_by(module):
                imported.update(
                    other for other in imports if other != child and f"{found}.".startswith(f"{other}.")
                )
    reached = {child: set(imported) for child, imported in imports.items()}
    for middle in imports:
        for others in reached.values():
            if middle in others:
                others |= reached[middle]
    return {child.rpartition(".")[2] for child, others in reached.items() if child in others}
