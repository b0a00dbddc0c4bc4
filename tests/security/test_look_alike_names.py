"""Names that look the same cannot be made anywhere, and names of earlier versions keep working."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.databases import put_database
from tests.store.opening import change
from workbench.app.version_files import write_file
from workbench.errors import BadInput
from workbench.label.records.project import Member, Project
from workbench.library.home_files import HomeFiles
from workbench.records.label_words import ProjectRole
from workbench.records.owner import LOCAL_OWNER
from workbench.records.run_config import RunConfig
from workbench.records.versions import NewVersion, VersionKind
from workbench.settings import read_settings
from workbench.store.store import OwnedStore, Store

SETUP = RunConfig(contract_name="x", contract_text="x", tools_text="[]", model="scripted:x")
Make = Callable[[OwnedStore, str], object]


def _version(kind: VersionKind) -> Make:
    return lambda own, name: own.versions.save(NewVersion(kind=kind, name=name, text=f"text of {name!r}"))


def _renamed(own: OwnedStore, name: str) -> object:
    own.versions.save(NewVersion(kind=VersionKind.CONTRACT, name="before", text="x"))
    return own.version_names.rename(VersionKind.CONTRACT, "before", name)


def _tagged_version(own: OwnedStore, name: str) -> object:
    version = own.versions.save(NewVersion(kind=VersionKind.CONTRACT, name="x", text="x"))
    return own.versions.tag(version.id, name)


def _renamed_preset(own: OwnedStore, name: str) -> object:
    own.presets.save_preset("before", SETUP, replaces=True)
    return own.presets.rename_preset("before", name)


def _tagged(own: OwnedStore, name: str) -> object:
    return own.sessions.tag_session(own.sessions.create_session(SETUP).id, [name])


def _titled(own: OwnedStore, name: str) -> object:
    return own.sessions.rename_session(own.sessions.create_session(SETUP).id, name)


IDENTITIES: dict[str, Make] = {
    **{kind.value: _version(kind) for kind in VersionKind},
    "file": lambda own, name: own.versions.take_file(VersionKind.SUITE, name, "x"),
    "renamed": _renamed,
    "preset": lambda own, name: own.presets.save_preset(name, SETUP),
    "renamed preset": _renamed_preset,
    "project": lambda own, name: own.label_projects.save_project(Project(name=name)),
    "accounts": lambda _own, name: read_settings({"WORKBENCH_AUTH": f"Minimal:h {name}:h"}),
    "gateway keys": lambda _own, name: read_settings({"WORKBENCH_GATEWAY_KEYS": f"Minimal:h {name}:h"}),
}
OTHERS: dict[str, Make] = {
    "version tag": _tagged_version,
    "tag": _tagged,
    "title": _titled,
    "member": lambda own, name: own.label_projects.save_project(
        Project(name="p", members=(Member(name=name, role=ProjectRole.ANNOTATOR),))
    ),
}


@pytest.fixture
def store(tmp_path: Path):
    with closing(Store(f"sqlite:///{put_database(tmp_path, has_versions=False)}")) as opened:
        yield opened


@pytest.fixture
def own(store: Store) -> OwnedStore:
    return store.of(LOCAL_OWNER)


@pytest.mark.parametrize("name", ["a\u202eb", "a\u200bb", "\ufeffab", "a\u00adb", "a\u2067b", "ab\u3164"])
@pytest.mark.parametrize("what", [*IDENTITIES, *OTHERS])
def test_an_invisible_character_is_refused_wherever_a_name_is_made(
    own: OwnedStore, what: str, name: str
) -> None:
    with pytest.raises(BadInput):
        (IDENTITIES | OTHERS)[what](own, name)


@pytest.mark.parametrize("what", list(IDENTITIES))
def test_a_name_that_differs_only_in_case_is_refused(own: OwnedStore, what: str) -> None:
    make = IDENTITIES[what]
    if not what.startswith(("accounts", "gateway")):
        make(own, "Minimal")
    with pytest.raises(BadInput, match="differs from 'Minimal' only in case"):
        make(own, "minimal")


def test_a_tag_of_a_version_that_differs_only_in_case_is_refused(own: OwnedStore) -> None:
    _tagged_version(own, "production")
    with pytest.raises(BadInput, match="differs from 'production' only in case"):
        _tagged_version(own, "Production")


def test_both_spellings_of_an_accent_are_one_contract(own: OwnedStore) -> None:
    save = _version(VersionKind.CONTRACT)
    save(own, "x\u00e9")
    save(own, "xe\u0301")
    assert [(line.head.name, line.head.number) for line in own.versions.lines()] == [("xé", 2)]
    found = own.versions.find(VersionKind.CONTRACT, "xe\u0301")
    assert found and found.number == 2


@pytest.fixture
def old(store: Store, own: OwnedStore) -> OwnedStore:
    """Data of an earlier version, which allowed such names."""
    for place, name in enumerate(["Minimal", "minimal", "a\u202eb", "xe\u0301"]):
        _version(VersionKind.CONTRACT)(own, f"n{place}")
        with store._database.writing() as db:
            db.connection().execute(text("PRAGMA defer_foreign_keys = ON"))
            for table in ("version", "version_line"):
                values = {"new": name, "old": f"n{place}"}
                db.connection().execute(text(f"UPDATE {table} SET name = :new WHERE name = :old"), values)
    own.presets.save_preset("one", SETUP)
    change(store, "UPDATE preset SET name = 'a\u202eb'")
    return own


@pytest.mark.parametrize("name", ["Minimal", "minimal", "a\u202eb", "xe\u0301"])
def test_names_of_earlier_versions_are_read_and_get_new_versions(old: OwnedStore, name: str) -> None:
    assert old.versions.find(VersionKind.CONTRACT, name)
    _version(VersionKind.CONTRACT)(old, name)
    found = old.versions.find(VersionKind.CONTRACT, name)
    assert found and found.number == 2
    assert len(old.versions.lines()) == 4


def test_names_of_earlier_versions_are_exported_to_distinct_files(old: OwnedStore, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "prompts" / "contracts").mkdir(parents=True)
    files = HomeFiles(home)
    for line in old.versions.lines(VersionKind.CONTRACT):
        write_file(files, old.versions, line.head)
    names = [path.stem for path in (home / "prompts" / "contracts").iterdir()]
    assert len({name.casefold() for name in names}) == 4
    assert all(name.isprintable() for name in names)
    assert {"Minimal", "xe\u0301"} <= set(names)


def test_names_of_earlier_versions_are_renamed(old: OwnedStore) -> None:
    for name, new_name in [("minimal", "small"), ("a\u202eb", "ab"), ("Minimal", "minimal")]:
        old.version_names.rename(VersionKind.CONTRACT, name, new_name)
        assert old.versions.find(VersionKind.CONTRACT, new_name)
    assert old.presets.rename_preset("a\u202eb", "ab").name == "ab"


def test_a_file_from_a_mac_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "prompts" / "contracts"
    folder.mkdir(parents=True)
    (folder / "xe\u0301.md").write_text("x", encoding="utf-8")
    files = HomeFiles(tmp_path)
    assert files.names(VersionKind.CONTRACT) == ["xé"]
    assert files.find(VersionKind.CONTRACT, "xé") == files.find(VersionKind.CONTRACT, "xe\u0301") == "x"
