"""What an import costs: the pure floors load neither the page, a model nor a database."""

import subprocess
import sys

import pytest

HEAVY = ("gradio", "llama_cpp", "sqlmodel", "sqlalchemy", "huggingface_hub", "openai", "typer")


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
        "workbench.trajectory.formats.sharegpt",
        "workbench.rollout.loop",
        "workbench.app.turns",
    ],
)
def test_a_floor_is_light(module):
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_loads_no_command_and_nothing_heavy():
    code = (
        "import sys; sys.argv = ['workbench', '--help']\n"
        "from workbench.cli.app import run\n"
        "try: run()\n"
        "except SystemExit as end: assert end.code == 0\n"
        f"print([name for name in {(*HEAVY[:-1], 'jsonschema', 'rich', 'workbench.cli.chat')!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"
    assert "doctor" in done.stdout


def test_the_page_and_the_commands_need_no_extra():
    # An installation of `make run` has none of these: they come with the extras for tests, agents and training.
    blocked = (
        "mcp",
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
        "import workbench.wiring, workbench.ui.page, workbench.ui.serve, workbench.ui.gate.app\n"
        "from workbench.cli.app import build_app\n"
        "build_app()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
