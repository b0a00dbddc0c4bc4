// The keys of the Play tab; draws nothing. Ctrl+Enter sends, Esc closes a drawer or stops the model.
import { onKeys, press } from "./page.js";

export const mount = ({ element }) =>
  onKeys(element, document, (event) => {
    const columns = document.getElementById("play-columns");
    if (!columns || columns.offsetParent === null) return;
    // What is open above the composer has the keys first.
    if (event.target.closest(".hw-message-pane, .hw-menu-at")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      // The field's last keystroke reaches the page's state a moment later than this key.
      setTimeout(() => press("play-send"), 30);
    } else if (event.key === "Escape" && !event.defaultPrevented) {
      if (columns.dataset.pane) delete columns.dataset.pane;
      else press("play-stop");
    }
  });
