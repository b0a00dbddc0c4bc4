// Possible starts of the answer as bars, and the probability of each token as a heat map. Event: `weigh`.
import { hint } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { heading } from "../shared/heading.js";

const bar = (/** @type {DecisionBarRow} */ row, /** @type {string} */ picked) => {
  const kinds = [
    row.is_chosen && "is-chosen",
    row.is_tool && "is-tool",
    row.is_tool && row.label === picked && "is-selected",
  ];
  const width = Math.max(row.share * 100, row.share > 0 ? 0.5 : 0);
  return html`<li class=${["hw-odds", ...kinds].filter(Boolean).join(" ")}>
    <span class="hw-odds-name">${row.label}${
      row.is_chosen ? html`<span class="hw-odds-chosen"> · written</span>` : ""
    }</span>
    <span class="hw-odds-track" aria-hidden="true"><span class="hw-odds-share" style="width:${width}%"></span>${
      row.threshold > 0 ? html`<span class="hw-odds-line" style="left:${row.threshold * 100}%"></span>` : ""
    }</span>
    <span class="hw-odds-value">${row.value}</span>
  </li>`;
};

const heat = (/** @type {HeatToken} */ token) =>
  html`<span class="hw-heat-${token.warmth < 0 ? "none" : token.warmth}" title=${token.title}>${token.text}</span>`;

/** @param {Part<DecisionView, DecisionEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  // Probabilities are expensive to compute, so they are cached while other messages are shown.
  const computed = new Map();
  /** @type {DecisionView | null} */
  let asked = null;

  const draw = (/** @type {DecisionView | null} */ latest) => {
    if (!latest?.message_id)
      return render(html`<div class="hw-decision">${hint(latest ? latest.hint : "")}</div>`, element);
    if (latest.bars.length) computed.set(latest.message_id, latest);
    const value = { ...(computed.get(latest.message_id) || latest), picked: latest.picked };
    const { bars, message_id: id } = value;
    const ask = () => {
      asked = latest;
      trigger("weigh", { id });
      draw(latest);
    };
    const word = bars.length ? "Compute again" : "Compute probabilities";
    render(
      html`<div class="hw-decision">
        ${bars.length ? heading("h3", "Decision", "reference/generation#decision-pane", window.hermesWorkbench.terms.decision) : ""}
        ${value.hint ? hint(value.hint) : ""}
        ${value.note ? html`<p class="hw-note">${value.note}</p>` : ""}
        ${
          bars.length
            ? html`<ul class="hw-odds-list" aria-label="Possible starts of the answer">
                ${bars.map((/** @type {DecisionBarRow} */ row) => bar(row, value.picked))}
              </ul>`
            : ""
        }
        <button type="button" class="hw-button" ?disabled=${asked === latest} @click=${ask}>${
          asked === latest ? "Computing …" : word
        }</button>
        ${
          value.heat.length
            ? html`<section class="hw-heat" aria-label="Token probabilities">
                <h3>Tokens</h3>
                <pre>${value.heat.map(heat)}</pre>
                <p class="hw-note">likely ${[0, 1, 2, 3, 4].map(
                  (step) => html`<span class="hw-heat-${step}">&nbsp;&nbsp;</span>`,
                )} unlikely</p>
              </section>`
            : ""
        }
      </div>`,
      element,
    );
  };

  follow(draw);
};
