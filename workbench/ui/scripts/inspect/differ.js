// The results of other parsers, one row each. Event: `ask_differ`, once the pane is visible.
import { hint } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { tableHead } from "../shared/tables.js";
import { followAsked } from "./asking.js";
import { heading } from "../shared/heading.js";

const call = (/** @type {CallWord} */ value) =>
  html`<div class="hw-lost"><span class="hw-word">${value.word}</span><code><span class="k-call">${value.name}</span>${
    value.arguments ? " " + value.arguments : ""
  }</code></div>`;

const row = (/** @type {ParserRow} */ { rule, origin, got, tone, calls, why }) =>
  html`<tr data-rule=${rule}><th scope="row">${rule}${
    origin ? html`<span class="hw-note">${origin}</span>` : ""
  }</th><td class="is-number s-${tone}">${got}</td><td>${calls.map(call)}${
    why ? html`<div class=${tone === "error" ? "" : "hw-note"}>${why}</div>` : ""
  }</td></tr>`;

const comparison = (/** @type {ParserComparisonView} */ { columns, rows, note }) =>
  html`${heading("h3", "What other parsers would read", "how-to/see-why-a-call-was-lost#read-the-result")}<table
    class="hw-table hw-differ">${tableHead(columns, (place) => place === 1)}<tbody>${rows.map(row)}</tbody></table><p
    class="hw-note hw-foot">${note}</p>`;

/** @param {Part<ParserComparisonView, DifferEvents>} part */
export const mount = (part) =>
  followAsked(part, "ask_differ", (value) =>
    render(value?.rows.length ? comparison(value) : value?.hint ? hint(value.hint) : "", part.element),
  );
