"""The group of verbs, and what they share."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from workbench.toolbox.catalog import Catalog


def build_app() -> typer.Typer:
    """`workbench tools …`."""
    from workbench.cli.tools.call import call
    from workbench.cli.tools.exchange import export, import_
    from workbench.cli.tools.look import check, list_, show

    app = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="See, check, import, export and call tools."
    )
    app.command("list")(list_)
    app.command("show")(show)
    app.command("check")(check)
    app.command("import")(import_)
    app.command("export")(export)
    app.command("call")(call)
    return app


@contextmanager
def catalog_of_settings() -> "Generator[Catalog]":
    """The catalog as the settings want it; closed at the end.

    Raises:
        BadInput: `tools_catalog/` is nowhere, or a file of it cannot be read.
    """
    from workbench.library.home_files import find_folder
    from workbench.settings import read_settings
    from workbench.toolbox.opening import open_catalog

    settings = read_settings()
    catalog = open_catalog(find_folder("tools_catalog", settings.home), settings)
    try:
        yield catalog
    finally:
        catalog.close()
