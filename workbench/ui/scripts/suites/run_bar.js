// The progress of a run, with a button to stop it. Event: `stop_run`.
import { node } from "../shared/dom.js";

/** @param {Part<RunBarView, RunBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  // The parts are not redrawn during a run, because a button that is replaced under the pointer loses the click.
  const note = node("span", { class: "hw-note", role: "status" });

  const stop = node(
    "button",
    { type: "button", class: "hw-action", onclick: () => trigger("stop_run", {}) },
    "Stop",
  );

  const bar = node("progress", { max: 1, "aria-label": "Run" });
  const head = node("div", { class: "hw-model-head" }, note, stop);

  follow((value) => {
    if (!value) return element.replaceChildren();
    note.textContent = value.note;
    bar.value = value.share;
    if (!value.is_running) stop.remove();
    else if (!stop.isConnected) head.append(stop);
    if (!head.isConnected) element.replaceChildren(head, bar);
  });
};
