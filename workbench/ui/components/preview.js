const size = node("p", { class: "hw-note", role: "status" });
const text = node("pre", { class: "hw-preview", tabindex: 0, role: "group", "aria-label": "System text" });
element.replaceChildren(size, text);
follow((value) => {
  size.textContent = value ? value.size : "";
  text.replaceChildren(...pieces(value ? value.pieces : []));
});
