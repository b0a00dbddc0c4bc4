// The runs of a case: expectations, results and the stored rollout. Event: `label_case`.
import { iconButton, node, once, pieces, term } from "../shared/dom.js";
import { html } from "../shared/lit_html.js";

const drawMessage = (/** @type {RolloutMessageView} */ message) =>
  html`<li><span class="hw-role">${message.role}</span><pre>${pieces(message.pieces)}</pre></li>`;

/** @param {Part<CaseRunsView, SuiteCaseRunsEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const { router } = window.hermesWorkbench;

  const drawRun = (/** @type {CaseRunView} */ run) => {
    const queue = (/** @type {PageEvent} */ { currentTarget: button }) => {
      trigger("label_case", { session: run.session });
      button.textContent = "Added to the labelling queue";
      button.disabled = true;
    };
    const address = router.link("play", { session: run.session, message: run.message });
    return html`<section class="hw-play"><h3>${run.title} <span class="hw-status t-${run.status}">${run.status}</span></h3>
      <ul class="hw-outcomes">${run.outcomes.map(([sign, reason]) =>
        sign === "✓" ? html`<li>${sign} ${reason}</li>` : html`<li class="t-error">${sign} ${reason}</li>`,
      )}</ul>
      <dl class="hw-read">${run.read.map(
        ([name, text]) => html`<dt>${name}</dt><dd><pre>${text}</pre></dd>`,
      )}</dl>
      ${
        run.messages.length
          ? html`<details class="hw-rollout"><summary>${term("rollout", "Stored rollout")}</summary><ol>${run.messages.map(
              drawMessage,
            )}</ol></details>`
          : ""
      }<div class="hw-actions"><span class="hw-note">${run.note}</span>${
        run.messages.length
          ? html`<a class="hw-action" href=${address}>${
              run.message ? `Open turn ${run.turn} in Play` : "Open in Play"
            }</a>${node("button", { type: "button", class: "hw-action", onclick: queue }, "Add to labelling queue")}`
          : ""
      }</div></section>`;
  };

  follow((value) => {
    if (!value) return element.replaceChildren();
    const close = iconButton("cross", "Close", () => element.replaceChildren());
    element.replaceChildren(
      once(
        html`<div class="hw-run-head"><h2>${value.case}</h2>${close}</div><p class="hw-user">${value.user_text}</p><div
          class=${value.is_pair ? "hw-plays is-pair" : "hw-plays"} aria-live="polite">${value.runs.map(drawRun)}</div>`,
      ),
    );
    element.scrollIntoView({ block: "nearest" });
  });
};
