"""Settings to Services: the one module that knows every concrete class."""

import time
from collections.abc import Generator
from contextlib import contextmanager

from workbench.desk.calendar import SystemCalendar
from workbench.desk.services import Services
from workbench.engines.all_models import ZERO_GPU, AllModels, Places
from workbench.engines.hub.gguf_hub import GgufHub
from workbench.engines.llama_loading import MEGABYTE, Loading, LoraAdapter
from workbench.engines.models import LocalModels
from workbench.engines.remote.server import DEFAULT_URLS, Kind, Mode, Server
from workbench.engines.server_file import load_servers
from workbench.engines.zero_gpu import register
from workbench.errors import BadInput
from workbench.library.homes import find_folder
from workbench.library.prompts import FileLibrary
from workbench.settings import Settings, read_secret
from workbench.store.sessions import SqlStore
from workbench.toolbox.catalog import FileCatalog


def build_models(settings: Settings, hub: GgufHub) -> AllModels:
    """Every model that the settings and the data folder name; nothing is loaded yet.

    Raises:
        BadInput: `servers.yaml` or a setting of the server cannot be used, or `prompts/` is nowhere.
    """
    if settings.model.startswith(ZERO_GPU):
        register()
    loading = Loading(
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        gpu_layers=settings.gpu_layers,
        flash_attention=settings.flash_attention,
        kv_type=settings.kv_type,
        lora=tuple(LoraAdapter(path=path, scale=scale) for path, scale in settings.lora),
        prefix_cache_bytes=settings.prefix_cache_mb * MEGABYTE,
    )
    places = Places(
        servers=load_servers(settings.data, timeout_s=settings.remote_timeout_s, read_secret=read_secret),
        default_server=_default_server(settings),
        scripts=(settings.data / "scripts", find_folder("prompts", settings.home) / "scripts"),
        recordings=settings.data / "recordings",
        timeout_s=settings.remote_timeout_s,
    )
    return AllModels(
        local=LocalModels(loading=loading, find_cached=hub.path),
        default=settings.model,
        places=places,
        cached_names=lambda: [one.name for one in hub.cached()],
    )


def _default_server(settings: Settings) -> Server | None:
    kinds, modes = tuple(Kind), tuple(Mode)
    if settings.openai_kind not in kinds:
        raise BadInput("setting WORKBENCH_OPENAI_KIND", f"no kind {settings.openai_kind!r}", ", ".join(kinds))
    if settings.openai_mode not in modes:
        raise BadInput("setting WORKBENCH_OPENAI_MODE", f"no mode {settings.openai_mode!r}", ", ".join(modes))
    kind = Kind(settings.openai_kind)
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


@contextmanager
def open_services(settings: Settings) -> Generator[Services]:
    """The edges as the settings want them; closed at the end.

    Raises:
        BadInput: `prompts/` or `tools_catalog/` is nowhere.
        StoreError: The database cannot be opened or migrated.
    """
    hub = GgufHub(wait=time.sleep)
    models = build_models(settings, hub)
    store = SqlStore(settings.database_url)
    try:
        yield Services(
            settings=settings,
            store=store,
            library=FileLibrary(find_folder("prompts", settings.home)),
            catalog=FileCatalog(find_folder("tools_catalog", settings.home)),
            models=models,
            hub=hub,
            calendar=SystemCalendar(),
        )
    finally:
        models.close()
        store.close()
