// Tables of reports.
import { node, term } from "./dom.js";

// What a cell of a report says beside its colour, by tone.
export const SIGNS = { clean: "✓ ", bad: "✗ ", odd: "! ", quiet: "" };

// A table with one heading for each column, which scrolls by itself where the page is narrow.
export const wideTable = (label, columns, rows, kind = "") =>
  node(
    "div",
    { class: "hw-wide" + kind, tabindex: 0, role: "group", "aria-label": label },
    node("table", {}, tableHead(columns), node("tbody", {}, rows)),
  );

// The headings of columns; `isNumber` says which of them hold numbers.
export const tableHead = (columns, isNumber = () => false) =>
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

export const table = (one) => [
  node("h3", {}, one.title),
  one.note ? node("p", { class: "hw-note" }, one.note) : null,
  one.rows.length
    ? wideTable(
        one.title,
        one.head,
        one.rows.map((row) =>
          node(
            "tr",
            {},
            row.map((cell) => node("td", { class: cell.length > 24 ? "hw-long" : "hw-short" }, cell)),
          ),
        ),
      )
    : null,
];
