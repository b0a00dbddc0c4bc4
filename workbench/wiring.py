"""Settings to Services: the one module that knows every concrete class."""

from collections.abc import Generator
from contextlib import contextmanager

from workbench.desk.calendar import SystemCalendar
from workbench.desk.services import Services
from workbench.engines.llama_cpp import Loading
from workbench.engines.models import LocalModels
from workbench.library.homes import find_folder
from workbench.library.prompts import FileLibrary
from workbench.settings import Settings
from workbench.store.store import SqlStore
from workbench.toolbox.catalog import FileCatalog


@contextmanager
def open_services(settings: Settings) -> Generator[Services]:
    """The edges as the settings want them; closed at the end.

    Raises:
        BadInput: `prompts/` or `tools_catalog/` is nowhere.
        StoreError: The database cannot be opened or migrated.
    """
    loading = Loading(
        context_tokens=settings.context_tokens, threads=settings.threads, gpu_layers=settings.gpu_layers
    )
    models = LocalModels(loading=loading, default=settings.model)
    store = SqlStore(settings.database_url)
    try:
        yield Services(
            settings=settings,
            store=store,
            library=FileLibrary(find_folder("prompts", settings.home)),
            catalog=FileCatalog(find_folder("tools_catalog", settings.home)),
            models=models,
            calendar=SystemCalendar(),
        )
    finally:
        models.close()
        store.close()
