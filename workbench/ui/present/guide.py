"""The tour, the demo line, the command palette and the list of shortcuts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.records.session_tree import FoundSession

UNTITLED: Final = "without a title"


@dataclass(frozen=True, slots=True, kw_only=True)
class TourStep:
    """One step of the tour."""

    target: str
    """Id of the part that it tells of; where that is not to be seen, the step stands alone."""
    heading: str
    text: str


STEPS: Final = (
    TourStep(
        target="play-setup",
        heading="What the model is told",
        text="The contract says how to call tools, the tools stand below it as JSON. Edit either: "
        "the next message is sent with what stands here.",
    ),
    TourStep(
        target="play-talk",
        heading="What the model wrote",
        text="A finished example: a thought, a call with one small fault that was mended, the mock's "
        "result, the answer. Click a call to look into it.",
    ),
    TourStep(
        target="play-inspector",
        heading="Every byte, and every repair",
        text="Raw ChatML is what went in and came out, byte for byte. Fixes shows what was written and "
        "what was read; nothing is mended in silence.",
    ),
    TourStep(
        target="page-tabs",
        heading="From here",
        text="Label what is right and wrong, write rows in Data, measure contracts in Suites. "
        "Ctrl+K finds anything, ? shows the keys.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TourView:
    """The tour, for a browser that was never led through it."""

    steps: tuple[TourStep, ...] = STEPS
    """In order."""
    is_empty: bool = False
    """True where the visitor has no session: then an example is opened beside it."""
    serial: int = 0
    """Another one each time that it is to be shown though it was ended before; 0 asks nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoView:
    """The line about the demo set."""

    is_loaded: bool = False
    """Whether any session of it is there."""
    note: str = ""
    """What was done just now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaletteItem:
    """Something that can be gone to."""

    kind: str
    """session, contract, tool or suite."""
    name: str
    note: str
    """What tells it from others."""
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaletteView:
    """What was found for the words in the palette; tabs and commands the browser finds by itself."""

    query: str = ""
    items: tuple[PaletteItem, ...] = ()
    """Contracts, tools and suites first, then sessions, last used first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortcut:
    """Keys and what they do."""

    keys: str
    """Such as `Ctrl+Enter`."""
    does: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TabKeys:
    """The keys of one tab."""

    tab: str
    """Id of its pane; empty for keys that hold everywhere."""
    keys: tuple[Shortcut, ...]
    """In the order in which one needs them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysView:
    """All keys of the page."""

    tabs: tuple[TabKeys, ...]
    """Those that hold everywhere first."""


KEYS: Final = KeysView(
    tabs=(
        TabKeys(
            tab="",
            keys=(
                Shortcut(keys="Ctrl+K", does="find a session, contract, tool, suite, tab or command"),
                Shortcut(keys="?", does="show these keys"),
                Shortcut(keys="Esc", does="close what is open"),
                Shortcut(keys="Tab, Shift+Tab", does="go from part to part; Enter or Space uses it"),
            ),
        ),
        TabKeys(
            tab="page-tab-play",
            keys=(
                Shortcut(keys="Ctrl+Enter", does="send the message"),
                Shortcut(keys="Esc", does="stop the model, or close a drawer"),
                Shortcut(keys="Enter", does="on a message: look into it"),
            ),
        ),
        TabKeys(
            tab="page-tab-compare",
            keys=(
                Shortcut(keys="Ctrl+Enter", does="ask all columns"),
                Shortcut(keys="Esc", does="stop them"),
                Shortcut(keys="1 to 4", does="that answer is best"),
                Shortcut(keys="t, x, u", does="a tie, none is good, take the vote back"),
                Shortcut(keys="j, k", does="next or previous turn"),
            ),
        ),
        TabKeys(
            tab="page-tab-suites",
            keys=(
                Shortcut(keys="Ctrl+Enter", does="run what is chosen"),
                Shortcut(keys="Esc", does="stop the run"),
            ),
        ),
        TabKeys(
            tab="page-tab-label",
            keys=(
                Shortcut(keys="j, k", does="next or previous place"),
                Shortcut(keys="1 to 7", does="verdict"),
                Shortcut(keys="Enter", does="submit and go on"),
                Shortcut(keys="?", does="all keys of this tab"),
            ),
        ),
    )
)


def named_items(kind: str, names: Iterable[str], query: str, *, note: str = "") -> list[PaletteItem]:
    """Those of the names that have all words of the query, in upper or lower case."""
    words = query.lower().split()
    return [
        PaletteItem(kind=kind, name=name, note=note, id=name)
        for name in names
        if all(word in f"{kind} {name} {note}".lower() for word in words)
    ]


def session_items(found: Sequence[FoundSession]) -> list[PaletteItem]:
    """Sessions as a search gave them."""
    return [
        PaletteItem(
            kind="session",
            name=one.session.title or UNTITLED,
            note=" · ".join([f"{one.session.updated_at:%Y-%m-%d}", *one.session.tags]),
            id=one.session.id,
        )
        for one in found
    ]
