"""`workbench doctor`: check the installation and say how to fix what is missing."""

import importlib.util
import platform
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import typer

from workbench import __version__
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line
from workbench.errors import WorkbenchError
from workbench.rollout.server_abilities import ServerAbilities
from workbench.settings import Settings, read_settings
from workbench.settings.extras import install_command

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
"""Programs that the browser tests can use, in order of preference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of the report."""

    subject: str
    state: str
    """What was found, and how to fix it if something is missing."""
    is_ok: bool = True
    """False if `workbench serve` would not work."""
    abilities: ServerAbilities | None = None
    """What the server of the model can do. None for other subjects and models."""

    @property
    def document(self) -> JsonObject:
        """The line as JSON."""
        document: JsonObject = {"subject": self.subject, "ok": self.is_ok, "state": self.state}
        if self.abilities is None:
            return document
        problem = {"problem": self.abilities.problem} if self.abilities.problem else {}
        return {**document, "abilities": self.abilities.document, **problem}


def doctor(as_json: JsonOption = False) -> None:
    """Check the installation.

    Reports packages, llama.cpp, model, data folder, database, terminal and browser. Exit code 1 if the page would
    not work.
    """
    settings = read_settings()
    checks = [
        _checked(check, settings)
        for check in (_python, _packages, _llama, _model, _data, _database, _terminal, _browser)
    ]
    if as_json:
        write_json_line({"checks": [check.document for check in checks]})
    else:
        width = max(len(check.subject) for check in checks)
        for check in checks:
            print(f"{'ok ' if check.is_ok else 'BAD'}  {check.subject:<{width}}  {check.state}")
    if not all(check.is_ok for check in checks):
        raise typer.Exit(1)


def _checked(check: Callable[[Settings], Check], settings: Settings) -> Check:
    """Run one check. An error that it raises becomes a failed check."""
    try:
        return check(settings)
    except WorkbenchError as error:
        return Check(subject=check.__name__.strip("_"), state=str(error), is_ok=False)


def _python(_: Settings) -> Check:
    state = f"{sys.version.split()[0]} on {platform.system()} {platform.machine()}, workbench {__version__}"
    return Check(subject="python", state=state)


def _packages(_: Settings) -> Check:
    names = ("gradio", "sqlmodel", "jsonschema", "huggingface-hub", "alembic", "llama-cpp-python")
    found = ", ".join(f"{name} {_version(name)}" for name in names)
    return Check(subject="packages", state=found)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _llama(settings: Settings) -> Check:
    if importlib.util.find_spec("llama_cpp") is None:
        from workbench.engines.all_models import needs_llama

        state = f"llama-cpp-python is not installed: `make run`, or `{install_command('local')}`"
        is_needed = needs_llama(settings.model)
        why = "" if is_needed else f". {settings.model} works without it"
        return Check(subject="llama.cpp", state=state + why, is_ok=not is_needed)
    from workbench.engines.llama_loading import describe_build

    return Check(subject="llama.cpp", state=describe_build())


def _model(settings: Settings) -> Check:
    from workbench.engines.hub.gguf_hub import GgufHub
    from workbench.wiring import build_models

    models = build_models(settings, GgufHub(wait=time.sleep))
    try:
        engine = models.engine(settings.model)
        models.check(settings.model)
        status = models.status(settings.model)
        context = (
            f"context {engine.context_tokens} tokens" if engine.context_tokens else "unknown context length"
        )
        facts = (f"{status.device}, {context}", *(status.abilities.facts if status.abilities else ()))
        state = f"{settings.model} loads: {'; '.join(facts)}"
        return Check(subject="model", state=state, abilities=status.abilities)
    finally:
        models.close()


def _data(settings: Settings) -> Check:
    """Check that the data folder can be written, by a folder that is made in it and removed again.

    If it does not exist, its nearest existing parent shows whether it can be made.
    """
    folder = settings.data.absolute()
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        tempfile.TemporaryDirectory(dir=nearest).cleanup()
    except OSError as error:
        state = f"{folder} cannot be written: {error.strerror or error}. Set WORKBENCH_DATA to another folder"
        return Check(subject="data", state=state, is_ok=False)
    return Check(subject="data", state=str(folder) if nearest == folder else f"{folder} can be made")


def _database(settings: Settings) -> Check:
    from workbench.store.database import file_of, open_database

    file = file_of(settings.database_url)
    if file is not None and not file.exists():
        return Check(subject="database", state=f"{file} is created at the first start")
    store = open_database(settings.database_url)
    try:
        return Check(subject="database", state=f"{store.describe()}, SQLite library {sqlite3.sqlite_version}")
    finally:
        store.close()


def _terminal(settings: Settings) -> Check:
    from workbench.toolbox.terminal.setting import open_backend

    backend = open_backend(settings.terminal, settings.data, settings.environment)
    if backend is None:
        return Check(subject="terminal", state="mock: commands are not run")
    try:
        backend.check()
    except FileNotFoundError as error:
        return Check(subject="terminal", state=f"{settings.terminal}: {error}")
    finally:
        backend.close()
    no_pty = f". No pty: {backend.no_terminal}" if backend.no_terminal else ""
    return Check(subject="terminal", state=backend.summary + no_pty)


def _browser(_: Settings) -> Check:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    state = found or "not found: browser tests are skipped (Debian: apt-get install chromium)"
    return Check(subject="browser", state=state)
