const undo = node("p", { class: "hw-line hw-undo", role: "status" });
const scope = node("button", { type: "button", class: "hw-act hw-scope", onclick: () => trigger("scope", {}) });
const list = node("ul", { class: "hw-sessions" });
const hint = node("p", { class: "hw-hint" });
const gone = node("ul", { class: "hw-sessions" });
const fold = node("details", { class: "hw-deleted" }, node("summary", {}, node("span", {}, "Deleted")), gone);
element.replaceChildren(undo, scope, list, hint, fold);
const open = (row) =>
  node("button", { type: "button", class: "hw-session", title: row.damage ? row.title + ": " + row.damage : row.title,
    "data-id": row.id, "aria-current": row.is_open ? "true" : null, onclick: () => trigger("open_session", { id: row.id }) },
    node("span", { class: "hw-title" }, row.title),
    row.word ? node("span", { class: "hw-word" + (row.damage ? " is-damaged" : "") }, row.word) : null,
    node("span", { class: "hw-note" }, row.when));
const restore = (row, word) =>
  node("button", { type: "button", class: "hw-act", "aria-label": word + " " + row.title,
    onclick: () => trigger("restore_session", { id: row.id }) }, word);
follow((value) => {
  const rows = value ? value.rows : [];
  const deleted = value ? value.deleted : [];
  undo.hidden = !value || !value.undo;
  undo.replaceChildren(...(undo.hidden ? [] : [node("span", { class: "hw-title" }, "Deleted: " + value.undo.title), restore(value.undo, "Undo")]));
  scope.hidden = !value || !value.scope;
  scope.textContent = value ? value.scope : "";
  hint.textContent = value && rows.length === 0 ? value.hint : "";
  hint.hidden = rows.length > 0;
  list.replaceChildren(...rows.flatMap((row) => [
    row.heading ? node("li", { class: "hw-day", role: "presentation" }, row.heading) : null,
    node("li", { class: "hw-item" }, open(row),
      row.can_delete ? iconButton("cross", "Delete " + row.title, () => trigger("delete_session", { id: row.id })) : null),
  ]).filter(Boolean));
  fold.hidden = deleted.length === 0;
  gone.replaceChildren(...deleted.map((row) =>
    node("li", { class: "hw-item" }, node("span", { class: "hw-title", title: row.title }, row.title),
      node("span", { class: "hw-note" }, row.when), restore(row, "Restore"))));
});
