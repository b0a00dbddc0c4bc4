// What the page gives its scripts, besides the values and events of Python in each folder's `types.d.ts`.

/** Draws a value; null means that there is none. */
type Draw<View> = (value: View | null) => void;

/** What the `mount` of a component gets (`gradio_parts/mount.js`). */
interface Part<View, Event extends string = never> {
  element: HTMLElement;
  /** The component's properties; `value` is what events read. */
  props: { value: View };
  trigger: (event: Event, data: object) => void;
  /** Like `trigger`, for events of which only the last one counts. */
  triggerLatest: (event: Event, data: object) => void;
  /** Calls `draw` with every value, starting with the first. null means that there is no value. */
  follow: (draw: Draw<View>) => void;
}

// Values of Python have types, elements of the page do not: a script finds one by selector and knows what it is.
interface ParentNode {
  querySelector(selector: string): any;
  querySelectorAll(selector: string): NodeListOf<any>;
}
interface Document {
  readonly activeElement: any;
}
interface Element {
  closest(selector: string): any;
}

/** An element with the properties of its kind. */
interface PageElement extends HTMLElement {
  [property: string]: any;
}

/** An event of the page, with what its kind has: a handler knows which kind it gets. */
type PageEvent = KeyboardEvent &
  PointerEvent &
  DragEvent &
  ClipboardEvent & { target: any; currentTarget: any };

/** What `html` of lit-html returns. */
interface Template {
  _$litType$: number;
}

/** What elements and templates contain. Texts are always shown as texts. */
type Drawable = Template | Node | string | number | boolean | symbol | null | undefined | readonly Drawable[];

/** Attributes of an element; null and false leave one out. */
type Attributes = {
  [event: `on${string}`]: ((event: PageEvent) => unknown) | null | undefined;
  [name: string]: unknown;
};

/** The value of a pane that asks for its content (`inspect/asking.js`). */
interface AskedView {
  /** The message that it is about. */
  message_id: string;
  /** Whether the content is there. */
  is_known: boolean;
}

/** A line of a menu (`menu.js`); null for none. */
type MenuItem = [label: string, action: () => void] | null;

/** What the Label tab adds to a call and to its result. */
interface CallLabel {
  key: string;
  /** More classes of the call. */
  kind?: string;
  /** Shown before the result. */
  said?: Drawable;
  result?: { key: string; isStale: boolean; said: Drawable } | null;
}

/** A call as it is filled in: the name of a tool, and what was typed for its parameters. */
interface CallDraft {
  name: string;
  texts: Record<string, string>;
  result?: string;
}

/** What an address says about a tab, such as `{ contract: "minimal", version: "3" }`. */
type PlaceValues = Record<string, string>;

