"""The model that was chosen to begin with, kept as a file of the data folder."""

from pathlib import Path
from typing import Final

from workbench.errors import BadInput

CHOSEN_MODEL: Final = "default-model"
"""File of the data folder with the name that `workbench models default` chose."""


def chosen_model(data: Path) -> str:
    """What `workbench models default` chose; empty where nothing was chosen.

    Raises:
        BadInput: The file cannot be read.
    """
    path = data / CHOSEN_MODEL
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"file {path}", str(error), "mend or delete it") from error


def choose_model(data: Path, name: str) -> None:
    """Makes `name` the model to begin with, wherever WORKBENCH_MODEL is not set.

    Raises:
        BadInput: The folder cannot be written.
    """
    path = data / CHOSEN_MODEL
    try:
        data.mkdir(parents=True, exist_ok=True)
        path.write_text(name + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"file {path}", str(error.strerror or error), "set WORKBENCH_DATA") from error
