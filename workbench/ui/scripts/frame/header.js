// The name of the product, the state of the model, and the buttons that open the palette and skip to the content.
import { iconButton, node } from "../shared/dom.js";

// In Play, the content is the field for the message; in other places, the first control.
const skip = () => {
  const shown = (selector) =>
    [...document.querySelectorAll(selector)].find((control) => control.offsetParent !== null);
  const pane = "#page-tabs > [role=tabpanel] ";
  const content =
    shown("#play-composer textarea") ||
    shown(["button", "input", "textarea"].map((name) => pane + name).join());
  content?.focus();
};

/** @param {Part<HeaderView>} part */
export const mount = ({ element, follow }) => {
  const dot = node("span", { class: "hw-dot", "aria-hidden": "true" });
  const text = node("span", {});

  const find = iconButton("find", "Find anything (Ctrl+K)", () =>
    window.dispatchEvent(new Event("hw:palette")),
  );

  element.replaceChildren(
    node("button", { type: "button", class: "hw-skip", onclick: skip }, "Skip to content"),
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
