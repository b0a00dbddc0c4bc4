// Which message is edited, for a reload; and what was written of each, until it is saved or dropped.
const OPEN = "hermes-workbench:editing";
const draft_name = (value) => "hermes-workbench:edit:" + value.message_id + (value.call === null ? "" : "#" + value.call);
const session = () => new URLSearchParams(location.search).get("session") || "";
const stored = (name) => {
  try { return JSON.parse(localStorage.getItem(name) || "null"); } catch { return null; }
};
const store = (name, value) => {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch { /* full or forbidden: it lives as long as the page */ }
};
let edited = null;
let is_sent = false;
let is_new = true;
let gone = 0;
const forget = () => {
  if (edited) store(draft_name(edited), null);
  store(OPEN, null);
  edited = null;
};
const close = () => {
  forget();
  clearTimeout(gone);
  element.replaceChildren();
  trigger("close_pane", {});
};
const button = (label, onclick, more) => node("button", { type: "button", class: "hw-button", onclick, ...(more || {}) }, label);
const pane = (label, ...children) =>
  node("section", { class: "hw-message-pane", role: "group", "aria-label": label, onkeydown: (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  } }, children);

const draw_edit = (value) => {
  edited = value;
  store(OPEN, { session: session(), id: value.message_id, call: value.call });
  const draft = stored(draft_name(value)) || (value.call === null ? { text: value.text } : { name: value.name, texts: { ...value.values } });
  const keep = () => {
    is_sent = false;
    store(draft_name(value), draft);
  };
  const save = (then) => {
    // A browser's field knows one kind of line end; the text keeps the one it had.
    const text = value.call === null && value.text.includes("\r\n") ? draft.text.replace(/\r?\n/g, "\r\n") : draft.text;
    is_sent = true;
    const said = value.call === null ? { text } : { name: draft.name, texts: draft.texts };
    trigger("save_message", { id: value.message_id, call: value.call, said: JSON.stringify(said), then });
  };
  const fields = node("div", { class: "hw-pane-fields" });
  const draw_fields = () => {
    if (value.call !== null) return fields.replaceChildren(...draw_call_form(value.tools, draft, keep, draw_fields));
    const area = node("textarea", { class: "hw-input hw-mono", rows: 7, spellcheck: "false", "aria-label": value.title,
      oninput: () => { draft.text = area.value; keep(); } });
    area.value = draft.text;
    fields.replaceChildren(area);
  };
  draw_fields();
  const made = pane(value.title, node("h3", {}, value.title), fields,
    node("div", { class: "hw-form-acts" }, button(value.save, () => save("")),
      value.go_on ? button(value.go_on, () => save("go_on")) : null,
      value.can_continue ? button("Let the model go on from here", () => save("continue")) : null,
      node("button", { type: "button", class: "hw-act", onclick: close }, "Cancel"),
      node("span", { class: "hw-note" }, "The old one stays beside it.")));
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    save(value.go_on ? "go_on" : "");
  });
  element.replaceChildren(made);
  const field = element.querySelector(".hw-form-row .hw-input") || element.querySelector("textarea, select");
  if (field) field.focus();
};
const draw_code = (value) => {
  const text = node("pre", { class: "hw-code", tabindex: 0 });
  const names = value.tabs.map((tab, place) => node("button", { type: "button", class: "hw-way", "aria-pressed": "false", onclick: () => show(place) }, tab.name));
  let at = 0;
  const show = (place) => {
    at = place;
    text.textContent = value.tabs[place].text;
    text.setAttribute("aria-label", value.tabs[place].name);
    names.forEach((name, other) => name.setAttribute("aria-pressed", String(other === place)));
  };
  const copy = iconButton("copy", "Copy the code", () => copyText(value.tabs[at].text, copy));
  show(0);
  element.replaceChildren(pane(value.title,
    node("div", { class: "hw-pane-head" }, node("h3", {}, value.title), node("div", { class: "hw-ways", role: "group", "aria-label": "Code" }, names),
      node("span", { class: "hw-gap" }), copy, iconButton("cross", "Close", close)),
    text, node("p", { class: "hw-note" }, value.note)));
  names[0].focus();
};
const draw_deleted = (value) => {
  element.replaceChildren(node("p", { class: "hw-line hw-undo", role: "status" }, node("span", { class: "hw-title" }, value.title),
    node("button", { type: "button", class: "hw-act", onclick: () => trigger("restore_message", { id: value.message_id }) }, "Undo")));
  gone = setTimeout(() => element.replaceChildren(), 10000);
};
const DRAW = { edit: draw_edit, code: draw_code, deleted: draw_deleted };
follow((value) => {
  clearTimeout(gone);
  if (value) return DRAW[value.kind](value);
  // The page has just begun: which message is edited is read from the browser by the one who opens the session.
  if (is_new) { is_new = false; return; }
  // Nothing is shown once it was saved, and where another session was opened: then what was written stays.
  if (is_sent) forget();
  is_sent = false;
  store(OPEN, null);
  element.replaceChildren();
});
