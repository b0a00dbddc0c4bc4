"""`workbench models`: list, find, download and remove models."""

import sys
from dataclasses import asdict
from threading import Event as Flag
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli import model_servers
from workbench.cli.terminal.exit_code import ExitCode
from workbench.cli.terminal.groups import Group
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.stopping import stop_at_interrupt
from workbench.cli.terminal.visible import is_protected, own_code
from workbench.settings import choose_model, read_settings

if TYPE_CHECKING:
    from workbench.engines.hub.gguf_hub import GgufHub
    from workbench.engines.hub.hub_models import HubFile, KnownModel, PullProgress
    from workbench.settings import Settings


def gigabytes(size_bytes: int) -> str:
    """Format a size in decimal units, as disks are sold.

    >>> gigabytes(4_920_000_000), gigabytes(98_000_000)
    ('4.92 GB', '98 MB')
    """
    return f"{size_bytes / 1e9:.2f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.0f} MB"


EMBEDDED: Final = "embedded"


def _hub() -> "GgufHub":
    import time

    from workbench.engines.hub.gguf_hub import GgufHub

    return GgufHub(wait=time.sleep)


def show_models(json_output: JsonOption = False) -> None:
    """List the models that --model accepts, the default first.

    Asks the servers of the settings and of servers.yaml for their models.
    """
    from workbench.engines.embedded_model import REMEDY, find_embedded
    from workbench.wiring import build_models

    settings, hub = read_settings(), _hub()
    models = build_models(settings, hub)
    for problem in models.ask_servers():
        print(f"models are missing: {problem}", file=sys.stderr)
    cached = {model.name: model for model in hub.cached()}
    for name in dict.fromkeys((*models.names(), EMBEDDED)):
        size = cached[name].size_bytes if name in cached else 0
        status = models.status(name)
        note = [gigabytes(size)] if size else [status.device]
        note += [f"{status.context_tokens:,} tokens"] if status.context_tokens else []
        note += ["default"] if name == settings.model else []
        note += [f"not installed: {REMEDY}"] if name == EMBEDDED and not find_embedded() else []
        if json_output:
            write_json_line(
                {"name": name, "default": name == settings.model, "size_bytes": size or None,
                 "device": status.device or None, "context_tokens": status.context_tokens or None}
            )  # fmt: skip
        else:
            print("  ".join(filter(None, (name, ", ".join(filter(None, note))))))


