// The button that loads or removes the demo dataset. Events: `load_demo`, `remove_demo`.
import { node } from "../shared/dom.js";

/** @param {Part<DemoView, DemoBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const button = node("button", { type: "button", class: "hw-act" });
  const note = node("p", { class: "hw-hint", role: "status" });
  element.replaceChildren(button, note);

  follow((value) => {
    const isLoaded = Boolean(value && value.is_loaded);
    button.textContent = isLoaded ? "Remove the demo dataset" : "Load the demo dataset";
    button.title = isLoaded
      ? "Delete the sessions tagged demo. You can restore them."
      : "Add sessions with defects, tagged demo, to inspect, label and export";
    button.disabled = false;
    button.onclick = () => {
      button.disabled = true;
      note.textContent = isLoaded ? "Removing…" : "Loading…";
      trigger(isLoaded ? "remove_demo" : "load_demo", {});
    };
    note.textContent = value ? value.note : "";
    if (isLoaded && value?.note) window.dispatchEvent(new Event("hw:demo"));
  });
};
