// The completion in progress.
import { node, pieces } from "./dom.js";

export const mount = ({ element, follow }) => {
  const block = element.closest("#play-live") || element;
  const text = node("pre", { class: "hw-live-text" });
  const caret = node("span", { class: "hw-caret", "aria-hidden": "true" });
  const note = node("span", { class: "hw-note", role: "status" });

  element.replaceChildren(
    node("span", { class: "hw-role" }, "model"),
    node("div", { class: "hw-body" }, text, note),
  );

  follow((value) => {
    const isLive = Boolean(value && value.is_live);
    block.classList.toggle("is-live", isLive);
    if (!isLive) {
      text.replaceChildren();
      note.textContent = "";
      return;
    }
    const wasAtEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 40;
    text.replaceChildren(...pieces(value.pieces), caret);
    note.textContent = value.note;
    if (wasAtEnd) text.scrollTop = text.scrollHeight;
  });
};
