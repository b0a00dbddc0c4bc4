"""A SQLite database that is migrated once and copied by every test that needs one."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from workbench.store.store import Store

FILE_NAME = "workbench.sqlite3"


def put_database(data: Path) -> Path:
    """Puts an empty, migrated database into a data folder and returns its file.

    Migrating takes 0.4 s of processor time, copying next to none.
    """
    data.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(_migrated_file(), data / FILE_NAME))


@cache
def _migrated_file() -> Path:
    folder = tempfile.mkdtemp(prefix="workbench-database-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = Path(folder) / FILE_NAME
    Store(f"sqlite:///{file}").close()
    return file
