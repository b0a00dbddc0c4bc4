"""Show the tour, the demo bar, the command palette and the keyboard shortcuts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from workbench.records.session_tree import FoundSession
from workbench.ui.present.place import HELP

UNTITLED: Final = "untitled"


@dataclass(frozen=True, slots=True, kw_only=True)
class TourStep:
    """One step of the tour."""

    target: str
    """Element id of the part that the step describes. If it is hidden, the step is shown on its own."""
    heading: str
    text: str


STEPS: Final = (
    TourStep(
        target="play-talk",
        heading="What the model wrote",
        text="An example: a thought, a call with one fix, the result of the mock tool, and the answer.",
    ),
    TourStep(
        target="play-setup",
        heading="What the model sees",
        text="The contract tells the model how to call tools. The tools are listed below it as JSON. "
        "Edit either one. Your changes apply to the next message.",
    ),
    TourStep(
        target="play-inspector",
        heading="Every byte and every fix",
        text="Raw ChatML shows what was sent and received, byte for byte. Fixes shows the text before and "
        "after each fix. Nothing is fixed silently.",
    ),
    TourStep(
        target="page-places",
        heading="What to do next",
        text="Label calls and answers, export training rows in Data, and measure contracts in Suites. "
        "Press Ctrl+K to find anything and ? to see all shortcuts.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TourView:
    """The tour of a first visit."""

    steps: tuple[TourStep, ...] = STEPS
    is_empty: bool = False
    """True if the user has no session. The page then opens an example session."""
    is_ready: bool = False
    """True once its example is on the screen, which begins the tour."""
    serial: int = 0
    """A new number for each answer of the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpView:
    """The drawer with the documentation."""

    pages: Mapping[str, str] = field(default_factory=lambda: dict(HELP), hash=False)
    """The page about each tab."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoView:
    """The bar that loads or removes the demo dataset."""

    is_loaded: bool = False
    """Whether any demo session exists."""
    note: str = ""
    """The result of the last action."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaletteItem:
    """A search result of the palette."""

    kind: str
    """`session`, `contract`, `tool`, `suite` or `preset`."""
    name: str
    note: str
    """Details that distinguish results with similar names."""
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaletteView:
    """The search results of the palette. The browser itself adds tabs and commands."""

    query: str = ""
    items: tuple[PaletteItem, ...] = ()
    """Contracts, tools and suites, then sessions by last use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortcut:
    """A keyboard shortcut and its action."""

    keys: str
    """For example `Ctrl+Enter`."""
    does: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TabKeys:
    """The shortcuts of one tab."""

    tab: str
    """Element id of the tab's pane. Empty for shortcuts that work on all tabs."""
    keys: tuple[Shortcut, ...]
    """The most used first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysView:
    """All shortcuts of the page."""

    tabs: tuple[TabKeys, ...]
    """Shortcuts that work on all tabs first."""


KEYS: Final = KeysView(
    tabs=(
        TabKeys(
            tab="",
            keys=(
                Shortcut(keys="Ctrl+K", does="find a session, contract, tool, suite, tab or command"),
                Shortcut(keys="?", does="show these shortcuts"),
                Shortcut(keys="Alt+1 to Alt+4", does="open Play, Measure, Library or Data"),
                Shortcut(keys="Alt+N", does="start a new session"),
                Shortcut(keys="Ctrl+S", does="save a version of the contract or tool"),
                Shortcut(keys="Esc", does="close the open dialog or menu"),
                Shortcut(keys="Tab, Shift+Tab", does="move between controls; Enter or Space activates one"),
                Shortcut(
                    keys="Tab, Shift+Tab",
                    does="in an editor: indent the selected text; Esc, then Tab leaves the editor",
                ),
            ),
        ),
        TabKeys(
            tab="page-tab-play",
            keys=(
                Shortcut(keys="Enter", does="send the message"),
                Shortcut(keys="Shift+Enter", does="make a line"),
                Shortcut(keys="Ctrl+Enter", does="in the contract: ask the last message again"),
                Shortcut(keys="Esc", does="stop the model, or close a drawer"),
                Shortcut(keys="Enter", does="on a message: inspect it"),
            ),
        ),
        TabKeys(
            tab="page-tab-compare",
            keys=(
                Shortcut(keys="Ctrl+Enter", does="run all columns"),
                Shortcut(keys="Esc", does="stop the answers"),
                Shortcut(keys="1 to 4", does="vote for that answer"),
                Shortcut(keys="t, x, u", does="tie, all bad, undo the vote"),
                Shortcut(keys="j, k", does="next or previous turn"),
            ),
        ),
        TabKeys(
            tab="page-tab-suites",
            keys=(
                Shortcut(keys="Ctrl+Enter", does="run the selected suites"),
                Shortcut(keys="Esc", does="stop the run"),
            ),
        ),
        TabKeys(
            tab="page-tab-label",
            keys=(
                Shortcut(keys="j, k", does="next or previous call or answer"),
                Shortcut(keys="1 to 7", does="set the verdict"),
                Shortcut(keys="e, +", does="correct a call or message, or add a missing call"),
                Shortcut(keys="Enter", does="submit and open the next session"),
                Shortcut(keys="?", does="all shortcuts of this tab"),
            ),
        ),
    )
)


def matching_items(kind: str, names: Iterable[str], query: str, *, note: str = "") -> list[PaletteItem]:
    """Return the names that contain all words of the query, ignoring case."""
    words = query.lower().split()
    return [
        PaletteItem(kind=kind, name=name, note=note, id=name)
        for name in names
        if all(word in f"{kind} {name} {note}".lower() for word in words)
    ]


def session_items(found: Sequence[FoundSession]) -> list[PaletteItem]:
    """Return sessions as search results, in the order in which they were found."""
    return [
        PaletteItem(
            kind="session",
            name=match.session.title or UNTITLED,
            note=" · ".join([f"{match.session.updated_at:%Y-%m-%d}", *match.session.tags]),
            id=match.session.id,
        )
        for match in found
    ]
