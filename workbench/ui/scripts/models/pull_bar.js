// The progress of a download, with a button to stop it. Event: `stop_pull`.
import { html, render } from "../shared/lit_html.js";
import { progressBar, stopButton } from "../shared/progress.js";

/** @param {Part<PullView, PullBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const pull = (/** @type {PullView} */ { name, share, note, is_running: isRunning }) =>
    html`<div class="hw-model-head"><strong>${name.split("/").pop()}</strong><span class="hw-status hw-note"
      >${Math.floor(share * 100)} %</span>${stopButton(isRunning, () => trigger("stop_pull", {}))}</div>${progressBar(
        "Downloading " + name,
        share,
      )}<div class="hw-note" role="status">${note}</div>`;

  follow((value) => render(value?.name ? pull(value) : "", element));
};
