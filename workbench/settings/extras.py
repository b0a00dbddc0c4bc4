"""How to install an extra of the workbench that is running."""

from pathlib import Path

_CHECKOUT = Path(__file__).parents[2]
_TRAINING_DATA = "workbench/training/everyday/families"
"""Folder of the package hermes-workbench-training-data, which the extra `train` requires."""


def install_command(extra: str, checkout: Path = _CHECKOUT) -> str:
    """Return the command that installs an extra: from the checkout if the workbench runs from one, else by name.

    Args:
        extra: A name in `project.optional-dependencies` of `pyproject.toml`.
        checkout: The folder that contains the package.

    >>> install_command("mcp", Path("/site-packages"))
    "pip install 'hermes-workbench[mcp]'"
    """
    if (checkout / "pyproject.toml").is_file():
        data = f" '{checkout / _TRAINING_DATA}'" if extra == "train" else ""
        return f"pip install -e '{checkout}[{extra}]'{data}"
    return f"pip install 'hermes-workbench[{extra}]'"
