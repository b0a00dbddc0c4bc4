"""`workbench trust`: let the Python files of a folder run, take this back, and list the trusted folders."""

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line
from workbench.errors import BadInput
from workbench.settings import read_settings


def trust(
    folder: Annotated[
        str,
        typer.Argument(metavar="FOLDER", help="Folder with tools_catalog/", show_default="the home folder"),
    ] = "",
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Do not run the files of the folder any more")
    ] = False,
    is_list: Annotated[bool, typer.Option("--list", help="List the trusted folders")] = False,
    as_json: JsonOption = False,
) -> None:
    """Let the Python files of a folder run.

    Lists the files in its `tools_catalog/`. If one of them changes, the folder has to be trusted again.
    """
    from workbench.toolbox.local_code import TrustFile, find_code

    settings = read_settings()
    trusted = TrustFile(settings.trust_file)
    if is_list:
        folders = list(trusted.folders())
        if as_json:
            write_json_line({"folders": list(folders)})
        else:
            print("\n".join(folders) or "No folder is trusted.")
        return
    place = Path(folder).expanduser().absolute() if folder else settings.home
    if not place.is_dir() and not revoke:
        raise BadInput(f"folder {place}", "not found")
    code = None if revoke else find_code(place / "tools_catalog")
    if revoke:
        is_changed = trusted.forget(place)
        message = f"{place} is not trusted any more." if is_changed else f"{place} was not trusted."
    elif code is None:
        message = f"{place} has no Python files that need trust."
    else:
        trusted.save(code, is_trusted=True)
        message = f"{code.folder} is trusted. These files run with your permissions:\n{code.listed}"
    if as_json:
        names = list(code.names) if code else []
        write_json_line({"folder": str(place), "trusted": code is not None, "files": names})
    else:
        print(message)
