"""Divide Gradio's configuration of a page by tabs, each of which is sent to the browser when it is first opened.

Gradio sends a page as a whole, and the browser creates and connects all its components before it shows any, also those
in tabs that nobody opens. Here, a page starts with its first tab. The browser asks for another one (`mount.js`,
`loadTab`), and the answer carries the tab's components and events as Gradio's own `gr.render` would. All of them exist
on the server from the start, so an event is the same whether its tab was sent or not. See
docs/decisions/0018-tabs-are-sent-when-they-are-opened.md.

Functions of the API are not sent at all: the page does not call them.

An event belongs to the tab of the component that triggers it, or that it follows. An event that runs when the page is
loaded and writes to one tab only runs when that tab is sent.

*Gradio 6.31:* `blocks.Blocks.process_api` (`render_config`), `blocks.BlocksConfig.get_config`, `assets/Blocks`,
`assets/core` (js/core/src/Blocks.svelte, `render`, `rerender`, `dispatch_load_events`; js/core/src/init.svelte.ts,
`determine_interactivity`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from gradio import processing_utils

from workbench.ui.gradio_parts.slim_config import slim_component, slim_event

Config = Mapping[str, Any]
"""Gradio's configuration of a page, or a component, event or layout node in it."""
LOAD_TAB: Final = "hermesWorkbench.loadTab"
"""The function of `mount.js` that asks for a tab."""
SPLIT: Final = frozenset({"components", "dependencies", "layout", "page"})
"""The parts of a page's configuration that are divided."""
_ALWAYS: Final = ""
"""The place of what is sent with the page."""


def has_own_address(value: object) -> bool:
    """Whether a configuration has the address of a file of this server, which Gradio completes for each request."""
    client, found = cast(Any, processing_utils).client_utils, list[str]()

    def note(file: Mapping[str, Any]) -> None:
        found.append(file["url"])

    client.traverse(value, note, client.is_file_obj_with_url)
    return not all(map(client.is_http_url_like, found))


class SplitPage(NamedTuple):
    """A page's configuration, divided by tabs."""

    start: dict[str, Any]
    """What is sent with the page."""
    tabs: Mapping[str, Config]
    """For each further tab what is sent when it is opened, by `elem_id` of the tab."""


def split_page(config: Config, lazy_tabs: Sequence[str]) -> SplitPage:
    """Divide a page's configuration by tabs.

    Args:
        config: As Gradio's `get_config_file` returns it.
        lazy_tabs: The `elem_id` of each tab that is not sent with the page.
    """
    return _Division(config, lazy_tabs).split()


