// Tables for reports.
import { term } from "./dom.js";
import { html, nothing } from "./lit_html.js";

// The sign of a cell for each tone, shown in addition to its colour.
/** @type {Record<string, string>} */
export const SIGNS = { clean: "✓ ", bad: "✗ ", odd: "! ", quiet: "" };

// A table with one heading per column, which scrolls horizontally on a narrow page.
/** @param {string} label @param {string[]} columns @param {Drawable} rows */
export const wideTable = (label, columns, rows, kind = "") =>
  html`<div class="hw-wide${kind}" tabindex="0" role="group" aria-label=${label}><table>${tableHead(columns)}<tbody
    >${rows}</tbody></table></div>`;

// The headings of columns. `isNumber` returns whether the column at an index has numbers.
export const tableHead = (
  /** @type {string[]} */ columns,
  isNumber = (/** @type {number} */ _place) => false,
) =>
  html`<thead><tr>${columns.map(
    (name, place) =>
      html`<th scope="col" class=${isNumber(place) ? "is-number" : nothing}>${name === "arm" ? term("arm", name) : name}</th>`,
  )}</tr></thead>`;

export const table = (/** @type {TableView} */ value) =>
  html`<h3>${value.title}</h3>${value.note ? html`<p class="hw-note">${value.note}</p>` : ""}${
    value.rows.length
      ? wideTable(
          value.title,
          value.head,
          value.rows.map(
            (row) =>
              html`<tr>${row.map((cell) => html`<td class=${cell.length > 24 ? "hw-long" : "hw-short"}>${cell}</td>`)}</tr>`,
          ),
        )
      : ""
  }`;
