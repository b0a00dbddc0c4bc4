// The shortcuts of the Suites tab; draws nothing. Ctrl+Enter runs, Esc stops the run.
import { onKeys, press } from "../shared/page.js";

/** @param {Part<null>} part */
export const mount = ({ element }) =>
  onKeys(element, document, (event) => {
    const columns = document.getElementById("suites-columns");
    if (!columns || columns.offsetParent === null) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      // Gradio gets the last keystroke of the field a moment after this key.
      setTimeout(() => press("suites-start"), 30);
    } else if (event.key === "Escape" && !event.defaultPrevented && !document.activeElement?.closest(".form"))
      press("suites-bar");
  });
