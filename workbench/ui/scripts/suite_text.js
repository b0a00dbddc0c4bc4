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
    node("td", {}, one.said),
    node("td", { class: "hw-mono" }, one.wants),
    node("td", { class: "hw-note" }, one.note),
  );

export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value) {
      element.replaceChildren(
        hint(
          "Open a suite of the list, or begin one: what is wrong with it stands here as you type, and the cases that it comes to.",
        ),
      );
      return;
    }
    element.replaceChildren(
      ...[
        value.faults.length
          ? node("ul", { class: "hw-faults", "aria-live": "polite" }, value.faults.map(fault))
          : node("p", { class: "hw-line t-quiet", role: "status" }, "It can be played."),
        node("p", { class: "hw-note" }, value.note),
        value.cases.length
          ? wideTable(
              "Cases of the suite",
              ["case", "what is said", "what is wanted", ""],
              value.cases.map(row),
            )
          : null,
      ].filter(Boolean),
    );
  });
};
