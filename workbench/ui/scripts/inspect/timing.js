// How long the rounds of a turn took.
import { hint } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { tableHead } from "../shared/tables.js";

const cell = (/** @type {string} */ text, /** @type {number} */ place) =>
  place ? html`<td class="is-number">${text}</td>` : html`<th scope="row">${text}</th>`;

const timing = (/** @type {TimingView} */ { columns, rounds, facts }) =>
  html`<table class="hw-table">${tableHead(columns, (place) => place > 0)}<tbody>${rounds.map(
    (round) => html`<tr class=${round.is_selected ? "is-selected" : ""}>${round.cells.map(cell)}</tr>`,
  )}</tbody></table><dl class="hw-facts">${facts.map(
    (fact) => html`<dt>${fact.name}</dt><dd>${fact.value}</dd>`,
  )}</dl>`;

/** @param {Part<TimingView>} part */
export const mount = ({ element, follow }) =>
  follow((value) => render(value?.rounds.length ? timing(value) : hint(value ? value.hint : ""), element));
