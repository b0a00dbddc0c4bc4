// The name of the product, the state of the model, and the button that opens the palette.
import { iconButton, node } from "../shared/dom.js";

/** @param {Part<HeaderView>} part */
export const mount = ({ element, follow }) => {
  const dot = node("span", { class: "hw-dot", "aria-hidden": "true" });
  const text = node("span", {});

  const find = iconButton("find", "Find anything (Ctrl+K)", () =>
    window.dispatchEvent(new Event("hw:palette")),
  );

  element.replaceChildren(
    node("h1", { class: "hw-brand" }, "Hermes Workbench"),
    node("div", { class: "hw-tail" }, node("div", { class: "hw-model", role: "status" }, dot, text), find),
  );

  follow((value) => {
    if (!value) return;
    text.textContent = value.text;
    dot.classList.toggle("is-busy", value.is_busy);
    dot.classList.toggle("is-loaded", value.is_loaded);
  });
};
