"""Wrap a visitor's stores so that every write is checked against the limits.

All code gets its stores through these wrappers, so new event handlers cannot forget a limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from workbench.app.limits import LAPTOP, PersonLimits
from workbench.errors import BadInput
from workbench.records.comparisons import Comparison, StoredComparison
from workbench.records.corpus.material import NewImport
from workbench.records.exchanges import ClientAnswer, ClientRequest, RecordedAnswer
from workbench.records.labels.action import AppliedAction, LabelAction
from workbench.records.labels.label import Label, NewLabel
from workbench.records.labels.project import Project
from workbench.records.presets import ListedPreset, SavedPreset
from workbench.records.run_config import RunConfig
from workbench.records.runs import StoredRun
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage, StoredSession
from workbench.records.versions import DeletedName, NewVersion, Version, VersionKind
from workbench.suite.plan import RunPlan

if TYPE_CHECKING:
    from workbench.store.comparisons import ComparisonStore
    from workbench.store.corpus import CorpusStore
    from workbench.store.import_writer import DigestedImport
    from workbench.store.labels import LabelStore
    from workbench.store.presets import PresetStore
    from workbench.store.recordings import RecordingStore
    from workbench.store.runs import RunStore
    from workbench.store.sessions import SessionStore
    from workbench.store.sharing import SharingStore
    from workbench.store.store import OwnedStore
    from workbench.store.versions import VersionStore


def limited(store: OwnedStore, limits: PersonLimits) -> OwnedStore:
    """Return the store with the limits applied: a write that exceeds one raises `BadInput` and stores nothing."""
    if replace(limits, turns_at_once=None, remote_at_once=None) == LAPTOP:
        return store
    sessions = store.sessions
    return replace(
        store,
        sessions=cast("SessionStore", _Sessions(sessions, limits)),
        sharing=cast("SharingStore", _Sharing(store.sharing, sessions, limits)),
        versions=cast("VersionStore", _Versions(store.versions, limits)),
        labels=cast("LabelStore", _Labels(store.labels, limits)),
        corpus=cast("CorpusStore", _Corpus(store.corpus, sessions, limits)),
        runs=cast("RunStore", _Runs(store.runs, limits)),
        comparisons=cast("ComparisonStore", _Comparisons(store.comparisons, limits)),
        presets=cast("PresetStore", _Presets(store.presets, limits)),
        recordings=cast("RecordingStore", _Recordings(store.recordings, sessions, limits)),
    )


class _Limited:
    """Passes all methods on to the inner store, except those that a subclass defines in order to check them."""

    def __init__(self, inner: object, limits: PersonLimits) -> None:
        self._inner: Any = inner
        self._limits = limits

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Sessions(_Limited):
    def create_session(self, setup: RunConfig, *, session_id: str | None = None) -> StoredSession:
        self._limits.check_setup(setup)
        _check_sessions(self._inner, self._limits)
        return self._inner.create_session(setup, session_id=session_id)

    def save_setup(self, session_id: str, setup: RunConfig) -> None:
        self._limits.check_setup(setup)
        self._inner.save_setup(session_id, setup)

    def rename_session(self, session_id: str, title: str) -> None:
        self._limits.check_text("title", title)
        self._inner.rename_session(session_id, title)

    def tag_session(self, session_id: str, tags: Sequence[str]) -> None:
        self._limits.check_texts("tags", tags)
        self._inner.tag_session(session_id, tags)

    def copy_session(self, session_id: str) -> StoredSession:
        _check_sessions(self._inner, self._limits)
        return self._inner.copy_session(session_id)

    def append(self, session_id: str, new: NewMessage, **options: Any) -> StoredMessage:
        self._check_messages(session_id, [new])
        return self._inner.append(session_id, new, **options)

    def append_all(
        self, session_id: str, new: Sequence[NewMessage], **options: Any
    ) -> Sequence[StoredMessage]:
        self._check_messages(session_id, new)
        return self._inner.append_all(session_id, new, **options)

    def _check_messages(self, session_id: str, new: Sequence[NewMessage]) -> None:
        submitted = [
            message for message in new if message.origin in (MessageOrigin.PERSON, MessageOrigin.IMPORT)
        ]
        for message in submitted:
            self._limits.check_text("message", message.message.text)
            self._limits.check_value("message", [call.arguments for call in message.message.calls])
        # Messages of models and tools are not checked, so that a turn that was allowed to start is not cut off.
        if submitted and self._limits.messages is not None:
            count = len(self._inner.tree(session_id))
            self._limits.check_stored("messages of a session", count + len(new) - 1, self._limits.messages)


class _Sharing(_Limited):
    def __init__(self, inner: SharingStore, sessions: SessionStore, limits: PersonLimits) -> None:
        super().__init__(inner, limits)
        self._sessions = sessions

    def copy_shared(self, key: str) -> StoredSession:
        _check_sessions(self._sessions, self._limits)
        return self._inner.copy_shared(key)


class _Versions(_Limited):
    def save(self, new: NewVersion) -> Version:
        self._limits.check_text(new.kind.value, new.text)
        self._limits.check_texts("version", (new.name, new.message))
        self._check_names(new.kind, new.name)
        self._check_history(new.kind, new.name)
        return self._inner.save(new)

    def restore(self, version_id: str, *, message: str = "") -> Version:
        self._limits.check_text("version", message)
        old = self._inner.version(version_id)
        if old is not None:
            self._check_history(old.kind, old.name)
        return self._inner.restore(version_id, message=message)

    def rename(self, kind: VersionKind, name: str, new_name: str) -> None:
        self._limits.check_text("name", new_name)
        self._inner.rename(kind, name, new_name)

    def restore_name(self, deletion_id: str, *, new_name: str = "") -> DeletedName:
        self._limits.check_text("name", new_name)
        for deleted in self._inner.deleted_names():
            if deleted.id == deletion_id:
                self._check_names(deleted.kind, new_name or deleted.name)
        return self._inner.restore_name(deletion_id, new_name=new_name)

    def delete_name(self, kind: VersionKind, name: str) -> DeletedName:
        self._check_deleted(f"deleted {kind.value}s", len(self._inner.deleted_names(kind)))
        return self._inner.delete_name(kind, name)

    def _check_deleted(self, label: str, count: int) -> None:
        limit = self._limits.own_names
        if limit is not None and count >= limit:
            raise BadInput(
                label, f"there are {count:,}, which is the maximum", "wait until the oldest are purged"
            )

    def _check_names(self, kind: VersionKind, name: str) -> None:
        limit = self._limits.own_names
        if limit is not None:
            own = {line.head.name for line in self._inner.lines(kind) if not line.head.is_shared}
            if name not in own:
                self._limits.check_stored(f"{kind.value}s of your own", len(own), limit)

    def _check_history(self, kind: VersionKind, name: str) -> None:
        limit = self._limits.versions
        if limit is not None:
            history = self._inner.history(kind, name, limit=limit)
            self._limits.check_stored(f"versions of {name!r}", len(history), limit)


class _Labels(_Limited):
    def save(self, new: NewLabel) -> Label:
        self._limits.check_value("label", (new.labeller, new.project, new.content))
        return self._inner.save(new)

    def apply(self, action: LabelAction) -> AppliedAction:
        self._limits.check_value("label", (action.labeller, action.project, action.changes))
        return self._inner.apply(action)

    def save_project(self, project: Project, *, who: str = "") -> Project:
        self._limits.check_value("label project", project)
        self._limits.check_stored("members", len(project.members) - 1, self._limits.runs)
        names = {existing.name for existing in self._inner.list_projects() if not existing.owner}
        if project.name not in names:
            self._limits.check_stored("label projects", len(names), self._limits.runs)
        return self._inner.save_project(project, who=who)


class _Corpus(_Limited):
    def __init__(self, inner: CorpusStore, sessions: SessionStore, limits: PersonLimits) -> None:
        super().__init__(inner, limits)
        self._sessions = sessions

    def add_import(self, new: NewImport, *, digest: str) -> str:
        limits = self._limits
        limits.check_setup(new.setup)
        messages = (*new.messages, *new.rejected)
        limits.check_stored("messages of a session", len(messages) - 1, limits.messages)
        for message in messages:
            limits.check_text("message", message.text)
        limits.check_texts("tags", new.tags)
        _check_sessions(self._sessions, limits)
        return self._inner.add_import(new, digest=digest)

    def add_imports(self, new: Sequence[DigestedImport]) -> Sequence[str | BadInput]:
        # One by one, because each session counts for the limit of the next.
        return [self._added(digested) for digested in new]

    def _added(self, digested: DigestedImport) -> str | BadInput:
        try:
            return self.add_import(digested.new, digest=digested.digest)
        except BadInput as error:
            return error


class _Recordings(_Limited):
    def __init__(self, inner: RecordingStore, sessions: SessionStore, limits: PersonLimits) -> None:
        super().__init__(inner, limits)
        self._sessions = sessions

    def record(self, session_id: str, request: ClientRequest, answer: ClientAnswer) -> RecordedAnswer:
        limits = self._limits
        limits.check_setup(request.setup)
        limits.check_texts("request", (request.client, request.session_name, request.tag))
        for message in request.messages:
            limits.check_text("message", message.text)
            limits.check_value("message", [call.arguments for call in message.calls])
        if self._sessions.find_session(session_id) is None:
            _check_sessions(self._sessions, limits)
        elif limits.messages is not None:
            count = len(self._sessions.tree(session_id))
            limits.check_stored("messages of a session", count, limits.messages)
        return self._inner.record(session_id, request, answer)


class _Runs(_Limited):
    def create_run(self, title: str, plan: RunPlan) -> StoredRun:
        self._limits.check_plan(plan)
        _check_listed("runs", self._limits, self._inner.list_runs)
        return self._inner.create_run(title, plan)

    def rename_run(self, run_id: str, title: str) -> None:
        self._limits.check_text("title", title)
        self._inner.rename_run(run_id, title)

    def tag_run(self, run_id: str, tags: Sequence[str]) -> None:
        self._limits.check_texts("tags", tags)
        self._inner.tag_run(run_id, tags)

    def restore_run(self, run_id: str) -> None:
        _check_listed("runs", self._limits, self._inner.list_runs)
        self._inner.restore_run(run_id)

    def delete_run(self, run_id: str) -> None:
        limit = self._limits.runs
        if limit is not None and self._inner.list_runs(limit=1, offset=limit - 1, is_deleted=True):
            raise BadInput(
                "deleted runs",
                f"there are {limit:,}, which is the maximum",
                "wait until the oldest are purged",
            )
        self._inner.delete_run(run_id)


class _Comparisons(_Limited):
    def create_comparison(self, title: str, comparison: Comparison) -> StoredComparison:
        self._limits.check_comparison(comparison)
        _check_listed("comparisons", self._limits, self._inner.list_comparisons)
        return self._inner.create_comparison(title, comparison)


class _Presets(_Limited):
    def save_preset(self, name: str, setup: RunConfig, *, replaces: bool = False) -> SavedPreset:
        self._limits.check_setup(setup)
        self._check_count(name)
        return self._inner.save_preset(name, setup, replaces=replaces)

    def restore_preset(self, preset_id: str, *, in_place_of: str | None = None) -> ListedPreset:
        if in_place_of is None:
            self._check_count("")
        return self._inner.restore_preset(preset_id, in_place_of=in_place_of)

    def _check_count(self, name: str) -> None:
        names = {preset.name for preset in self._inner.list_presets()}
        if name.strip() not in names:
            self._limits.check_stored("presets", len(names), self._limits.own_names)


def _check_sessions(sessions: SessionStore, limits: PersonLimits) -> None:
    limit = limits.sessions
    if limit is not None and sessions.list_sessions(limit=1, offset=limit - 1):
        limits.check_stored("sessions", limit, limit)


def _check_listed(label: str, limits: PersonLimits, list_some: Any) -> None:
    limit = limits.runs
    if limit is not None and list_some(limit=1, offset=limit - 1):
        limits.check_stored(label, limit, limit)
