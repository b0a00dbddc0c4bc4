"""Build `Services` from the settings. The only module that knows every concrete class.

Each function imports what it builds, because a command that lists presets should not wait for the models.
"""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.errors import BadInput
from workbench.records.owner import LOCAL_OWNER
from workbench.settings import Settings, read_secret, read_settings

if TYPE_CHECKING:
    from workbench.app.services import Services
    from workbench.engines.adapters import AdapterFiles
    from workbench.engines.all_models import AllModels
    from workbench.engines.gguf_files.vetting import GgufVetting
    from workbench.engines.hub.gguf_hub import GgufHub
    from workbench.engines.remote.server import Server
    from workbench.engines.remote.server_book import ServerBook
    from workbench.library.label_log import DatasetLabelLog
    from workbench.store.store import OwnedStore, Store


def build_models(settings: Settings, hub: "GgufHub") -> "AllModels":
    """Return all models that the settings and the data folder name, without loading any.

    Raises:
        BadInput: `servers.yaml` or a setting of the server is invalid, or `prompts/` is missing.
    """
    from workbench.engines.all_models import ZERO_GPU, AllModels, EngineSources
    from workbench.engines.llama_loading import MEGABYTE, LoadOptions, LoraAdapter
    from workbench.engines.models import LocalModels
    from workbench.engines.zero_gpu import register
    from workbench.library.home_files import find_folder

    if settings.model.startswith(ZERO_GPU):
        register()
    loading = LoadOptions(
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        gpu_layers=settings.gpu_layers,
        flash_attention=settings.flash_attention,
        kv_type=settings.kv_type,
        side_by_side=settings.side_by_side,
        lora=tuple(LoraAdapter(path=path, scale=scale) for path, scale in settings.lora),
        prefix_cache_bytes=settings.prefix_cache_mb * MEGABYTE,
        call_threshold=settings.call_threshold,
    )
    sources = EngineSources(
        scripts=(settings.data / "scripts", find_folder("prompts", settings.home) / "scripts"),
        recordings=settings.data / "recordings",
        timeout_s=settings.remote_timeout_s,
    )
    return AllModels(
        servers=build_servers(settings),
        local=LocalModels(
            loading=loading,
            find_cached=hub.path,
            adapters=find_adapters(settings),
            vetting=_vetting(settings),
            budget_bytes=settings.model_memory_mb * MEGABYTE,
        ),
        default=settings.model,
        sources=sources,
        cached_names=lambda: [model.name for model in hub.cached()],
        lends_token_to=_models_on_our_token(settings),
    )


def build_servers(settings: Settings) -> "ServerBook":
    """Return the servers of the settings and the data folder, without asking any.

    Raises:
        BadInput: `servers.yaml` or a setting of the server is invalid.
    """
    from workbench.engines.remote.server_book import ServerBook
    from workbench.engines.remote.servers_file import ServersFile

    file = ServersFile(settings.data, timeout_s=settings.remote_timeout_s, read_secret=read_secret)
    return ServerBook(file=file, default=_default_server(settings), timeout_s=settings.remote_timeout_s)


def _vetting(settings: Settings) -> "GgufVetting":
    """Return how model files are vetted: files that ship with the workbench are trusted, all others are tried first."""
    from workbench.engines.embedded_model import find_embedded, find_embedded_adapter
    from workbench.engines.gguf_files.vetting import GgufVetting

    shipped = (find_embedded(), find_embedded_adapter())
    trusted = frozenset(path for path in shipped if path is not None)
    return GgufVetting(memory=settings.data / "opened-models.json", trusted=trusted)


def _models_on_our_token(settings: Settings) -> frozenset[str] | None:
    """Return the models that visitors may use with the access token of the server, or None for all models.

    On a personal machine these are all models. On a public server they are only the models of the settings.
    """
    is_personal = not settings.is_on_space and not settings.accounts
    return None if is_personal else frozenset({settings.model, settings.judge})


def find_adapters(settings: Settings) -> "AdapterFiles":
    """Return the adapters of this machine: the shipped one, unless it is turned off, and those in the data folder."""
    from workbench.engines.adapters import AdapterFiles
    from workbench.engines.embedded_model import find_embedded_adapter

    shipped = find_embedded_adapter() if settings.has_embedded_adapter else None
    return AdapterFiles(folder=settings.data / "adapters", shipped=shipped)


def _default_server(settings: Settings) -> "Server | None":
    """Return the server of the WORKBENCH_OPENAI settings, or None if they give no address."""
    from workbench.engines.remote.server import DEFAULT_URLS, Mode, Server, ServerKind

    kinds, modes = tuple(ServerKind), tuple(Mode)
    if settings.openai_kind not in kinds:
        raise BadInput(
            "setting WORKBENCH_OPENAI_KIND",
            f"unknown kind {settings.openai_kind!r}",
            f"use one of {', '.join(kinds)}",
        )
    if settings.openai_mode not in modes:
        raise BadInput(
            "setting WORKBENCH_OPENAI_MODE",
            f"unknown mode {settings.openai_mode!r}",
            f"use one of {', '.join(modes)}",
        )
    kind = ServerKind(settings.openai_kind)
    base_url = settings.openai_base_url or DEFAULT_URLS.get(kind, "")
    if not base_url:
        return None
    return Server(
        name="",
        base_url=base_url,
        key=settings.openai_api_key,
        kind=kind,
        mode=Mode(settings.openai_mode),
        timeout_s=settings.remote_timeout_s,
    )


