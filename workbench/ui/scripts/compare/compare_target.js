// Shows what the columns answer: a question, or turns of a session. Event: `compare_drop`, to go back to a question.
import { hint } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";

const HINT = "Every column answers the question above. Or choose a turn of a session:";

/** @param {Part<CompareTargetView, CompareTargetEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const target = (/** @type {CompareTargetView} */ { session, message, note, title, question }) =>
    html`<div class="hw-compare-target"><span class="hw-word">${note} of</span><a
      href=${window.hermesWorkbench.router.link("play", { session, message })}>${title}</a><q>${question}</q><button
      type="button" class="hw-act" @click=${() => trigger("compare_drop", {})}>Ask a question instead</button></div>`;

  /** @type {string | null} */
  let last = null;
  follow((value) => {
    // Another turn is answered by the columns of the form, which it shows.
    if (last !== null && last !== value?.message)
      document.getElementById("compare-page")?.classList.remove("is-folded");
    last = value?.message ?? "";
    render(value?.session ? target(value) : hint(HINT), element);
  });
};
