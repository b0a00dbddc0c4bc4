"""The commands of `tests/cli`."""

from tests.cli.conftest import process, run_cli, variables, workbench

__all__ = ["process", "run_cli", "variables", "workbench"]
