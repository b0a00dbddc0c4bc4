const press = (id) => {
  const found = document.getElementById(id);
  const button = found && (found.matches("button") ? found : found.querySelector("button"));
  if (!button || button.disabled || button.offsetParent === null) return false;
  button.click();
  return true;
};
const on_key = (event) => {
  if (!element.isConnected) { document.removeEventListener("keydown", on_key, true); return; }
  const columns = document.getElementById("play-columns");
  if (!columns || columns.offsetParent === null) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    event.stopPropagation();
    // The field's last keystroke reaches the page's state a moment later than this key.
    setTimeout(() => press("play-send"), 30);
  } else if (event.key === "Escape" && !event.defaultPrevented) {
    if (columns.dataset.pane) delete columns.dataset.pane;
    else press("play-stop");
  }
};
document.addEventListener("keydown", on_key, true);

// Gradio names every editor alike; ours say which is which.
const NAMES = { "play-contract-text": "Contract text", "play-tools-text": "Tools as JSON" };
const name_editors = () => {
  for (const [id, label] of Object.entries(NAMES)) {
    const editor = document.querySelector("#" + id + " .cm-content");
    if (!editor) return false;
    editor.setAttribute("aria-label", label);
  }
  return true;
};
if (!name_editors()) {
  const watcher = new MutationObserver(() => { if (name_editors()) watcher.disconnect(); });
  watcher.observe(document.body, { childList: true, subtree: true });
}
