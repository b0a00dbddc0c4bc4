// Measurements of a contract: score cards, rates over time, and the effect of each part.
import { chart } from "../shared/charts.js";
import { hint, pieces } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { SIGNS, table } from "../shared/tables.js";
import { heading } from "../shared/heading.js";

const HINT =
  "This contract has not been measured yet. Press Measure in Suites to run a suite with the contract, and without each of its paragraphs. The results show what each paragraph is worth and how the rates change from version to version.";

const part = (/** @type {PartView} */ value) =>
  html`<li class="hw-part"><pre>${pieces(value.pieces)}</pre><p class="hw-buys t-${value.tone}">${
    value.verdict ? html`<strong>${SIGNS[value.tone] + value.verdict}</strong>` : ""
  }${value.detail ? html`<span>${value.detail}</span>` : "not measured"}</p></li>`;

const measures = (/** @type {MeasuresView} */ { cards, parts, parts_note: note, charts }) => [
  cards ? table(cards) : "",
  parts.length
    ? html`${heading("h3", "Effect of each part", "how-to/measure-a-contract")}<p class="hw-note">${note}</p><ol
        class="hw-parts">${parts.map(part)}</ol>`
    : "",
  charts.map((each) => chart(each.chart, each.note)),
];

/** @param {Part<MeasuresView>} part */
export const mount = ({ element, follow }) =>
  follow((value) => render(value ? measures(value) : hint(HINT), element));
