// Draws a heading above a group of components. Its tooltip explains it, its `?` opens the documentation (`help.js`).
import { node } from "./dom.js";

/** @param {Part<HeadingView>} part */
export const mount = ({ element, follow }) =>
  follow((value) => {
    if (!value) return element.replaceChildren();
    const { text, meaning: title, about } = value;
    element.replaceChildren(
      node("h2", {}, title ? node("span", { class: "hw-term", title }, text) : text),
      node("a", { class: "hw-help-mark", href: "help/" + about, "aria-label": "Help: " + text }, "?"),
    );
  });
