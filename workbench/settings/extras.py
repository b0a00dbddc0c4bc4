"""How to install an extra of the workbench that is running."""

from pathlib import Path

_CHECKOUT = Path(__file__).parents[2]


def install_command(extra: str, checkout: Path = _CHECKOUT) -> str:
    """Return the command that installs an extra: from the checkout if the workbench runs from one, else by name.

    Args:
        extra: A name in `project.optional-dependencies` of `pyproject.toml`.
        checkout: The folder that contains the package.

    >>> install_command("mcp", Path("/site-packages"))
    "pip install 'hermes-workbench[mcp]'"
    """
    if (checkout / "pyproject.toml").is_file():
        return f"pip install -e '{checkout}[{extra}]'"
    return f"pip install 'hermes-workbench[{extra}]'"
