"""What the page and the verbs are handed."""

from dataclasses import dataclass, replace

from workbench.desk.owner import LOCAL_OWNER, Owner
from workbench.desk.ports import Calendar, Catalog, Library, Models, Sessions, Store
from workbench.desk.ports.memory import Memories
from workbench.desk.ports.tools import Studio
from workbench.desk.setup import Setup
from workbench.settings import Settings
from workbench.toolspec.tools_text import render_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The concrete edges behind their ports; made by `workbench.wiring` and by tests."""

    settings: Settings
    """As read from the environment."""
    store: Store
    """Keeps what people make, each owner apart."""
    library: Library
    """Contracts on disk."""
    catalog: Catalog
    """Tools on disk, and their mocks."""
    models: Models
    """Engines by name."""
    calendar: Calendar
    """Date and clock."""
    studio: Studio
    """Where tools are edited and tried."""
    memories: Memories
    """What models remember for an owner."""
    owner: Owner = LOCAL_OWNER
    """Whose data is read and written."""

    @property
    def sessions(self) -> Sessions:
        """The owner's conversations."""
        return self.store.of(self.owner).sessions

    def of(self, owner: Owner) -> "Services":
        """The same for someone else."""
        return replace(self, owner=owner)

    def today(self) -> str:
        """The date as a contract's `{{ date }}` shows it, such as `2026-11-21`."""
        return self.calendar.now().date().isoformat()

    def setup_for(
        self, *, contract: str | None = None, tools: tuple[str, ...] = (), model: str | None = None
    ) -> Setup:
        """A setup from names; what is not named is as the settings say.

        Raises:
            BadInput: A contract or a tool of that name is not there.
        """
        contract_name = contract or self.settings.contract
        return Setup(
            contract_name=contract_name,
            contract_text=self.library.load_contract_text(contract_name),
            tools_text=render_tools(self.catalog.select(tools or self.settings.tools)),
            model=model or self.settings.model,
            max_rounds=self.settings.max_rounds,
        )
