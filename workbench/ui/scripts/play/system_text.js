// The composed system text with its size, collapsed at first.
import { node, pieces } from "../shared/dom.js";

/** @param {Part<SystemTextView>} part */
export const mount = ({ element, follow }) => {
  const summary = node("summary", {});

  const text = node("pre", {
    class: "hw-system",
    tabindex: 0,
    role: "group",
    "aria-label": "Composed system text",
  });

  const fold = node("details", { class: "hw-details" }, summary, text);
  element.replaceChildren(fold);

  follow((value) => {
    fold.hidden = !value;
    if (!value) return;
    summary.replaceChildren(node("span", {}, "System text"), node("span", { class: "hw-note" }, value.size));
    text.replaceChildren(...pieces(value.pieces));
  });
};
