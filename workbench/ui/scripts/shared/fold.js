// A button that shows and hides the components of an element, which `page.css` hides until it is open.
import { node } from "./dom.js";
import { storedText, storeText } from "./storage.js";

const KEPT = "hermes-workbench:fold:";

// A button that calls `show` with whether the element with the id `content` is to be shown.
/** @param {string} label @param {string} content @param {(isOpen: boolean) => void} show */
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
    const { label, content, is_kept: isKept } = value;
    const show = (/** @type {boolean} */ isOpen) => {
      document.getElementById(content)?.toggleAttribute("data-open", isOpen);
      if (isKept) storeText(KEPT + content, isOpen ? "open" : "");
    };
    const button = foldButton(label, content, show);
    element.replaceChildren(button);
    if (value.is_open || (isKept && storedText(KEPT + content))) button.click();
  });
