// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** The account that is logged in. */
interface AccountView {
  /** The login name. Empty if no login is needed. */
  name: string;
}

/** What Play shows, for the browser's address bar. */
interface AddressView {
  /** The open session, or None. */
  session: string | null;
  /** The share key of a session that was opened by its link, or None. */
  shared: string | null;
  /** The message in the inspector, or None for the newest. */
  message: string | null;
  /** The number of the router's request that this answers; 0 for none. */
  request: number;
  /** True if Back should not return to what was shown before, such as a session that was deleted. */
  is_replaced: boolean;
}

/** The state of the model in the page header. */
interface HeaderView {
  /** Name, device and state of the model. */
  text: string;
  /** A short name of the model, with its state. */
  label: string;
  /** True once the model is loaded, or its server has answered. */
  is_loaded: boolean;
  /** True while the model writes for this user. */
  is_busy: boolean;
  /** True if a page that opens should ask the servers for their models. */
  asks_servers: boolean;
}

/** The drawer with the documentation. */
interface HelpView {
  /** The page about each tab. */
  pages: Record<string, string>;
}

/** All shortcuts of the page. */
interface KeysView {
  /** Shortcuts that work on all tabs first. */
  tabs: TabKeys[];
}

/** The models that can be chosen. */
interface ModelPickerView {
  groups: PickerGroup[];
  /** Name of the model of Play. */
  chosen: string;
  /** Whether the person may add a server. */
  can_add: boolean;
  /** A new number for every answer. */
  serial: number;
}

/** A search result of the palette. */
interface PaletteItem {
  /** `session`, `contract`, `tool`, `suite` or `preset`. */
  kind: string;
  name: string;
  /** Details that distinguish results with similar names. */
  note: string;
  id: string;
}

/** The search results of the palette. The browser itself adds tabs and commands. */
interface PaletteView {
  query: string;
  /** Contracts, tools and suites, then sessions by last use. */
  items: PaletteItem[];
}

/** Models of one place. */
interface PickerGroup {
  title: string;
  note: string;
  /** Why its server failed. Empty if it did not. */
  reason: string;
  /** Name of the server to ask again. None if there is none. */
  retry: string | null;
  models: NamedModel[];
}

/** A place in the first row of the navigation. */
interface PlaceLink {
  label: string;
  /** With a single tab, there is no second row. */
  tabs: TabLink[];
}

/** The navigation of the page. */
interface PlacesView {
  places: PlaceLink[];
}

/** A keyboard shortcut and its action. */
interface Shortcut {
  /** For example `Ctrl+Enter`. */
  keys: string;
  does: string;
}

/** The shortcuts of one tab. */
interface TabKeys {
  /** Element id of the tab's pane. Empty for shortcuts that work on all tabs. */
  tab: string;
  /** The most used first. */
  keys: Shortcut[];
}

/** A tab in the second row of the navigation. */
interface TabLink {
  tab: string;
  label: string;
}

/** One step of the tour. */
interface TourStep {
  /** Element id of the part that the step describes. If it is hidden, the step is shown on its own. */
  target: string;
  heading: string;
  text: string;
}

/** The tour of a first visit. */
interface TourView {
  steps: TourStep[];
  /** True if the user has no session. The page then opens an example session. */
  is_empty: boolean;
  /** True once its example is on the screen, which begins the tour. */
  is_ready: boolean;
  /** A new number for each answer of the server. */
  serial: number;
}

type ModelPickerEvents = "choose_model" | "open_picker" | "retry_server";

type PaletteEvents = "find_any";

type TabLoaderEvents = "open_tab";

type TourEvents = "first_visit";
