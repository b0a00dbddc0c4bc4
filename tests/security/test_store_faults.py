"""A database that was damaged from outside: every read ends and says what is damaged."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.security.damaged_store import CYCLE, Kept, fill
from workbench.errors import StoreError
from workbench.records.corpus.material import DamagedSession, SessionMaterial
from workbench.records.owner import LOCAL_OWNER
from workbench.records.versions import NewVersion, VersionKind
from workbench.store.backup.backup import check
from workbench.store.store import OwnedStore, Store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    file = tmp_path_factory.mktemp("made") / "made.sqlite3"
    with closing(Store(f"sqlite:///{file}")) as store:
        own = store.of(LOCAL_OWNER)
        (session, ids), (other, other_ids) = fill(own), fill(own)
    return Kept(file=file, session=session, ids=ids, other=other, other_ids=other_ids)


@pytest.fixture
def kept(made: Kept, tmp_path: Path) -> Kept:
    file = tmp_path / "workbench.sqlite3"
    shutil.copyfile(made.file, file)
    return Kept(file=file, session=made.session, ids=made.ids, other=made.other, other_ids=made.other_ids)


@pytest.fixture
def own(kept: Kept) -> Iterator[Callable[[], OwnedStore]]:
    """Return a function that opens the store after it was damaged."""
    opened: list[Store] = []

    def open_it() -> OwnedStore:
        opened.append(Store(f"sqlite:///{kept.file}"))
        return opened[-1].of(LOCAL_OWNER)

    yield open_it
    for store in opened:
        store.close()


READS: dict[str, Callable[[OwnedStore, Kept], object]] = {
    "session": lambda own, kept: own.sessions.find_session(kept.session),
    "path": lambda own, kept: own.sessions.path(kept.session),
    "tree": lambda own, kept: own.sessions.tree(kept.session),
    "copy": lambda own, kept: own.sessions.copy_session(kept.session),
    "share": lambda own, kept: own.sharing.shared_path(own.sharing.share(kept.session)),
    "stale": lambda own, kept: own.labels.stale(kept.session),
    "facts": lambda own, kept: own.facts.of_session(kept.session),
    "material": lambda own, kept: _material(own, kept).path(_material(own, kept).leaf_id),
    "delete": lambda own, kept: own.sessions.delete_message(kept.session, kept.ids[1]),
    "list": lambda own, _: own.sessions.list_sessions(),
    "versions": lambda own, _: own.versions.lines(None),
}


def _material(own: OwnedStore, kept: Kept) -> SessionMaterial:
    found = own.corpus.material(kept.session)
    if isinstance(found, DamagedSession):
        raise StoreError(f"session {found.session_id!r}: {found.problem}")
    assert found
    return found


# Of each: the damage; what `db check` says; which reads fail; what they say.
DAMAGES: dict[str, tuple[str, str, str, str]] = {
    "a message above itself": (
        "UPDATE message SET parent_id = {m3} WHERE id = {m3}",
        CYCLE,
        "path tree copy share material delete stale",
        CYCLE,
    ),
    "two above each other": (
        "UPDATE message SET parent_id = {m3} WHERE id = {m2}",
        CYCLE,
        "path tree copy share material delete stale",
        CYCLE,
    ),
    "the root below the leaf": (
        "UPDATE message SET parent_id = {m3} WHERE id = {m0}",
        CYCLE,
        "path tree copy share material delete stale",
        CYCLE,
    ),
    "a cycle on a branch that is not open": (
        "UPDATE message SET parent_id = {m4} WHERE id = {m4}",
        CYCLE,
        "tree material delete",
        CYCLE,
    ),
    "a parent that is gone": (
        "UPDATE message SET parent_id = 'gone' WHERE id = {m1}",
        "follows message 'gone', which does not exist",
        "path copy share material stale",
        "not in the session",
    ),
    "a parent in another session": (
        "UPDATE message SET parent_id = {n0} WHERE id = {m1}",
        "of another session",
        "path copy share material stale",
        "not in the session",
    ),
    "an open leaf that is gone": (
        "UPDATE session SET leaf_id = 'gone' WHERE id = {s}",
        "column leaf_id",
        "path copy share material stale",
        "'gone': it is not in the session",
    ),
    "an open leaf in another session": (
        "UPDATE session SET leaf_id = {n3} WHERE id = {s}",
        "column leaf_id",
        "path copy share material stale",
        "not in the session",
    ),
    "a copy of what is gone": (
        "UPDATE message SET copy_of = {n1} WHERE id = {m1}",
        "is a copy of",
        "",
        "",
    ),
    "broken JSON of calls": (
        "UPDATE message SET calls = '[{{' WHERE id = {m1}",
        "column calls: broken JSON",
        "path copy share material",
        "column calls: broken JSON",
    ),
    "calls that are an object": (
        "UPDATE message SET calls = '{{}}' WHERE id = {m1}",
        "column calls: its JSON is not an array",
        "path copy share material",
        "column calls",
    ),
    "calls of numbers": (
        "UPDATE message SET calls = '[1]' WHERE id = {m1}",
        "column calls: .*not a call",
        "path copy share material",
        "not a call",
    ),
    "a call of something else": (
        """UPDATE message SET calls = '[{{"name": "f", "arguments": {{}}, "x": 1}}]' WHERE id = {m1}""",
        "column calls: .*not a call",
        "path copy share material",
        "not a call",
    ),
    "JSON nested too deep": (
        "UPDATE message SET calls = replace(hex(zeroblob(50000)), '00', '[') WHERE id = {m1}",
        "column calls: broken JSON",
        "path copy share material",
        "broken JSON",
    ),
    "an empty setup": (
        "UPDATE session SET setup = '' WHERE id = {s}",
        "session '.*', column setup: broken JSON",
        "session path tree copy share stale material delete",
        "column setup: broken JSON",
    ),
    "a setup that is text": (
        "UPDATE session SET setup = '\"x\"' WHERE id = {s}",
        "column setup: its JSON is not an object",
        "session path copy",
        "column setup",
    ),
    "a setup of wrong types": (
        """UPDATE session SET setup = '{{"max_rounds": []}}' WHERE id = {s}""",
        r"column setup: setup\.max_rounds",
        "session material",
        r"setup\.max_rounds",
    ),
    "broken JSON of a sampling": (
        "UPDATE generation SET sampling = 'x'",
        "generation .* column sampling: broken JSON",
        "path copy share material",
        "column sampling: broken JSON",
    ),
    "a sampling of wrong types": (
        """UPDATE generation SET sampling = '{{"seed": "x"}}'""",
        r"sampling\.seed",
        "path copy share",
        r"sampling\.seed",
    ),
    "broken JSON of tokens": (
        "UPDATE generation SET tokens = '[1'",
        "column tokens: broken JSON",
        "path copy share material",
        "column tokens",
    ),
    "broken JSON of a tool's findings": (
        "UPDATE tool_run SET findings = 'nope'",
        "tool_run .* column findings: broken JSON",
        "path copy share",
        "column findings",
    ),
    "broken JSON of a fact": (
        "UPDATE fact SET edits = '{{'",
        "fact .* column edits: broken JSON",
        "facts",
        "column edits",
    ),
    "an unknown role": (
        "UPDATE message SET role = 'robot' WHERE id = {m1}",
        "column role: 'robot' is not one of assistant",
        "path tree copy share material delete",
        "robot",
    ),
    "an unknown origin": (
        "UPDATE message SET origin = 'elsewhere' WHERE id = {m1}",
        "column origin: 'elsewhere' is not one of",
        "path copy share material",
        "elsewhere",
    ),
    "an unknown reason": (
        "UPDATE generation SET finish_reason = 'bored'",
        "column finish_reason: 'bored' is not one of",
        "path copy share material",
        "bored",
    ),
    "an unknown kind of fact": (
        "UPDATE fact SET kind = 'guess'",
        "column kind: 'guess' is not one of",
        "facts",
        "guess",
    ),
    "a text that is not UTF-8": (
        "UPDATE message SET text = CAST(x'ff41' AS TEXT) WHERE id = {m1}",
        "column text: its text is not UTF-8",
        "path copy share material",
        "UTF-8",
    ),
    "a text that is bytes": (
        "UPDATE message SET text = x'4142' WHERE id = {m1}",
        "column text: .* is not text",
        "path copy share material",
        "is not text",
    ),
    "a title that is bytes": (
        "UPDATE session SET title = x'ff' WHERE id = {s}",
        "session .* column title: .* is not text",
        "session list",
        "is not text",
    ),
    "an invalid time": (
        "UPDATE message SET created_at = '2024-99-99' WHERE id = {m1}",
        "column created_at: '2024-99-99' is not a time",
        "path tree copy share material",
        "not a time",
    ),
    "a time that is a number": (
        "UPDATE message SET created_at = 5 WHERE id = {m1}",
        "column created_at: '5' is not a time",
        "path tree copy share material",
        "not a time",
    ),
    "a number that is a word": (
        "UPDATE tool_run SET call_index = 'first'",
        "column call_index: 'first' is not a whole number",
        "path copy share",
        "not a whole number",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_by_the_check_and_reported_by_each_read(
    kept: Kept, own: Callable[[], OwnedStore], name: str
) -> None:
    statement, found, failing, said = DAMAGES[name]
    kept.damage(statement)
    problems = check(f"sqlite:///{kept.file}").problems
    assert any(re.search(found, problem) for problem in problems), problems
    assert all("restore a backup" in problem for problem in problems)
    store = own()
    for read in failing.split():
        with pytest.raises(StoreError, match=said):
            READS[read](store, kept)
    # The others may read the damaged row too. They end, and with no other error.
    for read in READS.keys() - set(failing.split()):
        with suppress(StoreError):
            READS[read](store, kept)
    if "generation" not in statement and "fact" not in statement and "tool_run" not in statement:
        assert len(store.sessions.path(kept.other)) == 4


def test_a_valid_database_has_no_problems(kept: Kept) -> None:
    assert list(check(f"sqlite:///{kept.file}").problems) == []


def test_an_error_about_a_cycle_names_session_and_message(kept: Kept, own: Callable[[], OwnedStore]) -> None:
    kept.damage("UPDATE message SET parent_id = {m3} WHERE id = {m1}")
    with pytest.raises(StoreError) as raised:
        own().sessions.path(kept.session)
    said = str(raised.value)
    assert kept.session in said
    assert any(one in said for one in kept.ids)
    assert "workbench db check" in said


def test_a_damaged_unfinished_message_does_not_keep_the_workbench_from_starting(
    kept: Kept, own: Callable[[], OwnedStore], caplog: pytest.LogCaptureFixture
) -> None:
    kept.damage(
        "INSERT INTO unfinished VALUES ('u', {s}, {m0}, 'half', 'broken', 'gone 1 1.00', '2024-01-01 00:00:00')"
    )
    assert len(own().sessions.path(kept.session)) == 4
    assert "unfinished 'u'" in caplog.text
    assert any("column generation" in one for one in check(f"sqlite:///{kept.file}").problems)


def test_a_version_that_is_its_own_ancestor_is_reported(kept: Kept, own: Callable[[], OwnedStore]) -> None:
    store = own()
    store.versions.save(NewVersion(kind=VersionKind.CONTRACT, name="x", text="one"))
    kept.damage("UPDATE version SET parent_id = id")
    version_id = store.versions.lines(None)[0].head.id
    with pytest.raises(StoreError, match="the parents form a cycle"):
        store.versions.comes_from(version_id, "0" * 64)
    assert any("its own ancestor" in problem for problem in check(f"sqlite:///{kept.file}").problems)


def test_many_damaged_rows_are_counted(kept: Kept) -> None:
    kept.damage(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 50)"
        " INSERT INTO note SELECT 'x', i, x'00' FROM n"
    )
    problems = check(f"sqlite:///{kept.file}").problems
    assert len(problems) == 21
    assert problems[-1] == "note: 30 more problems in this table"
