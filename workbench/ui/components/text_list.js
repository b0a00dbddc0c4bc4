let kind = "contract";
const list = node("ul", { class: "hw-sessions" });
const note = node("p", { class: "hw-line t-quiet", role: "status" });
const field = node("input", { class: "hw-input", placeholder: "New name", spellcheck: "false",
  onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); make(); } } });
const make = () => {
  if (field.value.trim()) trigger("new_text", { name: field.value.trim() });
  field.value = "";
};
element.replaceChildren(list, node("div", { class: "hw-save" }, field, node("button", { type: "button", class: "hw-act", onclick: make }, "New")), note);
const place = () => "hermes-workbench:" + kind;
const stored = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
const open = (name) => trigger("open_text", { name, draft: stored(place() + ":draft:" + name) || "" });
follow((value) => {
  if (!value) return;
  kind = value.kind;
  list.setAttribute("aria-label", kind[0].toUpperCase() + kind.slice(1) + "s");
  field.setAttribute("aria-label", "Name of a new " + kind);
  const names = value.rows.map((row) => row.name);
  if (value.wants_open) {
    const last = stored(place() + ":open");
    return open(names.includes(last) || (last && stored(place() + ":draft:" + last)) ? last : names[0] || "");
  }
  try { if (value.open_name) localStorage.setItem(place() + ":open", value.open_name); } catch { /* forbidden */ }
  note.textContent = value.is_draft ? "The editor has what you typed here before and did not save." : "";
  list.replaceChildren(...value.rows.map((row) => node("li", {}, node("button", { type: "button", class: "hw-session", ["data-" + kind]: row.name,
    "aria-current": row.is_open ? "true" : null, onclick: () => open(row.name) },
    node("span", { class: "hw-title hw-mono" }, row.name), node("span", { class: "hw-note" }, row.note)))));
});
