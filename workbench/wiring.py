"""Settings to Services: the one module that knows every concrete class."""

from collections.abc import Generator
from contextlib import contextmanager

from workbench.desk.calendar import SystemCalendar
from workbench.desk.loop_tools.memory import ProcessMemories
from workbench.desk.services import Services
from workbench.engines.llama_cpp import Loading
from workbench.engines.models import LocalModels
from workbench.library.homes import find_folder
from workbench.library.prompts import FileLibrary
from workbench.settings import Settings
from workbench.store.store import SqlStore
from workbench.toolbox.approval.judge import EngineJudge
from workbench.toolbox.opening import open_catalog
from workbench.toolbox.studio import CatalogStudio


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
    judge = EngineJudge(lambda: models.engine(settings.judge)) if settings.judge else None
    catalog = open_catalog(find_folder("tools_catalog", settings.home), settings, judge=judge)
    try:
        yield Services(
            settings=settings,
            store=store,
            library=FileLibrary(find_folder("prompts", settings.home)),
            catalog=catalog,
            models=models,
            calendar=SystemCalendar(),
            studio=CatalogStudio(catalog),
            memories=ProcessMemories(),
        )
    finally:
        catalog.close()
        models.close()
        store.close()
