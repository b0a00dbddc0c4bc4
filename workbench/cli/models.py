"""`workbench models`: list available models, search the hub, download and remove."""

import sys
from dataclasses import asdict
from threading import Event as Flag
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.stopping import stop_at_interrupt
from workbench.errors import BadInput
from workbench.settings import choose_model, read_settings

if TYPE_CHECKING:
    from workbench.engines.hub.gguf_hub import GgufHub
    from workbench.engines.hub.hub_models import HubFile, KnownModel, PullProgress


def gigabytes(size_bytes: int) -> str:
    """As disks are sold: powers of ten.

    >>> gigabytes(4_920_000_000), gigabytes(98_000_000)
    ('4.92 GB', '98 MB')
    """
    return f"{size_bytes / 1e9:.2f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.0f} MB"


EMBEDDED: Final = "embedded"
Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]


def build_app() -> typer.Typer:
    """The group of commands."""
    app = typer.Typer(no_args_is_help=True, help="See, find and get models.")
    app.command("list")(show_models)
    app.command("find")(find)
    app.command("show")(show)
    app.command("pull")(pull)
    app.command("rm")(remove)
    app.command("default")(default)
    return app


def _hub() -> "GgufHub":
    import time

    from workbench.engines.hub.gguf_hub import GgufHub

    return GgufHub(wait=time.sleep)


def show_models(json_output: Json = False) -> None:
    """List the names that --model takes, the one to begin with first."""
    from workbench.engines.known_models import REMEDY, find_embedded
    from workbench.wiring import build_models

    settings, hub = read_settings(), _hub()
    models = build_models(settings, hub)
    cached = {one.name: one for one in hub.cached()}
    for name in dict.fromkeys((*models.names(), EMBEDDED)):
        size = cached[name].size_bytes if name in cached else 0
        note = [gigabytes(size)] if size else [models.status(name).device]
        note += ["to begin with"] if name == settings.model else []
        note += [f"not installed: {REMEDY}"] if name == EMBEDDED and not find_embedded() else []
        if json_output:
            write_json_line(
                {"name": name, "default": name == settings.model, "size_bytes": size or None,
                 "device": models.status(name).device or None}
            )  # fmt: skip
        else:
            print("  ".join(filter(None, (name, ", ".join(filter(None, note))))))


def find(
    words: Annotated[
        list[str] | None, typer.Argument(help="Words of the name; none shows what is recommended.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Repositories at most.")] = 20,
    json_output: Json = False,
) -> None:
    """Find GGUF repositories on the hub; without words, the recommended models, for which nobody is asked."""
    hub = _hub()
    if not words:
        for model in hub.known():
            _tell_known(model, json_output=json_output)
        return
    found = hub.find(" ".join(words), with_token=True, limit=limit)
    for one in found:
        if json_output:
            write_json_line({"repository": one.id, "downloads": one.downloads, "likes": one.likes,
                             "gated": one.is_gated})  # fmt: skip
        else:
            gated = ", gated" if one.is_gated else ""
            print(f"{one.id}  {one.downloads:,} downloads, {one.likes:,} likes{gated}")
    if not found:
        print(f"nothing with GGUF files is called {' '.join(words)!r}", file=sys.stderr)


def _tell_known(model: "KnownModel", *, json_output: bool) -> None:
    if json_output:
        write_json_line(cast(JsonObject, asdict(model)))
        return
    facts = f"family {model.family}, {model.context_tokens:,} tokens"
    print(f"{model.repository}  {model.title}, {facts}. {model.note}")


def show(
    repository: Annotated[str, typer.Argument(help="OWNER/NAME on the hub.")], json_output: Json = False
) -> None:
    """Show the models of a repository: size, quantisation, and whether they fit this machine."""
    from workbench.engines.known_models import known_model

    files = _hub().files(repository.removeprefix("hf:"), with_token=True)
    known = known_model(repository)
    if known and not json_output:
        print(
            f"{known.title}: family {known.family}, template {known.template}, {known.context_tokens:,} tokens"
        )
    for one in files:
        if json_output:
            write_json_line(_file_json(one))
        else:
            cached = ", here" if one.is_cached else ""
            size = gigabytes(one.size_bytes) if one.size_bytes else "size unknown"
            print(f"{one.name}  {one.quantisation or 'quantisation unknown'}, {size}, {one.fit}{cached}")
    if not files:
        print(f"{repository} has no GGUF files", file=sys.stderr)


def _file_json(one: "HubFile") -> JsonObject:
    return {"name": one.name, "parts": list(one.parts), "size_bytes": one.size_bytes,
            "quantisation": one.quantisation or None, "fit": one.fit.value, "cached": one.is_cached}  # fmt: skip


def pull(
    name: Annotated[str, typer.Argument(help="`embedded`, or hf:OWNER/NAME/FILE.gguf.")],
    json_output: Json = False,
) -> None:
    """Get a model; Ctrl+C stops, and the next pull goes on from there."""
    if name == EMBEDDED:
        from workbench.engines.known_models import fetch_embedded, find_embedded

        path = str(find_embedded() or fetch_embedded())
    else:
        path = _pulled(name)
    if json_output:
        write_json_line({"name": name, "path": path})
    else:
        print(path)


def _pulled(name: str) -> str:
    with stop_at_interrupt() as stop:
        path = _followed(name, stop)
    if not path:
        raise BadInput(f"model {name!r}", "stopped", "pull it again to go on from there")
    return path


def _followed(name: str, stop: Flag) -> str:
    path, told = "", ""
    for step in _hub().pull(name, is_cancelled=stop.is_set):
        path = step.path
        line = _progress_line(step)
        if line != told and sys.stderr.isatty():
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
        told = line
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return path


def _progress_line(step: "PullProgress") -> str:
    share = step.done_bytes / step.total_bytes if step.total_bytes else 1.0
    note = f", {step.note}" if step.note else ""
    return f"{share:4.0%} of {gigabytes(step.total_bytes)}{note}"


def remove(
    name: Annotated[str, typer.Argument(help="hf:OWNER/NAME/FILE.gguf.")], json_output: Json = False
) -> None:
    """Delete a model from the hub's cache."""
    freed = _hub().delete(name)
    if json_output:
        write_json_line({"name": name, "freed_bytes": freed})
    else:
        print(f"{gigabytes(freed)} are free")


def default(
    name: Annotated[
        str | None, typer.Argument(help="As --model takes it; left out, the choice is shown.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Choose the model to begin with; WORKBENCH_MODEL wins where it is set."""
    settings = read_settings()
    if name is not None:
        choose_model(settings.data, name)
    chosen = read_settings().model
    if json_output:
        write_json_line({"default": chosen})
    else:
        print(chosen)
    if name is not None and chosen != name:
        print(f"WORKBENCH_MODEL is set to {chosen!r} and wins", file=sys.stderr)
