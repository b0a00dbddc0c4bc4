// A suite that is being written: its problems and its cases.
import { hint, node } from "./dom.js";
import { wideTable } from "./tables.js";

const fault = (one) =>
  node(
    "li",
    { class: "hw-line t-error" },
    node("span", { class: "hw-word" }, one.line ? "line " + one.line : "suite"),
    node("span", {}, one.place ? node("code", {}, one.place) : null, one.place ? " " : null, one.text),
  );

const row = (one) =>
  node(
    "tr",
    {},
    node("th", { scope: "row" }, one.id),
    node("td", {}, one.user_text),
    node("td", { class: "hw-mono" }, one.expectations),
    node("td", { class: "hw-note" }, one.note),
  );

export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value) {
      element.replaceChildren(
        hint("Open a suite from the list or create one. Its problems and cases appear here as you type."),
      );
      return;
    }
    element.replaceChildren(
      ...[
        value.faults.length
          ? node("ul", { class: "hw-faults", "aria-live": "polite" }, value.faults.map(fault))
          : node("p", { class: "hw-line t-quiet", role: "status" }, "No problems found."),
        node("p", { class: "hw-note" }, value.note),
        value.cases.length
          ? wideTable(
              "Cases of the suite",
              ["case", "user message", "expectations", ""],
              value.cases.map(row),
            )
          : null,
      ].filter(Boolean),
    );
  });
};
