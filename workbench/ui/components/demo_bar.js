const button = node("button", { type: "button", class: "hw-act" });
const note = node("p", { class: "hw-hint", role: "status" });
element.replaceChildren(button, note);
follow((value) => {
  const is_loaded = Boolean(value && value.is_loaded);
  button.textContent = is_loaded ? "Remove the demo set" : "Load the demo set";
  button.title = is_loaded ? "Deletes the sessions that are tagged demo; it can be undone" : "Sessions with defects to look at, to label and to export, tagged demo";
  button.disabled = false;
  button.onclick = () => {
    button.disabled = true;
    note.textContent = is_loaded ? "Removing…" : "Loading…";
    trigger(is_loaded ? "remove_demo" : "load_demo", {});
  };
  note.textContent = value ? value.note : "";
});
