// The system text as a model gets it, with its size.
import { node, pieces } from "../shared/dom.js";

/** @param {Part<PreviewView>} part */
export const mount = ({ element, follow }) => {
  const size = node("p", { class: "hw-note", role: "status" });
  const text = node("pre", { class: "hw-preview", tabindex: 0, role: "group", "aria-label": "System text" });
  element.replaceChildren(size, text);

  follow((value) => {
    size.textContent = value ? value.size : "";
    text.classList.toggle("hw-note", Boolean(value?.is_stale));
    if (!value?.is_stale) text.replaceChildren(...pieces(value ? value.pieces : []));
  });
};
