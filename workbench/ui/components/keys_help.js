const list = node("div", {});
const dialog = node("dialog", { class: "hw-dialog", "aria-labelledby": "page-keys-heading" },
  node("header", {}, node("h2", { id: "page-keys-heading" }, "Keys"), node("span", { class: "hw-gap" }), iconButton("cross", "Close", () => dialog.close())), list);
element.replaceChildren(dialog);
const is_shown = (id) => { const pane = document.getElementById(id); return pane !== null && pane.offsetParent !== null; };
const rows = (tab) => node("dl", { class: "hw-key-list" }, tab.keys.map((key) => [node("dt", {}, node("kbd", {}, key.keys)), node("dd", {}, key.does)]));
const show = () => {
  const tabs = props.value ? props.value.tabs : [];
  list.replaceChildren(...tabs.filter((tab) => tab.tab && is_shown(tab.tab)).map(rows), ...tabs.filter((tab) => !tab.tab).map(rows));
  dialog.showModal();
};
const is_field = (target) => Boolean(target.closest && target.closest("input, textarea, select, [contenteditable], .cm-editor"));
const on_key = (event) => {
  if (!element.isConnected) { window.removeEventListener("keydown", on_key); return; }
  if (event.key !== "?" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || is_field(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  event.preventDefault();
  show();
};
// Behind the tabs' own listeners: the Label tab has a list of its own.
window.addEventListener("keydown", on_key);
window.addEventListener("hw:keys", () => { if (element.isConnected && !dialog.open) show(); });
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
