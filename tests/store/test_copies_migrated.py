"""Revision 0002 finds the originals of what older versions kept as equal generations."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.store.opening import sessions_in
from workbench.store.database import open_database
from workbench.store.migrate import MIGRATIONS

ROWS = """
INSERT INTO session VALUES ('s', NULL, 'hi', '2026-01-01 00:00:00', '2026-01-01 00:00:09',
    '{"contract_name": "c", "contract_text": "t"}', 'c3');
INSERT INTO prompt VALUES ('p', 'prompt');
INSERT INTO generation VALUES (1, 's', 'x', 'p', 1, '', '{"seed": 7}', 'auto', 'stop', 9, 1, 2, 0.1, 0.2, 'e', 'f', 't');
INSERT INTO message VALUES ('m1', 's', NULL, 0, 'user', 'person', ' hi', '[]', NULL, NULL, '2026-01-01 00:00:01', NULL);
INSERT INTO message VALUES ('m2', 's', 'm1', 1, 'assistant', 'model', 'a', '[]', NULL, NULL, '2026-01-01 00:00:02', 1);
INSERT INTO message VALUES ('m3', 's', 'm2', 2, 'tool', 'mock', '12', '[]', NULL, 'now', '2026-01-01 00:00:03', NULL);
INSERT INTO tool_run VALUES ('m3', 0, 0, 1.5, 'mock rule 1');
INSERT INTO message VALUES ('c1', 's', NULL, 0, 'user', 'person', ' hi', '[]', NULL, NULL, '2026-01-01 00:00:04', NULL);
INSERT INTO message VALUES ('c2', 's', 'c1', 1, 'assistant', 'model', 'a', '[]', NULL, NULL, '2026-01-01 00:00:05', 1);
INSERT INTO message VALUES ('c3', 's', 'c2', 2, 'tool', 'mock', '12', '[]', NULL, 'now', '2026-01-01 00:00:06', NULL);
INSERT INTO tool_run VALUES ('c3', 0, 0, 1.5, 'mock rule 1');
"""


def test_a_database_of_revision_0001_loses_nothing(file: Path, tmp_path: Path) -> None:
    first = tmp_path / "first"
    shutil.copytree(
        MIGRATIONS, first, ignore=shutil.ignore_patterns("__pycache__", "000[2-9]_*", "00[1-9][0-9]_*")
    )
    open_database(f"sqlite:///{file}", migrations=first).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(ROWS)
    with sessions_in(f"sqlite:///{file}") as store:
        old, new = store.path("s", leaf_id="m3"), store.path("s")
        found = store.find_session("s")
    assert [kept.message for kept in old] == [kept.message for kept in new]
    assert [kept.message.text for kept in new] == [" hi", "a", "12"]
    assert [kept.copy_of for kept in old] == [None, None, None]
    assert [kept.copy_of for kept in new] == [None, "m2", None]
    assert new[1].generation == old[1].generation
    assert new[1].generation and new[1].generation.prompt_text == "prompt"
    assert new[1].generation.sampling.seed == 7
    assert new[1].generation.timing.evaluated_tokens is None
    assert new[2].tool_run and (new[2].tool_run.rule, new[2].tool_run.arguments) == ("mock rule 1", None)
    assert found and (found.tags, found.share_key, found.is_own) == ((), None, True)
