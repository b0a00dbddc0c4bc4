// The keys of the Suites tab; draws nothing. Ctrl+Enter runs, Esc stops the run.
import { onKeys, press } from "./page.js";

export const mount = ({ element }) =>
  onKeys(element, document, (event) => {
    const columns = document.getElementById("suites-columns");
    if (!columns || columns.offsetParent === null) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      // The field's last keystroke reaches the page's state a moment later than this key.
      setTimeout(() => press("suites-start"), 30);
    } else if (event.key === "Escape" && !event.defaultPrevented && !document.activeElement?.closest(".form"))
      press("suites-bar");
  });
