// The difference of two data sets.
import { html, render } from "../shared/lit_html.js";
import { rowCard } from "./row_preview.js";
import { wideTable } from "../shared/tables.js";
import { heading } from "../shared/heading.js";

const change = (/** @type {ChangedRow["changes"][number]} */ [place, kind, before, after]) =>
  html`<li class="hw-set-change"><span>${place} ${kind}</span>${
    before ? html`<del class="hw-mono">${before}</del>` : ""
  }${after ? html`<ins class="hw-mono">${after}</ins>` : ""}</li>`;

const changedRow = (/** @type {ChangedRow} */ row) =>
  html`<details class="hw-made" open>
    <summary><strong>${row.title}</strong></summary>
    <ul class="hw-set-changes">${row.changes.map(change)}</ul>
    ${row.more ? html`<p class="hw-note">${row.more.toLocaleString("en")} more changes</p>` : ""}
  </details>`;

/** @type {<Row>(title: string, rows: Row[], more: number, draw: (row: Row) => Drawable) => Drawable} */
const section = (title, rows, more, draw) =>
  rows.length
    ? html`<h3>${title}</h3>${rows.map(draw)}${
        more
          ? html`<p class="hw-note">${more.toLocaleString("en")} more. The command workbench diff lists all of them.</p>`
          : ""
      }`
    : "";

const moved = (/** @type {[string, string, string, string][]} */ rows) =>
  html`${heading("h3", "What moved", "how-to/look-at-a-data-set#compare-two-files")}${wideTable(
    "What moved",
    ["figure", "before", "after", "difference"],
    rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`),
    " hw-enums",
  )}`;

/** @param {Part<SetDiffView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    const card = (/** @type {RowCard} */ row) => rowCard(row, false);
    render(
      value &&
        html`<h2>${value.title}</h2>
          <p class="hw-note" role="status">${value.note}</p>
          ${value.moved.length ? moved(value.moved) : ""}
          ${section("Changed rows", value.changed, value.more[0], changedRow)}
          ${section("Removed rows", value.removed, value.more[1], card)}
          ${section("Added rows", value.added, value.more[2], card)}`,
      element,
    );
    if (value && element.getBoundingClientRect().top > window.innerHeight)
      element.scrollIntoView({ block: "start" });
  });
};
