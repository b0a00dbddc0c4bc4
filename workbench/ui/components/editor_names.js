const names = () => (props.value ? props.value.names : []);
const name_editors = () => {
  let is_done = true;
  for (const [id, label] of names()) {
    const editor = document.querySelector("#" + id + " .cm-content");
    // With a place of its own among the keys' stops, so that what scrolls in it can be reached.
    if (editor) { editor.setAttribute("aria-label", label); editor.setAttribute("tabindex", "0"); }
    else is_done = false;
  }
  return is_done;
};
if (!name_editors()) {
  const watcher = new MutationObserver(() => { if (name_editors()) watcher.disconnect(); });
  watcher.observe(document.body, { childList: true, subtree: true });
}
