// A button that shows and hides the components of an element, which `page.css` hides until it is open.
import { node } from "./dom.js";

// A button that calls `show` with whether the element with the id `content` is to be shown.
export const foldButton = (label, content, show) => {
  const button = node("button", { type: "button", class: "hw-fold-button" }, label);
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-controls", content);
  button.addEventListener("click", () => {
    const isOpen = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(isOpen));
    show(isOpen);
  });
  return button;
};

/** @param {Part<FoldView>} part */
export const mount = ({ element, follow }) =>
  follow((value) => {
    if (!value) return;
    const show = (isOpen) => document.getElementById(value.content)?.toggleAttribute("data-open", isOpen);
    element.replaceChildren(foldButton(value.label, value.content, show));
  });
