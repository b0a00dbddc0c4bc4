// The result of a trial call, as a model would see it.
import { hint } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { changeRows } from "../shared/world_changes.js";

const trial = (/** @type {TrialView} */ value) =>
  html`<div class="hw-fix-head"><strong class=${value.is_error ? "t-error" : "k-result"}>${value.status}</strong><span
    class="hw-gap"></span><span class="hw-note">${value.note}</span></div>${value.changes.map(
      (change) => html`<p class="hw-line t-quiet"><span>${change}</span></p>`,
    )}<pre class="hw-tried${value.is_error ? " t-error" : ""}" tabindex="0" role="group"
      aria-label="Result">${value.text}</pre>${
        value.world
          ? html`<h3>Changed in the world</h3>${changeRows(value.world_changes) || html`<p class="hw-note">Nothing.</p>`}
            <details class="hw-folded"><summary><span>World before the call</span></summary><pre>${value.world}</pre></details>`
          : ""
      }`;

/** @param {Part<TrialView>} part */
export const mount = ({ element, follow }) =>
  follow((value) =>
    render(value ? trial(value) : hint("Call the tool to see the result that a model would get."), element),
  );
