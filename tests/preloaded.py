"""What a server of the page imports. One that is forked after this module was imported starts in a quarter of the time."""

import os
import runpy
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# As `serve_page` sets them before these imports.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["FORWARDED_ALLOW_IPS"] = ""

import workbench.app.connections
import workbench.cli.app
import workbench.cli.serve
import workbench.ui.gate.app
import workbench.ui.gradio_parts.application
import workbench.ui.page
import workbench.wiring  # noqa: F401


def run(module: str, arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
    """Run a module as `python -m` does, in this forked process, with its output in a file."""
    with log.open("wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    sys.stdout.reconfigure(line_buffering=True)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
