// The shortcuts of the Play tab, and a line that names them. Ctrl+Enter sends, Esc closes a drawer or stops the model.
import { node } from "../shared/dom.js";
import { onKeys, press } from "../shared/page.js";

/** @param {Part<null>} part */
export const mount = ({ element }) => {
  const key = (name) => node("kbd", {}, name);
  element.replaceChildren(key("Ctrl"), "+", key("Enter"), " sends · ", key("Esc"), " stops");
  onKeys(element, document, (event) => {
    const columns = document.getElementById("play-columns");
    if (!columns || columns.offsetParent === null) return;
    // An open pane, menu or window handles its own keys.
    if (event.target.closest("dialog, .hw-message-pane, .hw-menu-at, .hw-preset-naming")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      // Gradio gets the last keystroke of the field a moment after this key.
      setTimeout(() => press("play-send"), 30);
    } else if (event.key === "Escape" && !event.defaultPrevented) {
      if (columns.dataset.pane) delete columns.dataset.pane;
      else press("play-stop");
    }
  });
};
