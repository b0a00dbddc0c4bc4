const press = (selector) => {
  const button = document.querySelector(selector);
  if (button && !button.disabled && button.offsetParent !== null) button.click();
};
const on_key = (event) => {
  if (!element.isConnected) { document.removeEventListener("keydown", on_key, true); return; }
  const columns = document.getElementById("suites-columns");
  if (!columns || columns.offsetParent === null) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    event.stopPropagation();
    // The field's last keystroke reaches the page's state a moment later than this key.
    setTimeout(() => press("#suites-start"), 30);
  } else if (event.key === "Escape" && !event.defaultPrevented && !document.activeElement?.closest(".form")) press("#suites-bar button");
};
document.addEventListener("keydown", on_key, true);
