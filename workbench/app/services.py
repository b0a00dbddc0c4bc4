"""The services that the page, the command line and the API use: settings, stores, models, tools and calendar."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.app.fair_queue import ActivityCounter
from workbench.app.queued_engine import EngineQueues, QueueClient, QueuedEngine, queued
from workbench.app.tasks import RunningTask, RunningTasks
from workbench.app.version_files import take_file
from workbench.errors import BadInput
from workbench.records.limits import UserLimits, limits_of
from workbench.records.owner import LOCAL_OWNER, Owner, Permission
from workbench.records.run_config import RunConfig
from workbench.records.versions import Version, VersionKind, no_such_contract, parse_reference
from workbench.rollout.models import Models, without_mode
from workbench.rollout.ports import Calendar
from workbench.settings import Secret, Settings
from workbench.suite.case_rollout import Price
from workbench.toolspec.tools_text import render_tools

if TYPE_CHECKING:
    from workbench.app.comparisons.events import CompareEvent
    from workbench.app.running_turn import RunningTurn
    from workbench.engines.adapters import AdapterFiles
    from workbench.engines.hub.gguf_hub import GgufHub
    from workbench.engines.remote.server_book import ServerBook
    from workbench.label.store.assignments import LabelAssignmentStore
    from workbench.label.store.labelling import LabellingStore
    from workbench.label.store.labels import LabelStore
    from workbench.label.store.projects import LabelProjectStore
    from workbench.label.store.queue_store import LabelQueueStore
    from workbench.label.store.samples import LabelSampleStore
    from workbench.library.datasets.exporting import DatasetFiles
    from workbench.library.home_files import ContractFiles, HomeFiles
    from workbench.store.audit import AuditStore
    from workbench.store.corpus.corpus import CorpusStore
    from workbench.store.memories import MemoryStore
    from workbench.store.runs.comparisons import ComparisonStore
    from workbench.store.runs.runs import RunStore
    from workbench.store.sessions.facts import FactStore
    from workbench.store.sessions.recordings import RecordingStore
    from workbench.store.sessions.search import SearchStore
    from workbench.store.sessions.sessions import SessionStore
    from workbench.store.sessions.sharing import SharingStore
    from workbench.store.store import OwnedStore, Store
    from workbench.store.versions.presets import PresetStore
    from workbench.store.versions.version_names import VersionNameStore
    from workbench.store.versions.versions import VersionStore
    from workbench.toolbox.catalog import Catalog
    from workbench.toolbox.studio import ToolStudio


class SystemCalendar:
    """The clock and calendar of the operating system."""

    def seconds(self) -> float:
        """Return the seconds of a clock that only goes forward."""
        return time.perf_counter()

    def now(self) -> datetime:
        """Return the current time, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything that the application works with, for one owner. `workbench.wiring` and tests create it."""

    settings: Settings
    store: Store
    """The stored data of all owners."""
    library: ContractFiles
    catalog: Catalog
    """The tool files and their mock rules."""
    files: HomeFiles
    """The files of contracts, tools, presets and suites."""
    models: Models
    servers: ServerBook
    """The servers with models that the owner sees, and may add."""
    hub: GgufHub
    """Models on the Hugging Face Hub and in its local cache."""
    adapters: AdapterFiles
    """Adapters for the embedded model."""
    calendar: Calendar
    studio: ToolStudio
    """Edits tools and tries them out."""
    memories: MemoryStore
    """The notes of the tool `memory`."""
    datasets: DatasetFiles
    """Files of training rows."""
    prices: Mapping[str, Price] = field(default_factory=dict[str, Price], hash=False)
    """Prices of models by their name in `--model`, as far as they are known."""
    owner: Owner = LOCAL_OWNER
    """The owner whose data is read and written."""
    lines: EngineQueues = field(default_factory=EngineQueues)
    """The queues of the models, shared by all owners."""
    activity: ActivityCounter = field(default_factory=ActivityCounter)
    """How many turns, runs and comparisons of each owner are running or waiting."""
    turns: RunningTasks[RunningTurn] = field(
        default_factory=lambda: RunningTasks(
            "this session", "an answer is being written", "wait until it ends, or stop it"
        )
    )
    """The running turns of all owners, by session."""
    running_comparisons: RunningTasks[RunningTask[CompareEvent]] = field(
        default_factory=lambda: RunningTasks(
            "this comparison", "it is running already", "wait until it ends, or stop it"
        )
    )
    """The running comparisons of all owners."""
    is_counted: bool = False
    """True inside a turn, run or comparison that is already counted."""
    pinned_tools: Catalog | None = field(default=None, init=False, compare=False, repr=False)
    """Inside a turn, run or comparison, the tools as it found them; None until it asks for them."""

    limits: UserLimits = field(init=False, compare=False)
    """The owner's limits."""
    owned: OwnedStore = field(init=False, compare=False)
    """The owner's data. A write that exceeds a limit raises `BadInput`. Its parts are fields here, too."""
    sessions: SessionStore = field(init=False, compare=False)
    sharing: SharingStore = field(init=False, compare=False)
    versions: VersionStore = field(init=False, compare=False)
    version_names: VersionNameStore = field(init=False, compare=False)
    labels: LabelStore = field(init=False, compare=False)
    label_projects: LabelProjectStore = field(init=False, compare=False)
    label_assignments: LabelAssignmentStore = field(init=False, compare=False)
    label_queues: LabelQueueStore = field(init=False, compare=False)
    label_samples: LabelSampleStore = field(init=False, compare=False)
    labelling: LabellingStore = field(init=False, compare=False)
    audit: AuditStore = field(init=False, compare=False)
    search: SearchStore = field(init=False, compare=False)
    facts: FactStore = field(init=False, compare=False)
    corpus: CorpusStore = field(init=False, compare=False)
    runs: RunStore = field(init=False, compare=False)
    comparisons: ComparisonStore = field(init=False, compare=False)
    presets: PresetStore = field(init=False, compare=False)
    recordings: RecordingStore = field(init=False, compare=False)

    def __post_init__(self) -> None:
        limits = limits_of(self.settings)
        owned = self.store.of(self.owner, limits)
        stores = {part.name: getattr(owned, part.name) for part in fields(owned)}
        for name, value in {"limits": limits, "owned": owned, **stores}.items():
            object.__setattr__(self, name, value)

    @contextmanager
    def at_work(self) -> Generator[Services]:
        """Count a turn, run or comparison of the owner while the context lasts.

        Yields:
            Services for everything inside it, which is not counted again.

        Raises:
            BadInput: The owner has reached the limit.
        """
        if self.is_counted:
            yield self
            return
        with self.activity.started(self.owner.share, self.limits):
            # Not with `replace`, which would build the stores again.
            counted = copy(self)
            object.__setattr__(counted, "is_counted", True)
            yield counted

    def engine(self, name: str, *, token: Secret | None = None) -> QueuedEngine:
        """Return an engine for one turn of the owner. It waits in the model's queue before each completion.

        Args:
            token: A visitor's own access token for a hosted model. See `workbench.rollout.models.Models`.

        Raises:
            EngineError: The model is missing or cannot be loaded.
            BadInput: The name has no known form.
        """
        engine, limits = self.models.engine(name, token=token), self.limits
        client = QueueClient(
            find=lambda: self.models.engine(name, token=token),
            share=self.owner.share,
            line=self.lines.line(engine, limits),
            limits=limits,
        )
        return queued(engine, client)

    @property
    def tools(self) -> Catalog:
        """The catalog, including the toolsets that the owner saved on the page and did not write to files.

        A turn, run or comparison has the same tools to its end, whatever is saved meanwhile.
        """
        if self.pinned_tools:
            return self.pinned_tools
        tools = self.catalog.with_toolsets(self.saved_toolsets())
        if self.is_counted:
            object.__setattr__(self, "pinned_tools", tools)
        return tools

    def saved_toolsets(self) -> Mapping[str, str]:
        """Return the newest version of each toolset that differs from its file, by the toolset's name.

        Raises:
            BadInput: A file cannot be read.
            StoreError: The versions cannot be read.
        """
        return self.versions.heads_unlike(VersionKind.TOOLS, self.files.hashes(VersionKind.TOOLS))

    def of(self, owner: Owner) -> Services:
        """Return the services for another owner: their data, and the models and tools that they may use."""
        guest = "" if owner.is_passing else owner.key or ""
        return replace(
            self,
            owner=owner,
            catalog=self.catalog.with_commands(is_permitted=owner.may(Permission.RUN_COMMANDS)),
            models=self.models.with_paths(is_permitted=owner.may(Permission.OPEN_FILES), guest=guest),
            servers=self.servers.of(None if owner.may(Permission.ADD_SERVERS) else guest),
        )

    def price_of(self, model: str) -> Price | None:
        """Return the price of a model, or None if there is none. Chat and raw cost the same."""
        return self.prices.get(model) or self.prices.get(without_mode(model))

    def today(self) -> str:
        """Return the date as `{{ date }}` in a contract shows it, such as `2026-11-21`."""
        return self.calendar.now().date().isoformat()

    def contract_names(self) -> Sequence[str]:
        """Return the names of all contracts that have a file or a version, sorted."""
        saved = (line.head.name for line in self.versions.lines(VersionKind.CONTRACT))
        return sorted({*self.library.contract_names(), *saved})

    def contract_version(self, reference: str) -> Version:
        """Return a version of a contract, such as `minimal` (the newest), `minimal@3` or `minimal@production`.

        Raises:
            BadInput: The version does not exist, or the contract's file cannot be read.
            StoreError: The versions cannot be read.
        """
        parsed = parse_reference(reference)
        take_file(self.files, self.store.of(LOCAL_OWNER).versions, VersionKind.CONTRACT, parsed.name)
        found = self.versions.find(VersionKind.CONTRACT, parsed.name, parsed.which)
        if found is None:
            names = self.contract_names()
            if parsed.name not in names:
                raise no_such_contract(parsed.name, names)
            raise BadInput(f"contract {parsed.name!r}", f"it has no version {parsed.which!r}")
        return found

    def setup_for(
        self, *, contract: str | None = None, tools: tuple[str, ...] = (), model: str | None = None
    ) -> RunConfig:
        """Return a setup from names. Everything that is not named comes from the settings.

        Args:
            contract: A reference, as in `contract_version`.
            tools: Toolsets or tools. Only the settings may name files of tools.
            model: A name as in `--model`.

        Raises:
            BadInput: The contract or a tool does not exist.
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