class _Division:
    def __init__(self, config: Config, lazy_tabs: Sequence[str]) -> None:
        self._config = config
        self._components: dict[int, Config] = {block["id"]: block for block in config["components"]}
        self._events: dict[int, Config] = {event["id"]: event for event in config["dependencies"]}
        self._tab_ids: dict[str, int] = {
            block["props"]["elem_id"]: block["id"]
            for block in config["components"]
            if block["props"].get("elem_id") in lazy_tabs
        }
        self._names = {tab_id: name for name, tab_id in self._tab_ids.items()}
        self._layouts: dict[str, Config] = {}
        self._place_of: dict[int, str] = {}
        """The tab that holds each component; a tab itself is part of the start."""
        self._start_layout = self._placed(config["layout"], _ALWAYS)

    def split(self) -> SplitPage:
        events: dict[str, list[Config]] = {name: [] for name in (_ALWAYS, *self._tab_ids)}
        for event in self._config["dependencies"]:
            # A function of the API has no trigger on the page.
            if event["targets"] or event["trigger_after"] is not None:
                events[self._tab_of(event)].append(event)
        at_start = _Interactive.by(events[_ALWAYS])
        complete = _Interactive.by(self._config["dependencies"])

        def component(block: Config) -> dict[str, Any]:
            sent = slim_component(block)
            # The browser decides from the events that it knows at the start whether a field can be edited.
            if at_start.of(block) != complete.of(block):
                sent["props"]["interactive"] = complete.of(block)
            return sent

        def tab(name: str) -> Config:
            return {
                "render_id": self._tab_ids[name],
                "layout": self._layouts[name],
                "components": [component(self._components[i]) for i in _ids(self._layouts[name])],
                "dependencies": [self._on_arrival(event, name) for event in events[name]],
            }

        blocks = [
            component(block)
            for block in self._config["components"]
            if self._place_of.get(block["id"], _ALWAYS) == _ALWAYS and block["type"] != "api"
        ]
        blocks += map(_unseen, self._states_used_by(events[_ALWAYS]))
        start = {
            **self._config,
            "components": blocks,
            "dependencies": [self._sent(event) for event in events[_ALWAYS]],
            "layout": self._start_layout,
        }
        page = dict(self._config.get("page", {}))
        if _ALWAYS in page:
            page[_ALWAYS] = {
                **page[_ALWAYS],
                "layout": self._start_layout,
                "components": [block["id"] for block in blocks],
                "dependencies": [event["id"] for event in events[_ALWAYS]],
            }
        return SplitPage({**start, "page": page}, {name: tab(name) for name in self._tab_ids})

    def _placed(self, node: Config, place: str) -> dict[str, Any]:
        """Return a layout node without the contents of tabs that are sent later, which `_layouts` gets."""
        self._place_of[node["id"]] = place
        name = self._names.get(node["id"])
        children = [
            self._placed(child, name or place)
            for child in node.get("children", ())
            if self._components[child["id"]]["type"] != "api"
        ]
        if name is not None:
            self._layouts[name] = {**node, "children": children}
            children = []
        return {**node, "children": children}

    def _tab_of(self, event: Config) -> str:
        """Return the tab that an event belongs to."""
        first = event
        while first.get("trigger_after") is not None:
            first = self._events[first["trigger_after"]]
        if not event["backend_fn"] and LOAD_TAB in (event["js"] or ""):
            return _ALWAYS  # asks for the tab
        if all(name == "load" for _, name in first["targets"]):
            written = {self._place_of.get(block_id, _ALWAYS) for block_id in first["outputs"]} - {_ALWAYS}
            return written.pop() if len(written) == 1 else _ALWAYS
        places = {
            self._names.get(block_id) or self._place_of.get(block_id, _ALWAYS)
            for block_id, _ in first["targets"]
        }
        return places.pop() if len(places) == 1 else _ALWAYS

    def _on_arrival(self, event: Config, name: str) -> Config:
        """Return an event of a tab, which runs when the tab arrives if it runs when the tab is selected."""
        sent = self._sent(event)
        tab_id = self._tab_ids[name]
        if [tab_id, "select"] in [list(target) for target in event["targets"]]:
            sent["targets"] = [*sent["targets"], [tab_id, "load"]]
        return sent

    def _sent(self, event: Config) -> dict[str, Any]:
        """Return an event with those of our own components as events of the page, which `drawn.js` triggers.

        The browser looks up the component of each event several times, by walking through all components before it.
        """
        root_id = self._config["layout"]["id"]
        targets = [
            [root_id, f"{name} {block_id}"] if self._is_own(block_id) else [block_id, name]
            for block_id, name in event["targets"]
        ]
        return {**slim_event(event), "targets": targets}

    def _is_own(self, block_id: int) -> bool:
        return self._components.get(block_id, {}).get("type") == "drawn"

    def _states_used_by(self, events: Sequence[Config]) -> Iterator[Config]:
        """Yield the states inside tabs that events at the start read or write: the browser counts values by them."""
        used = {block_id for event in events for block_id in (*event["inputs"], *event["outputs"])}
        for block in self._config["components"]:
            is_later = self._place_of.get(block["id"], _ALWAYS) != _ALWAYS
            if block["type"] == "state" and block["id"] in used and is_later:
                yield block


class _Interactive(NamedTuple):
    """Which fields can be edited, as the browser decides it."""

    inputs: frozenset[int]
    outputs: frozenset[int]

    @classmethod
    def by(cls, events: Sequence[Config]) -> "_Interactive":
        inputs = frozenset(block_id for event in events for block_id in event["inputs"])
        return cls(inputs, frozenset(block_id for event in events for block_id in event["outputs"]))

    def of(self, block: Config) -> bool:
        declared = block["props"].get("interactive")
        if declared is not None:
            return bool(declared)
        is_blank = not block["props"].get("value")
        return block["id"] in self.inputs or (block["id"] not in self.outputs and is_blank)


def _ids(layout: Config) -> Iterator[int]:
    """Yield the ids in a tab's layout, starting with the tab's own."""
    yield cast(int, layout["id"])
    for child in layout["children"]:
        yield from _ids(child)


def _unseen(state: Config) -> dict[str, Any]:
    sent = slim_component(state)
    sent["props"]["visible"] = False
    return sent
