// Draws a heading above a group of components. Its tooltip explains it, its `?` opens the documentation (`help.js`).
import { node } from "./dom.js";

// `about` is the page of the documentation with its anchor.
/** @param {string} level @param {string} text @param {string} about */
export const heading = (level, text, about, title = "") =>
  node(
    "div",
    { class: "hw-h" },
    node(level, {}, title ? node("span", { class: "hw-term", title }, text) : text),
    node("a", { class: "hw-help-mark", href: "help/" + about, "aria-label": "Help: " + text }, "?"),
  );

/** @param {Part<HeadingView>} part */
export const mount = ({ element, follow }) =>
  follow((value) =>
    element.replaceChildren(value ? heading("h2", value.text, value.about, value.meaning) : ""),
  );
