// The shortcuts of the Play tab, and a line that names them. Esc closes a drawer or stops the model.
import { node } from "../shared/dom.js";
import { onKeys, press } from "../shared/page.js";
import { enterSends } from "../shared/storage.js";

// Whether a key sends the message: Enter, unless the person has turned it round, and Ctrl+Enter in any case.
const isSend = (/** @type {PageEvent} */ event) => {
  if (event.key !== "Enter" || event.isComposing || event.shiftKey || event.altKey) return false;
  if (event.ctrlKey || event.metaKey) return true;
  return enterSends() && Boolean(event.target.closest("#play-composer"));
};

/** @param {Part<null>} part */
export const mount = ({ element }) => {
  const key = (/** @type {string} */ name) => node("kbd", {}, name);
  const draw = () =>
    element.replaceChildren(key(enterSends() ? "Enter" : "Ctrl+Enter"), " sends · ", key("Esc"), " stops");
  draw();
  window.addEventListener("hw:enter", draw);
  onKeys(element, document, (event) => {
    const columns = document.getElementById("play-columns");
    if (!columns || columns.offsetParent === null) return;
    // An open pane, menu or window handles its own keys.
    if (event.target.closest("dialog, .hw-message-pane, .hw-menu-at, .hw-preset-naming")) return;
    if (isSend(event)) {
      event.preventDefault();
      event.stopPropagation();
      const isAgain =
        event.target.closest("#play-contract-text") && document.querySelector("#play-transcript .r-user");
      // Gradio gets the last keystroke of the field a moment after this key.
      setTimeout(() => (isAgain ? window.dispatchEvent(new Event("hw:again")) : press("play-send")), 30);
    } else if (event.key === "Escape" && !event.defaultPrevented) {
      if (columns.dataset.pane) delete columns.dataset.pane;
      else press("play-stop");
    }
  });
};
