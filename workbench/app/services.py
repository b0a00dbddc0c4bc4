"""The objects that the page, the command line and the API work with: settings, stores, models, tools, calendar."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.app.fair_queue import ActivityCounter
from workbench.app.limited_store import limited
from workbench.app.limits import PersonLimits, limits_of
from workbench.app.queued_engine import EngineQueues, QueueClient, QueuedEngine, queued
from workbench.app.version_files import take_file
from workbench.errors import BadInput
from workbench.records.owner import LOCAL_OWNER, Owner, Permission
from workbench.records.run_config import RunConfig
from workbench.records.versions import Version, VersionKind, parse_reference
from workbench.rollout.models import Models
from workbench.rollout.ports import Calendar
from workbench.settings import Secret, Settings
from workbench.suite.case_rollout import Price
from workbench.toolspec.tools_text import render_tools

if TYPE_CHECKING:
    from workbench.engines.adapters import AdapterFiles
    from workbench.engines.hub.gguf_hub import GgufHub
    from workbench.library.datasets.exporting import DatasetFiles
    from workbench.library.home_files import ContractFiles, HomeFiles
    from workbench.store.audit import AuditStore
    from workbench.store.comparisons import ComparisonStore
    from workbench.store.corpus import CorpusStore
    from workbench.store.facts import FactStore
    from workbench.store.labels import LabelStore
    from workbench.store.memories import MemoryStore
    from workbench.store.runs import RunStore
    from workbench.store.search import SearchStore
    from workbench.store.sessions import SessionStore
    from workbench.store.sharing import SharingStore
    from workbench.store.store import OwnedStore, Store
    from workbench.store.versions import VersionStore
    from workbench.toolbox.catalog import Catalog
    from workbench.toolbox.studio import ToolStudio


class SystemCalendar:
    """What the operating system says."""

    def seconds(self) -> float:
        """A reading that only goes forward."""
        return time.perf_counter()

    def now(self) -> datetime:
        """The moment, UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The concrete edges behind their ports; made by `workbench.wiring` and by tests."""

    settings: Settings
    """As read from the environment."""
    store: Store
    """Keeps what people make, each owner apart."""
    library: ContractFiles
    catalog: Catalog
    """Tools on disk, and their mocks."""
    files: HomeFiles
    """The files of both, as they stand there."""
    models: Models
    hub: GgufHub
    """Models of the hub, and those of its cache."""
    adapters: AdapterFiles
    """What can be laid over a model."""
    calendar: Calendar
    studio: ToolStudio
    """Where tools are edited and tried."""
    memories: MemoryStore
    """What models remember for an owner."""
    datasets: DatasetFiles
    """Files of training rows."""
    prices: Mapping[str, Price] = field(default_factory=dict[str, Price], hash=False)
    """What models cost, by the name that `--model` takes, as far as it is known."""
    owner: Owner = LOCAL_OWNER
    """Whose data is read and written."""
    lines: EngineQueues = field(default_factory=EngineQueues)
    """Where turns wait for models, those of all owners."""
    activity: ActivityCounter = field(default_factory=ActivityCounter)
    """How much each owner has under way."""
    is_counted: bool = False
    """True within a turn, a run or a comparison that is counted already."""

    @property
    def limits(self) -> PersonLimits:
        """What the owner may ask for."""
        return limits_of(self.settings)

    @property
    def owned(self) -> OwnedStore:
        """All that the owner may read and write, within the limits."""
        return limited(self.store.of(self.owner), self.limits)

    @contextmanager
    def at_work(self) -> Generator[Services]:
        """The same while a turn, a run or a comparison of the owner is under way; what it begins is part of it.

        Raises:
            BadInput: The owner has as much under way as may be.
        """
        if self.is_counted:
            yield self
            return
        with self.activity.started(self.owner.share, self.limits):
            yield replace(self, is_counted=True)

    def engine(self, name: str, *, token: Secret | None = None) -> QueuedEngine:
        """The engine of that name, as one turn of the owner has it: it waits in line before each completion.

        Args:
            token: A visitor's own, for a hosted model; see `workbench.rollout.models.Models`.

        Raises:
            EngineError: The model is missing or cannot be loaded.
            BadInput: The name is of no known form.
        """
        engine, limits = self.models.engine(name, token=token), self.limits
        asker = QueueClient(
            find=lambda: self.models.engine(name, token=token),
            share=self.owner.share,
            line=self.lines.line(engine, limits),
            limits=limits,
        )
        return queued(engine, asker)

    @property
    def sessions(self) -> SessionStore:
        """The owner's conversations."""
        return self.owned.sessions

    @property
    def versions(self) -> VersionStore:
        """The owner's versions, and the shared library's."""
        return self.owned.versions

    @property
    def labels(self) -> LabelStore:
        """Labels of the owner's sessions."""
        return self.owned.labels

    @property
    def audit(self) -> AuditStore:
        """Who did what to what is the owner's."""
        return self.owned.audit

    @property
    def search(self) -> SearchStore:
        """Finds the owner's conversations."""
        return self.owned.search

    @property
    def facts(self) -> FactStore:
        """What the reader noted of the owner's conversations."""
        return self.owned.facts

    @property
    def corpus(self) -> CorpusStore:
        """The owner's conversations as training rows, and rows as conversations."""
        return self.owned.corpus

    @property
    def runs(self) -> RunStore:
        """The owner's runs of suites."""
        return self.owned.runs

    @property
    def comparisons(self) -> ComparisonStore:
        """The owner's comparisons."""
        return self.owned.comparisons

    @property
    def sharing(self) -> SharingStore:
        """What the owner shows to others, and sees of theirs."""
        return self.owned.sharing

    @property
    def tools(self) -> Catalog:
        """The catalog, with the toolsets that the owner saved and that are not, or not yet, in their files."""
        return self.catalog.with_toolsets(self.saved_toolsets())

    def saved_toolsets(self) -> Mapping[str, str]:
        """The newest version of each toolset that is not what its file has, by the file's name.

        Raises:
            BadInput: A file cannot be read.
            StoreError: The versions cannot be read.
        """
        heads = (line.head for line in self.versions.lines(VersionKind.TOOLS))
        return {
            head.name: head.text
            for head in heads
            if self.files.find(VersionKind.TOOLS, head.name) != head.text
        }

    def of(self, owner: Owner) -> Services:
        """The same for someone else: their data, and the models and tools that they may use."""
        return replace(
            self,
            owner=owner,
            catalog=self.catalog.with_commands(is_permitted=owner.may(Permission.RUN_COMMANDS)),
            models=self.models.with_paths(is_permitted=owner.may(Permission.OPEN_FILES)),
        )

    def today(self) -> str:
        """The date as a contract's `{{ date }}` shows it, such as `2026-11-21`."""
        return self.calendar.now().date().isoformat()

    def contract_names(self) -> Sequence[str]:
        """Contracts that have a file or a version, sorted."""
        kept = (line.head.name for line in self.versions.lines(VersionKind.CONTRACT))
        return sorted({*self.library.contract_names(), *kept})

    def contract_version(self, reference: str) -> Version:
        """The version of a contract, such as `minimal` (the newest), `minimal@3` or `minimal@production`.

        Raises:
            BadInput: There is none, or its file cannot be read.
            StoreError: The versions cannot be read.
        """
        asked = parse_reference(reference)
        take_file(self.files, self.store.of(LOCAL_OWNER).versions, VersionKind.CONTRACT, asked.name)
        found = self.versions.find(VersionKind.CONTRACT, asked.name, asked.which)
        if found is None:
            # Says which contracts there are, where there is none of that name.
            self.library.load_contract_text(asked.name)
            raise BadInput(f"contract {asked.name!r}", f"it has no version {asked.which!r}")
        return found

    def setup_for(
        self, *, contract: str | None = None, tools: tuple[str, ...] = (), model: str | None = None
    ) -> RunConfig:
        """A setup from names; what is not named is as the settings say, which may name files of tools.

        Raises:
            BadInput: A contract or a tool of that name is not there.
            StoreError: The versions cannot be read.
        """
        version = self.contract_version(contract or self.settings.contract)
        offered = self.tools.select(tools) if tools else self.tools.select_files(self.settings.tools)
        return RunConfig(
            contract_name=version.name,
            contract_text=version.text,
            tools_text=render_tools(offered),
            model=model or self.settings.model,
            max_rounds=self.settings.max_rounds,
        )
