"""Settings to Services: the one module that knows every concrete class."""

from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING

from workbench.desk.calendar import SystemCalendar
from workbench.desk.owner import LOCAL_OWNER
from workbench.desk.services import Services
from workbench.desk.versions.files import take_files
from workbench.engines.llama_cpp import Loading
from workbench.engines.models import LocalModels
from workbench.library.home_files import HomeFiles
from workbench.library.homes import find_folder
from workbench.library.prompts import FileLibrary
from workbench.settings import Settings
from workbench.store.database import file_of
from workbench.store.snapshots import snapshots_taken
from workbench.store.store import SqlStore
from workbench.toolbox.catalog import FileCatalog

if TYPE_CHECKING:
    from workbench.library.label_log import DatasetLabelLog


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
    with ExitStack() as closing_last_first:
        models = LocalModels(loading=loading, default=settings.model)
        closing_last_first.callback(models.close)
        # Begun before the database is opened, so that it ends once that is closed.
        closing_last_first.enter_context(_snapshots(settings))
        label_log = _label_log(settings)
        if label_log:
            closing_last_first.callback(label_log.close)
        store = SqlStore(settings.database_url, label_log=label_log)
        closing_last_first.callback(store.close)
        services = Services(
            settings=settings,
            store=store,
            library=FileLibrary(find_folder("prompts", settings.home)),
            catalog=FileCatalog(find_folder("tools_catalog", settings.home)),
            files=HomeFiles(settings.home),
            models=models,
            calendar=SystemCalendar(),
        )
        take_files(services.files, store.of(LOCAL_OWNER).versions)
        yield services


def _label_log(settings: Settings) -> "DatasetLabelLog | None":
    if not settings.dataset:
        return None
    # The hub's client takes long to load, and few need it.
    from workbench.library.label_log import DatasetLabelLog

    return DatasetLabelLog(settings.dataset, settings.data / "labels")


def _snapshots(settings: Settings) -> AbstractContextManager[object]:
    file = file_of(settings.database_url)
    if settings.bucket is None or file is None:
        return nullcontext()
    return snapshots_taken(file, settings.bucket, every_s=settings.snapshot_minutes * 60)
