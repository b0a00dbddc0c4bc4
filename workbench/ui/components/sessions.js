const list = node("ul", { class: "hw-sessions" });
const hint = node("p", { class: "hw-hint" });
element.replaceChildren(list, hint);
follow((value) => {
  const rows = value ? value.rows : [];
  hint.textContent = value && rows.length === 0 ? value.hint : "";
  hint.hidden = rows.length > 0;
  list.replaceChildren(...rows.flatMap((row) => [
    row.heading ? node("li", { class: "hw-day", role: "presentation" }, row.heading) : null,
    node("li", {}, node("button", { type: "button", class: "hw-session", title: row.title, "data-id": row.id,
      "aria-current": row.is_open ? "true" : null, onclick: () => trigger("open_session", { id: row.id }) },
      node("span", { class: "hw-title" }, row.title), node("span", { class: "hw-note" }, row.when))),
  ]).filter(Boolean));
});
