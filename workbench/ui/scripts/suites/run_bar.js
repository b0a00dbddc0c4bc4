// The progress of a run, with a button to stop it. Event: `stop_run`.
import { html, render } from "../shared/lit_html.js";
import { progressBar, stopButton } from "../shared/progress.js";

/** @param {Part<RunBarView, RunBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const run = (/** @type {RunBarView} */ { note, share, is_running: isRunning }) =>
    html`<div class="hw-model-head"><span class="hw-note" role="status">${note}</span>${stopButton(
      isRunning,
      () => trigger("stop_run", {}),
    )}</div>${progressBar("Run", share)}`;

  follow((value) => render(value && run(value), element));
};
