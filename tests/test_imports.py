"""What an import costs: the pure floors load neither the page, a model nor a database."""

import subprocess
import sys

import pytest

HEAVY = ("gradio", "llama_cpp", "sqlmodel", "sqlalchemy", "huggingface_hub", "typer")


@pytest.mark.parametrize(
    "module",
    [
        "workbench",
        "workbench.errors",
        "workbench.settings",
        "workbench.chat.message",
        "workbench.toolspec.tools_text",
        "workbench.hermes.parse",
        "workbench.hermes.render",
        "workbench.contract.compose",
        "workbench.trajectory.sharegpt",
        "workbench.rollout.loop",
        "workbench.desk.turns",
    ],
)
def test_a_floor_is_light(module):
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom workbench.cli.app import build_app\nbuild_app()\n"
        f"print([name for name in {HEAVY[:-1]!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "arguments", [["parse"], ["parse", "--tools", "weather"], ["differ"], ["render", "--jsonl"]]
)
def test_a_verb_of_the_formats_loads_neither_page_nor_model_nor_database(arguments):
    code = (
        "import sys\nfrom workbench.cli.app import run\ntry:\n    run()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY[:-1]!r} if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
