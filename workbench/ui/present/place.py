"""Parse and write the addresses of the page: which tab is open, and what it shows.

An address is a query string such as `?tab=contracts&contract=minimal&version=3`. The browser's side is
`ui/scripts/head/router.js`, which gets the names of this module.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlencode

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput

HOME: Final = "play"
"""The tab of an address that names none."""
MAX_CHARS: Final = 200
"""The most characters of a value in an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceNames:
    """The parameters that a tab's addresses may have, in the order in which they are written."""

    main: tuple[str, ...] = ()
    """They name what is shown. A new value is a new step of the browser's history."""
    refined: tuple[str, ...] = ()
    """They refine it, such as the selected message. A new value replaces the current step of the history."""
    once: tuple[str, ...] = ()
    """They are carried out once, when the address is opened, and are then removed from it."""

    @property
    def all(self) -> tuple[str, ...]:
        """All parameters, in order."""
        return (*self.main, *self.refined, *self.once)


NAMES: Final[Mapping[str, PlaceNames]] = {
    "play": PlaceNames(main=("session", "shared"), refined=("message",), once=("preset", "shared_preset")),
    "inspect": PlaceNames(refined=("dialect", "level", "finish", "toolset")),
    "compare": PlaceNames(main=("compare",)),
    "contracts": PlaceNames(main=("contract", "version")),
    "tools": PlaceNames(main=("tool", "version")),
    "suites": PlaceNames(main=("run", "case", "suite", "version"), refined=("arm",)),
    "label": PlaceNames(main=("item",)),
    "data": PlaceNames(
        refined=(
            "tag",
            "verdict",
            "rating",
            "state",
            "contract",
            "model",
            "source",
            "since",
            "until",
            "format",
        )
    ),
    "models": PlaceNames(),
    "explore": PlaceNames(),
    "import": PlaceNames(),
}
"""The parameters of each tab."""
PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "Play": ("play",),
    "Measure": ("compare", "suites", "inspect"),
    "Library": ("contracts", "tools", "models"),
    "Data": ("label", "explore", "data", "import"),
}
"""The places of the page with their tabs, in order. Each tab is in one place."""
LABELS: Final[Mapping[str, str]] = {"data": "Export"}
"""The names of tabs that are not those of their addresses."""
HELP: Final[Mapping[str, str]] = {
    "play": "reference/play",
    "compare": "how-to/compare-models-and-contracts",
    "suites": "how-to/measure-a-contract",
    "inspect": "how-to/see-why-a-call-was-lost",
    "contracts": "how-to/write-a-contract",
    "tools": "how-to/mock-a-tool",
    "models": "how-to/get-a-model",
    "label": "how-to/label-conversations",
    "data": "how-to/export-training-rows",
    "explore": "how-to/look-at-a-data-set",
    "import": "how-to/import-and-label-rows",
}
"""The page of the documentation about each tab."""
OLD: Final[Mapping[str, str]] = {"label": "item"}
"""Parameters of older links, and their names of today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What an address names."""

    tab: str = HOME
    """The id of the tab."""
    values: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """The parameters that are set, by name, in the order of the tab's names. None of them is empty."""

    def get(self, name: str) -> str:
        """Return a parameter; empty if it is not set."""
        return self.values.get(name, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class TabLink:
    """A tab in the second row of the navigation."""

    tab: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceLink:
    """A place in the first row of the navigation."""

    label: str
    tabs: tuple[TabLink, ...]
    """With a single tab, there is no second row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacesView:
    """The navigation of the page."""

    places: tuple[PlaceLink, ...] = tuple(
        PlaceLink(
            label=label, tabs=tuple(TabLink(tab=tab, label=LABELS.get(tab, tab.title())) for tab in tabs)
        )
        for label, tabs in PLACES.items()
    )


def parse_place(query: str) -> Place:
    """Parse the query string of an address, with or without its question mark.

    An address without a tab belongs to the tab whose main parameters it has, or else to `HOME`. Parameters of other
    tabs, and those that are not ours, are ignored.

    >>> parse_place("?tab=contracts&contract=minimal&version=3").values
    {'contract': 'minimal', 'version': '3'}
    >>> parse_place("?run=abc").tab, parse_place("?label=abc").values, parse_place("").tab
    ('suites', {'item': 'abc'}, 'play')

    Raises:
        BadInput: There is no such tab, or a value is too long or has control characters.
    """
    try:
        pairs = parse_qsl(query.removeprefix("?"), max_num_fields=100)
    except ValueError:
        raise BadInput("address", "it has too many parameters", "copy the address again") from None
    given = {OLD.get(name, name): value for name, value in reversed(pairs)}
    tab = given.get("tab") or _implied(given)
    if tab not in NAMES:
        raise BadInput(
            f"address, tab {tab[:40]!r}", "there is no such tab", f"choose one of {', '.join(NAMES)}"
        )
    values = {name: value for name in NAMES[tab].all if (value := given.get(name, "").strip())}
    for name, value in values.items():
        if len(value) > MAX_CHARS:
            raise BadInput(
                f"address, {name}", f"it is longer than {MAX_CHARS} characters", "copy the link again"
            )
        if not value.isprintable():
            raise BadInput(
                f"address, {name}", "it has characters that cannot be shown", "copy the link again"
            )
    return Place(tab=tab, values=values)


def _implied(given: Mapping[str, str]) -> str:
    return next(
        (tab for tab, names in NAMES.items() if any(given.get(name) for name in (*names.main, *names.once))),
        HOME,
    )


def write_place(tab: str, **values: str | None) -> str:
    """Return the address of a place, relative to the page. Parameters that are empty or None are left out.

    >>> write_place("suites", run="7f", case="weather/rome", arm=None)
    '?tab=suites&run=7f&case=weather%2Frome'

    Raises:
        ValueError: The tab has no such parameter.
    """
    names = NAMES[tab].all
    if unknown := values.keys() - set(names):
        raise ValueError(f"the addresses of {tab} have no {sorted(unknown)}")
    return "?" + urlencode({"tab": tab, **{name: value for name in names if (value := values.get(name))}})


def names_for_browser() -> JsonObject:
    """Return the names as JSON, for `router.js`."""
    tabs = {
        tab: {"main": list(names.main), "refined": list(names.refined), "once": list(names.once)}
        for tab, names in NAMES.items()
    }
    return {"tabs": tabs, "old": dict(OLD), "most": MAX_CHARS}
