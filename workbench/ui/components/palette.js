const WAIT_MS = 120, TRIES = 60;
const press = (id) => () => {
  const found = document.getElementById(id);
  const button = found && (found.matches("button") ? found : found.querySelector("button"));
  if (button && !button.disabled) button.click();
};
const tell = (name) => () => window.dispatchEvent(new Event(name));
// Where the window is narrow, Gradio puts tabs into a menu, whose buttons are no tabs.
const tab_buttons = () => [...document.querySelectorAll("#page-tabs > .tab-wrapper [role='tab'], #page-tabs > .tab-wrapper .overflow-dropdown button")];
const to_tab = (name) => {
  const found = tab_buttons().find((button) => button.textContent.trim() === name);
  if (found) found.click();
};
const first_field = (id) => () => { to_tab("Play"); setTimeout(() => { const field = document.querySelector(id); if (field) field.focus(); }, WAIT_MS); };
const switch_theme = () => {
  const is_dark = document.body.classList.toggle("dark");
  const address = new URL(location.href);
  address.searchParams.set("__theme", is_dark ? "dark" : "light");
  history.replaceState(history.state, "", address);
};
const in_play = (work) => () => { to_tab("Play"); work(); };
const COMMANDS = [
  ["New session", "begins an empty one", in_play(press("play-new"))],
  ["Write a message", "goes to the composer", first_field("#play-composer textarea")],
  ["Stop the model", "", press("play-stop")],
  ["Export this session", "as ShareGPT", in_play(press("play-export-open"))],
  ["Export all sessions", "as ShareGPT", in_play(press("play-export-all"))],
  ["Load or remove the demo set", "sessions with defects", in_play(() => { const button = document.querySelector("#play-demo button"); if (button) button.click(); })],
  ["Switch light and dark", "", switch_theme],
  ["Show the keys", "?", tell("hw:keys")],
  ["Show the tour", "four steps", in_play(tell("hw:tour"))],
];
// A list that a tab draws once it is opened.
const press_later = (selector, tries = TRIES) => {
  const found = [...document.querySelectorAll(selector)].find((one) => one.offsetParent !== null);
  if (found) found.click();
  else if (tries > 0) setTimeout(() => press_later(selector, tries - 1), WAIT_MS);
};
const GOES = {
  session: (item) => { to_tab("Play"); trigger("go_to_session", { id: item.id }); },
  contract: (item) => { to_tab("Contracts"); press_later("[data-contract='" + CSS.escape(item.id) + "']"); },
  tool: (item) => { to_tab("Tools"); press_later("[data-tool='" + CSS.escape(item.id) + "']"); },
  suite: (item) => { to_tab("Suites"); trigger("go_to_suite", { name: item.id }); },
  tab: (item) => to_tab(item.name),
  command: (item) => item.work(),
};
const field = node("input", { type: "text", class: "hw-input", role: "combobox", "aria-label": "Find anything", "aria-expanded": "true", "aria-autocomplete": "list",
  "aria-controls": "page-palette-list", placeholder: "Find a session, contract, tool, suite, tab or command", autocomplete: "off", spellcheck: "false" });
const list = node("ul", { id: "page-palette-list", role: "listbox", "aria-label": "Found", class: "hw-found" });
const hint = node("p", { class: "hw-hint", role: "status" });
const dialog = node("dialog", { class: "hw-dialog hw-palette", "aria-label": "Find anything" }, field, list, hint,
  node("footer", { class: "hw-note" }, "↑ ↓ choose · Enter goes there · Esc closes"));
element.replaceChildren(dialog);
let shown = [], at = 0, typed = 0;
const has_words = (text) => field.value.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
const own_items = () => [
  ...tab_buttons().map((button) => ({ kind: "tab", name: button.textContent.trim(), note: "" })),
  ...COMMANDS.map(([name, note, work]) => ({ kind: "command", name, note, work })),
].filter((item) => has_words(item.kind + " " + item.name + " " + item.note));
const choose = (to) => {
  at = shown.length ? (to + shown.length) % shown.length : 0;
  [...list.children].forEach((row, index) => row.setAttribute("aria-selected", String(index === at)));
  const row = list.children[at];
  if (row) { field.setAttribute("aria-activedescendant", row.id); row.scrollIntoView({ block: "nearest" }); }
  else field.removeAttribute("aria-activedescendant");
};
const go = (item) => { dialog.close(); if (item) GOES[item.kind](item); };
const row = (item, index) => node("li", { role: "option", id: "page-palette-" + index, "aria-selected": "false", onclick: () => go(item), onmousemove: () => { if (at !== index) choose(index); } },
  node("span", { class: "hw-note" }, item.kind), node("span", { class: "hw-title" }, item.name), node("span", { class: "hw-note" }, item.note));
const key_of = (item) => item && item.kind + " " + (item.id || item.name);
// What comes later from the server leaves what was chosen meanwhile where it is.
const draw = () => {
  const value = props.value, chosen = at > 0 ? key_of(shown[at]) : null;
  const found = value && value.query === field.value ? value.items : [];
  shown = field.value.trim() ? [...found, ...own_items()] : [...own_items(), ...found];
  list.replaceChildren(...shown.map(row));
  hint.textContent = shown.length ? "" : value && value.query === field.value ? "Nothing has all these words." : "Searching…";
  hint.hidden = shown.length > 0;
  choose(Math.max(0, chosen ? shown.findIndex((item) => key_of(item) === chosen) : 0));
};
const ask = () => triggerLatest("find_any", { query: field.value });
field.addEventListener("input", () => { at = 0; draw(); clearTimeout(typed); typed = setTimeout(ask, 150); });
const open = () => {
  field.value = "";
  at = 0;
  dialog.showModal();
  draw();
  ask();
};
const KEYS = { ArrowDown: () => choose(at + 1), ArrowUp: () => choose(at - 1), Enter: () => go(shown[at]), Escape: () => dialog.close() };
const on_key = (event) => {
  if (!element.isConnected) { window.removeEventListener("keydown", on_key, true); return; }
  const is_ours = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (is_ours) {
    event.preventDefault();
    event.stopPropagation();
    if (dialog.open) dialog.close();
    else if (!document.querySelector("dialog[open]")) open();
  } else if (dialog.open) {
    // No other key of the page works while this is open.
    event.stopPropagation();
    if (event.isComposing || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  }
};
window.addEventListener("keydown", on_key, true);
window.addEventListener("hw:palette", () => { if (element.isConnected && !dialog.open) open(); });
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
follow(() => { if (dialog.open) draw(); });
