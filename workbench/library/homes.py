"""Where `prompts/` and `tools_catalog/` are."""

from pathlib import Path

from workbench.errors import BadInput


def find_folder(name: str, home: Path) -> Path:
    """The folder `name` of `home`, else the read-only copy inside the wheel, else the checkout's.

    Raises:
        BadInput: There is none: the installation is broken.
    """
    package = Path(__file__).parent.parent
    for folder in (home / name, package / "shipped" / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise BadInput(f"folder {name}/", "not found", "install the package again, or run in a checkout")
