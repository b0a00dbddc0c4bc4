const block = element.closest("#play-live") || element;
const text = node("pre", { class: "hw-live-text" });
const caret = node("span", { class: "hw-caret", "aria-hidden": "true" });
const note = node("span", { class: "hw-note", role: "status" });
element.replaceChildren(node("span", { class: "hw-role" }, "model"), node("div", { class: "hw-body" }, text, note));
follow((value) => {
  const is_live = Boolean(value && value.is_live);
  block.classList.toggle("is-live", is_live);
  if (!is_live) { text.replaceChildren(); note.textContent = ""; return; }
  const was_at_end = text.scrollTop + text.clientHeight >= text.scrollHeight - 40;
  text.replaceChildren(...pieces(value.pieces), caret);
  note.textContent = value.note;
  if (was_at_end) text.scrollTop = text.scrollHeight;
});