def find(
    words: Annotated[list[str] | None, typer.Argument(metavar="WORD", help="Words of the name")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of repositories")] = 20,
    json_output: JsonOption = False,
) -> None:
    """Find GGUF repositories on the Hugging Face Hub.

    Without words, lists the recommended models, without a request to the hub.
    """
    hub = _hub()
    if not words:
        for model in hub.known():
            _print_known(model, json_output=json_output)
        return
    found = hub.find(" ".join(words), with_token=True, limit=limit)
    for repository in found:
        if json_output:
            write_json_line({"repository": repository.id, "downloads": repository.downloads,
                             "likes": repository.likes, "gated": repository.is_gated})  # fmt: skip
        else:
            gated = ", gated" if repository.is_gated else ""
            counts = f"{repository.downloads:,} downloads, {repository.likes:,} likes"
            print(f"{repository.id}  {counts}{gated}")
    if not found:
        print(f"no repositories with GGUF files match {' '.join(words)!r}", file=sys.stderr)


def _print_known(model: "KnownModel", *, json_output: bool) -> None:
    if json_output:
        write_json_line(cast(JsonObject, asdict(model)))
        return
    facts = f"family {model.family}, {model.context_tokens:,} tokens"
    print(f"{model.repository}  {model.title}, {facts}. {model.note}")


def show(
    repository: Annotated[
        str, typer.Argument(metavar="OWNER/NAME", help="Repository on the Hugging Face Hub")
    ],
    json_output: JsonOption = False,
) -> None:
    """Show the GGUF files of a repository.

    Lists their size and quantisation, and whether they fit this machine.
    """
    from workbench.engines.hub.known_models import known_model

    files = _hub().files(repository.removeprefix("hf:"), with_token=True)
    known = known_model(repository)
    if known and not json_output:
        print(
            f"{known.title}: family {known.family}, template {known.template}, {known.context_tokens:,} tokens"
        )
    for file in files:
        if json_output:
            write_json_line(_file_json(file))
        else:
            cached = ", downloaded" if file.is_cached else ""
            size = gigabytes(file.size_bytes) if file.size_bytes else "unknown size"
            print(f"{file.name}  {file.quantisation or 'unknown quantisation'}, {size}, {file.fit}{cached}")
    if not files:
        print(f"{repository} has no GGUF files", file=sys.stderr)


def _file_json(file: "HubFile") -> JsonObject:
    return {"name": file.name, "parts": list(file.parts), "size_bytes": file.size_bytes,
            "quantisation": file.quantisation or None, "fit": file.fit.value,
            "cached": file.is_cached}  # fmt: skip


def pull(
    name: Annotated[str, typer.Argument(metavar="NAME", help="embedded, or hf:OWNER/NAME/FILE.gguf")],
    json_output: JsonOption = False,
) -> None:
    """Download a model.

    After Ctrl+C, the next download continues where this one stopped.
    """
    if name == EMBEDDED:
        from workbench.engines.embedded_model import fetch_embedded, find_embedded

        path = str(find_embedded() or fetch_embedded())
    else:
        path = _download(name)
    if json_output:
        write_json_line({"name": name, "path": path})
    else:
        print(path)


def _download(name: str) -> str:
    with stop_at_interrupt() as stop:
        path = _download_with_progress(name, stop)
    if not path:
        print(f"workbench: download of {name!r} stopped (run the command again to continue)", file=sys.stderr)
        raise typer.Exit(ExitCode.INTERRUPTED)
    return path


def _download_with_progress(name: str, stop: Flag) -> str:
    """Download and return the path; empty if the download was stopped."""
    path, printed = "", ""
    for step in _hub().pull(name, is_cancelled=stop.is_set):
        path = step.path
        line = _progress_line(step)
        if line != printed and is_protected(sys.stderr):
            print(f"\r{own_code('K')}{line}", end="", file=sys.stderr, flush=True)
        printed = line
    if is_protected(sys.stderr):
        print(file=sys.stderr)
    return path


def _progress_line(step: "PullProgress") -> str:
    share = step.done_bytes / step.total_bytes if step.total_bytes else 1.0
    note = f", {step.note}" if step.note else ""
    return f"{share:4.0%} of {gigabytes(step.total_bytes)}{note}"


def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="hf:OWNER/NAME/FILE.gguf")],
    json_output: JsonOption = False,
) -> None:
    """Delete a model from the cache of the Hugging Face Hub."""
    freed = _hub().delete(name)
    if json_output:
        write_json_line({"name": name, "freed_bytes": freed})
    else:
        print(f"{gigabytes(freed)} freed")


def _find(settings: "Settings", name: str) -> None:
    from workbench.wiring import build_models

    models = build_models(settings, _hub())
    try:
        models.find(name)
    finally:
        models.close()


def default(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Model, as for --model; omit it to show the default"),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Show or set the default model.

    The model must exist; a server is asked for it. The setting WORKBENCH_MODEL takes precedence.
    """
    settings = read_settings()
    if name is not None:
        _find(settings, name)
        choose_model(settings.data, name)
    chosen = read_settings().model
    if json_output:
        write_json_line({"default": chosen})
    else:
        print(chosen)
    if name is not None and chosen != name:
        print(f"WORKBENCH_MODEL is set to {chosen!r} and takes precedence", file=sys.stderr)


GROUP: Final = {
    "list": show_models,
    "find": find,
    "show": show,
    "pull": pull,
    "rm": remove,
    "default": default,
    "servers": Group("Servers whose models can be used.", model_servers.GROUP),
}
"""The commands of `workbench models`."""
