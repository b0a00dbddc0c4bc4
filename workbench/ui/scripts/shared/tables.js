// Tables for reports.
import { node, term } from "./dom.js";

// The sign of a cell for each tone, shown in addition to its colour.
export const SIGNS = { clean: "✓ ", bad: "✗ ", odd: "! ", quiet: "" };

// A table with one heading per column, which scrolls horizontally on a narrow page.
export const wideTable = (label, columns, rows, kind = "") =>
  node(
    "div",
    { class: "hw-wide" + kind, tabindex: 0, role: "group", "aria-label": label },
    node("table", {}, tableHead(columns), node("tbody", {}, rows)),
  );

// The headings of columns. `isNumber` returns whether the column at an index has numbers.
export const tableHead = (columns, isNumber = (/** @type {number} */ _place) => false) =>
  node(
    "thead",
    {},
    node(
      "tr",
      {},
      columns.map((name, place) =>
        node(
          "th",
          { scope: "col", class: isNumber(place) ? "is-number" : null },
          name === "arm" ? term("arm", name) : name,
        ),
      ),
    ),
  );

export const table = (value) => [
  node("h3", {}, value.title),
  value.note ? node("p", { class: "hw-note" }, value.note) : null,
  value.rows.length
    ? wideTable(
        value.title,
        value.head,
        value.rows.map((row) =>
          node(
            "tr",
            {},
            row.map((cell) => node("td", { class: cell.length > 24 ? "hw-long" : "hw-short" }, cell)),
          ),
        ),
      )
    : null,
];
