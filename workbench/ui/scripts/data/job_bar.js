// The progress of a job, with a button to stop it. Event: `stop_job`.
import { html, render } from "../shared/lit_html.js";
import { progressBar, stopButton } from "../shared/progress.js";

/** @param {Part<JobView, JobBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const job = (/** @type {JobView} */ { label, share, note, is_running: isRunning }) =>
    html`<div class="hw-model-head"><strong>${label}</strong>${stopButton(isRunning, () =>
      trigger("stop_job", {}),
    )}</div>${isRunning ? progressBar(label, share) : ""}<div class="hw-note" role="status">${note}</div>`;

  follow((value) => render(value?.label ? job(value) : "", element));
};
