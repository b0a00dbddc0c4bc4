"""A SQLite database that is migrated once and copied by every test that needs one."""

import atexit
import shutil
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

from workbench.app.version_files import take_files
from workbench.library.home_files import HomeFiles
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store

CHECKOUT = Path(__file__).parents[1]
FILE_NAME = "workbench.sqlite3"


def put_database(data: Path, *, has_versions: bool = True) -> Path:
    """Puts a migrated database into a data folder and returns its file.

    Migrating takes 0.4 s of processor time, importing the files of the checkout another 0.4 s, copying
    next to none.

    Args:
        data: The folder.
        has_versions: Whether the files of the checkout are versions, as after the first opening there. Otherwise the
            database is empty.
    """
    data.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(_file(has_versions=has_versions), data / FILE_NAME))


@cache
def _file(*, has_versions: bool) -> Path:
    folder = tempfile.mkdtemp(prefix="workbench-database-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = Path(folder) / FILE_NAME
    with closing(Store(f"sqlite:///{file}")) as store:
        if has_versions:
            take_files(HomeFiles(CHECKOUT), store.of(LOCAL_OWNER).versions)
    return file
