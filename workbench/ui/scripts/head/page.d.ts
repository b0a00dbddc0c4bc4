// What the scripts of the page's head offer to the others, and to Gradio's events, which call it by name.

/** Opens what an address names in a tab; `request` is the number to report with it. False if there is nothing to open. */
type PlaceOpener = (values: PlaceValues, request: number) => unknown;

/** The router of addresses (`router.js`). */
interface Router {
  /** `open` is called when the page should show values of this tab, at once if it already should. */
  onPlace: (tab: string, open: PlaceOpener) => void;
  /** The tab shows these values now. A replaced address is not a step of the history. */
  here: (tab: string, values: PlaceValues, more?: { request?: number; isReplaced?: boolean }) => void;
  /** The same for fields of Gradio, with their names and first values. */
  hereFields: (tab: string, first: PlaceValues, values: string[]) => string[];
  /** Goes there, as a step of the history. */
  goTo: (tab: string, values?: PlaceValues) => void;
  /** Opens a tab with what it showed last, as a step of the history. */
  choose: (tab: string) => void;
  /** Calls `work` with the open tab now, and whenever another one is opened. */
  onTab: (work: (tab: string) => void) => void;
  /** The address of a place, for a link. */
  link: (tab: string, values: PlaceValues) => string;
  /** What the tab shows or should show. */
  valuesOf: (tab: string) => PlaceValues;
  /** Whether the address is the page's plain one. */
  isHome: () => boolean;
  /** The session that Play shows, for what the browser stores per session. */
  session: () => string;
  /** Whether the tab was asked to open something, and the answer is not shown yet. For tabs that report the number of each request. */
  isOpening: (tab: string) => boolean;
  /**
   * Calls `work` once it is, or the answer is lost. Only the last work of a name is called. Returns false, and does
   * nothing, if the tab is not opening anything.
   */
  afterOpening: (tab: string, name: string, work: () => void) => boolean;
  /** Begins to follow the tabs, once the page is built. */
  start: (tries?: number) => unknown;
  /** The address of what Play should show when the page opens. The server explains one with an unknown tab. */
  ofPlay: () => string[];
}

/** `browser.js`: the secret of this browser, and logging in and out. */
interface BrowserFunctions {
  secret: () => string[];
  readSecret: () => string[];
  signInOrOut: (label: string, signIn: string) => void;
}

/** `setups.js`: the setup in use. Its values are those of Gradio's fields. */
interface SetupFunctions {
  keepSetup: (names: string[], values: any[]) => string[];
  keepSetupOrigin: (defaults: string, preset: string) => void;
  setupInUse: () => Record<string, unknown> | null;
  readSetup: () => string[];
  presetInUse: () => string;
  keepApplied: (setup?: string) => void;
  appliedSetup: () => string;
  isPresetChanged: () => boolean;
}

/** Names of the tabs, and of the values in their addresses, as `present/place.py` declares them. */
declare const PLACE_NAMES: {
  tabs: Record<string, Record<"main" | "refined" | "once", string[]>>;
  old: Record<string, string>;
  most: number;
};

interface Workbench extends BrowserFunctions, SetupFunctions {
  router: Router;
  /** Of `drafts/document_changes.js`. */
  documents: any;
  /** Of `sending.js`. */
  written: (values: unknown[], fields: string[]) => unknown[];
  sent: (values: unknown[], fields: string[]) => unknown[];
  /** Of `gradio_parts/`. */
  attachTabLoader: (ask: (tab: string) => void) => void;
  codeViewOf: (content: Element) => CodeEditor | undefined;
  drop: (reason: string) => never;
  loadTab: (tab: string, more?: { isFilled?: boolean }) => Promise<void>;
  filled: Set<string>;
  chartsAddress: string;
  /** Whether the picker has asked for the form of a new server. */
  isServerAsked?: boolean;
  /** The meaning of each term of the glossary. */
  terms: Record<string, string>;
  /** What empty places show, by their names. */
  emptyPlaces: Record<string, Record<"heading" | "text" | "example" | "button", string>>;
  samplingFields: SamplingField[];
}

interface Window {
  hermesWorkbench: Workbench;
}
