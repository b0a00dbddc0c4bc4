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
  // What is open above the composer has the keys first.
  if (event.target.closest(".hw-message-pane, .hw-menu-at")) return;
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
