// Tables of reports.
import { node } from "./dom.js";

// What a cell of a report says beside its colour, by tone.
export const SIGNS = { clean: "✓ ", bad: "✗ ", odd: "! ", quiet: "" };

export const table = (one) => [
  node("h3", {}, one.title),
  one.note ? node("p", { class: "hw-note" }, one.note) : null,
  one.rows.length
    ? node(
        "div",
        { class: "hw-wide", tabindex: 0, role: "group", "aria-label": one.title },
        node(
          "table",
          {},
          node(
            "thead",
            {},
            node(
              "tr",
              {},
              one.head.map((name) => node("th", { scope: "col" }, name)),
            ),
          ),
          node(
            "tbody",
            {},
            one.rows.map((row) =>
              node(
                "tr",
                {},
                row.map((cell) => node("td", { class: cell.length > 24 ? "hw-long" : "hw-short" }, cell)),
              ),
            ),
          ),
        ),
      )
    : null,
];
