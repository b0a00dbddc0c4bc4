// What the page gives its scripts, besides the values and events of Python in each folder's `types.d.ts`.

/** What the `mount` of a component gets (`gradio_parts/mount.js`). */
interface Part<View, Event extends string = never> {
  element: HTMLElement;
  /** The component's properties; `value` is what events read. */
  props: { value: View };
  trigger: (event: Event, data: object) => void;
  /** Like `trigger`, for events of which only the last one counts. */
  triggerLatest: (event: Event, data: object) => void;
  /** Calls `draw` with every value, starting with the first. null means that there is no value. */
  follow: (draw: (value: View | null) => void) => void;
}

// Values of Python have types, elements of the page do not: a script finds one by selector and knows what it is.
interface ParentNode {
  querySelector(selector: string): any;
  querySelectorAll(selector: string): NodeListOf<any>;
}
interface Document {
  readonly activeElement: any;
}
interface EventTarget {
  closest?(selector: string): any;
}
interface Element {
  closest(selector: string): any;
}

/** What an address says about a tab, such as `{ contract: "minimal", version: "3" }`. */
type PlaceValues = Record<string, string>;

interface Window {
  /** Functions of the scripts in `head/`, which Gradio's events call by name. */
  hermesWorkbench: {
    router: {
      onPlace: (tab: string, open: (values: PlaceValues, request: number) => unknown) => void;
      here: (tab: string, values: PlaceValues, more?: { request?: number; isReplaced?: boolean }) => void;
      goTo: (tab: string, values?: PlaceValues) => void;
      link: (tab: string, values: PlaceValues) => string;
      valuesOf: (tab: string) => PlaceValues;
      isHome: () => boolean;
      session: () => string;
      afterOpening: (tab: string, name: string, work: () => void) => boolean;
      [name: string]: any;
    };
    /** The meaning of each term of the glossary. */
    terms: Record<string, string>;
    /** What empty places show, by their names. */
    emptyPlaces: Record<string, Record<"heading" | "text" | "example" | "button", string>>;
    samplingFields: any[];
    chartsAddress: string;
    [name: string]: any;
  };
}