def upstream_models(settings: Settings) -> Callable[[], Sequence[str]]:
    """Return a function that fetches the names of the models on the server of the settings.

    Raises:
        BadInput: The settings name no server.
    """
    server = _default_server(settings)
    if server is None:
        raise BadInput("setting WORKBENCH_OPENAI_BASE_URL", "it is empty", "set the address of the server")

    def fetch() -> Sequence[str]:
        # The client of the OpenAI protocol is slow to import.
        from workbench.engines.remote.transport.model_lists import fetch_model_names

        return fetch_model_names(server)

    return fetch


@contextmanager
def open_services(settings: Settings) -> "Generator[Services]":
    """Open the services that the settings describe, and close them at the end.

    Raises:
        BadInput: `prompts/` or `tools_catalog/` is missing.
        StoreError: The database cannot be opened or migrated.
    """
    from workbench.app.services import Services, SystemCalendar
    from workbench.app.version_files import take_files
    from workbench.engines.hub.gguf_hub import GgufHub
    from workbench.library.datasets.exporting import DatasetFiles
    from workbench.library.home_files import ContractFiles, HomeFiles, find_folder, load_prices
    from workbench.toolbox.approval.gate import EngineJudge
    from workbench.toolbox.catalog import open_catalog
    from workbench.toolbox.studio import ToolStudio

    hub = GgufHub(wait=time.sleep)
    with ExitStack() as closing_last_first:
        models = build_models(settings, hub)
        closing_last_first.callback(models.close)
        store = closing_last_first.enter_context(_opened_store(settings))
        judge = EngineJudge(lambda: models.engine(settings.judge)) if settings.judge else None
        catalog = open_catalog(find_folder("tools_catalog", settings.home), settings, judge=judge)
        closing_last_first.callback(catalog.close)
        services = Services(
            settings=settings,
            store=store,
            library=ContractFiles(find_folder("prompts", settings.home)),
            catalog=catalog,
            files=HomeFiles(settings.home),
            models=models,
            servers=models.servers,
            hub=hub,
            adapters=find_adapters(settings),
            calendar=SystemCalendar(),
            studio=ToolStudio(catalog),
            memories=store.memories,
            datasets=DatasetFiles(),
            prices=load_prices(settings.data),
        )
        take_files(services.files, store.of(LOCAL_OWNER).versions)
        yield services


@contextmanager
def open_worker_services(*, threads: int) -> "Generator[Services]":
    """Open services for a worker of a suite run, with the settings of its machine and an empty database.

    The database is deleted at the end.

    Args:
        threads: Threads of a local model, if the settings do not say.

    Raises:
        BadInput: A setting is invalid, or `prompts/` or `tools_catalog/` is missing.
        StoreError: The database cannot be created.
    """
    from workbench.store.backup.temporary import temporary_database

    settings = read_settings()
    with temporary_database() as url:
        own = replace(
            settings, database_url=url, bucket=None, dataset="", threads=settings.threads or threads
        )
        with open_services(own) as services:
            yield services


@contextmanager
def open_own_data(settings: Settings) -> "Generator[OwnedStore]":
    """Open only the stored data of the local user, without the modules that models and tools need.

    Raises:
        BadInput: `prompts/` or `tools_catalog/` is missing.
        StoreError: The database cannot be opened or migrated.
    """
    from workbench.app.version_files import take_files
    from workbench.library.home_files import HomeFiles

    with _opened_store(settings) as store:
        own = store.of(LOCAL_OWNER)
        take_files(HomeFiles(settings.home), own.versions)
        yield own


@contextmanager
def _opened_store(settings: Settings) -> "Generator[Store]":
    from workbench.store.store import Store

    with ExitStack() as closing_last_first:
        # Entered before the database is opened, so that it ends after the database is closed.
        closing_last_first.enter_context(_snapshots(settings))
        label_log = _label_log(settings)
        if label_log:
            closing_last_first.callback(label_log.close)
        store = Store(settings.database_url, label_log=label_log)
        closing_last_first.callback(store.close)
        yield store


def _label_log(settings: Settings) -> "DatasetLabelLog | None":
    if not settings.dataset:
        return None
    # The client of the Hugging Face Hub is slow to import, and few setups need it.
    from workbench.library.label_log import DatasetLabelLog

    return DatasetLabelLog(settings.dataset, settings.data / "labels")


def _snapshots(settings: Settings) -> AbstractContextManager[object]:
    from workbench.store.database import file_of
    from workbench.store.snapshots import periodic_snapshots

    file = file_of(settings.database_url)
    if settings.bucket is None or file is None:
        return nullcontext()
    return periodic_snapshots(file, settings.bucket, every_s=settings.snapshot_minutes * 60)
