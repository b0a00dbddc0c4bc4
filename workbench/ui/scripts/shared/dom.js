// Creates elements. Text is always set as text, so nothing that a model wrote is parsed as HTML.
import { html, render } from "./lit_html.js";

// A template as elements that are drawn once.
export const once = (/** @type {Drawable} */ template) => {
  const place = document.createDocumentFragment();
  render(template, place);
  return place;
};

/**
 * @param {string} tag
 * @param {Attributes} [attributes] `on…` adds a listener
 * @param {...Drawable} children elements, texts, templates and lists of them; null and the empty text are left out
 * @returns {PageElement}
 */
export const node = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(
    .../** @type {any[]} */ (children)
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== "")
      .map((child) => (child._$litType$ ? once(child) : child)),
  );
  return element;
};

// A term of the glossary, with its meaning as a tooltip. `text` is how the term is written here.
export const term = (/** @type {string} */ name, /** @type {string} */ text) =>
  node("span", { class: "hw-term", title: window.hermesWorkbench.terms[name] }, text);

// A code of a fix, finding or lint, with a link to its paragraph in the documentation.
export const codeLink = (/** @type {string} */ code, kind = "") =>
  html`<a class="hw-code" href="help/code/${code}"><code class=${kind}>${code}</code></a>`;

// A text after the code that it explains, if there is one.
/** @param {{ code: string, text: string }} line */
export const codedText = ({ code, text }) => html`${code ? html`${codeLink(code)} ` : ""}${text}`;

export const hint = (/** @type {Drawable} */ text) => node("p", { class: "hw-hint" }, text);

// Coloured spans of a text.
export const pieces = (/** @type {TextSpan[]} */ list) =>
  list.map((piece) =>
    piece.kind === "text" && !piece.is_picked
      ? piece.text
      : node("span", { class: "k-" + piece.kind + (piece.is_picked ? " is-picked" : "") }, piece.text),
  );

/** @type {Record<string, string>} */
const ICONS = {
  chevron: "M6 4l4 4-4 4",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  check: "M3 8.5l3.2 3L13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  left: "M10 4L6 8l4 4",
  right: "M6 4l4 4-4 4",
  compare: "M3 3h4v10H3zM9 3h4v10H9z",
  plus: "M8 3v10M3 8h10",
  wrap: "M2.5 4h11M2.5 8h8.5a2.2 2.2 0 0 1 0 4.4H8M9.8 10.6L8 12.4l1.8 1.8M2.5 12.4h2.5",
  space: "M2.5 9.5v3h11v-3",
  more: "M3.2 8h.1M8 8h.1M12.8 8h.1",
  save: "M8 2.5v7M5 7l3 3 3-3M3 13h10",
  fold: "M4 6.5l4-3.5 4 3.5M4 9.5L8 13l4-3.5",
  find: "M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8M10 10l3.5 3.5",
};

export const icon = (/** @type {string} */ name) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({
    viewBox: "0 0 16 16",
    width: 16,
    height: 16,
    fill: "none",
    stroke: "currentColor",
    "stroke-width": 1.4,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
    "aria-hidden": "true",
  }))
    svg.setAttribute(key, String(value));
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
};

/** @type {(name: string, label: string, onclick: (event: PageEvent) => unknown, more?: Attributes) => PageElement} */
export const iconButton = (name, label, onclick, more) =>
  node(
    "button",
    { type: "button", class: "hw-icon", "aria-label": label, title: label, onclick, ...(more || {}) },
    icon(name),
  );

// Copies a text, and shows a check mark on the button for a moment.
export const copyText = async (/** @type {string} */ text, /** @type {Element} */ button) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = node("textarea", { style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const before = [...button.childNodes];
  button.replaceChildren(icon("check"));
  setTimeout(() => button.replaceChildren(...before), 1200);
};

// Downloads a text as a file.
/** @type {(name: string, text: BlobPart, type: string) => void} */
export const saveFile = (name, text, type) => {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = node("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
};

// A heading and a list of rows, or a hint if there are no rows. `list` draws the rows.
/** @type {<Row>(value: { heading?: string, hint?: string, rows: Row[] } | null, list: (rows: Row[]) => Drawable) => Drawable} */
export const headedList = (value, list) => [
  value?.heading ? html`<h3>${value.heading}</h3>` : "",
  value?.rows.length ? list(value.rows) : value?.hint ? hint(value.hint) : "",
];

// Shows a field in `place`, with its text selected, and returns it. Enter or leaving it saves a changed text, Escape
// restores what was there. `more` has further attributes of the field, or others than these.
/**
 * @param {Element} place @param {string} label @param {string} text @param {(text: string) => unknown} save
 * @param {() => void} restore @param {Attributes} [more]
 */
export const editText = (place, label, text, save, restore, more = {}) => {
  let isOver = false;
  const field = node("input", {
    class: "hw-input",
    "aria-label": label,
    value: text,
    maxlength: 500,
    onkeydown: (event) => {
      event.stopPropagation();
      if (event.key === "Enter") end(true);
      if (event.key === "Escape") end(false);
    },
    onblur: () => end(true),
    ...more,
  });
  const end = (/** @type {boolean} */ isSaved) => {
    if (isOver) return;
    isOver = true;
    restore();
    if (isSaved && field.value.trim() !== text) save(field.value);
  };
  place.replaceChildren(field);
  field.focus();
  field.select();
  return field;
};

// Returns a field with the link that shares something, and the buttons to copy it and to stop sharing.
/** @type {(label: string, address: string, stop: () => void) => Drawable} */
export const sharedLink = (label, address, stop) => [
  node("input", {
    class: "hw-link",
    readonly: true,
    "aria-label": label,
    value: address,
    onfocus: (event) => event.currentTarget.select(),
  }),
  iconButton("copy", "Copy link", (event) => copyText(address, event.currentTarget)),
  node("button", { type: "button", class: "hw-act", onclick: stop }, "Stop sharing"),
];
