// The name of the product, the model with its state, which opens the picker, and the buttons that open the palette and skip to the content.
import { icon, iconButton, node } from "../shared/dom.js";
import { showTheme } from "../shared/page.js";

// In Play, the content is the field for the message; in other places, the first control.
const skip = () => {
  const shown = (/** @type {string} */ selector) =>
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
  const text = node("span", { role: "status" });
  const open = () => window.dispatchEvent(new Event("hw:models"));
  const model = node(
    "button",
    { type: "button", class: "hw-model", "aria-haspopup": "dialog", onclick: open },
    dot,
    text,
    icon("chevron"),
  );

  const find = iconButton("find", "Find anything (Ctrl+K)", () =>
    window.dispatchEvent(new Event("hw:palette")),
  );

  /**
   * @param {string} label
   * @param {() => boolean} onclick
   * @param {{ "aria-label": string; title: string }=} more
   */
  const link = (label, onclick, more) =>
    node("button", { type: "button", class: "hw-head-link", onclick, ...more }, label);
  const dispatch = (/** @type {string} */ name) => () => window.dispatchEvent(new Event(name));

  element.replaceChildren(
    node("button", { type: "button", class: "hw-skip", onclick: skip }, "Skip to content"),
    node("h1", { class: "hw-brand" }, "Hermes Workbench"),
    node("p", { class: "hw-motto" }, "See exactly what a tool-calling model reads and writes."),
    node(
      "div",
      { class: "hw-tail" },
      model,
      link("Docs", dispatch("hw:help")),
      link("Connect your model", dispatch("hw:connect")),
      link("Tour", dispatch("hw:tour")),
      link("?", dispatch("hw:keys"), { "aria-label": "Keyboard shortcuts", title: "Keyboard shortcuts (?)" }),
      find,
    ),
  );

  showTheme();

  follow((value) => {
    if (!value) return;
    text.textContent = value.label;
    model.title = value.text;
    dot.classList.toggle("is-busy", value.is_busy);
    dot.classList.toggle("is-loaded", value.is_loaded);
  });
};
