// The suite in the editor: its problems and its cases.
import { hint, node } from "../shared/dom.js";
import { wideTable } from "../shared/tables.js";

const problemRow = (fault) =>
  node(
    "li",
    { class: "hw-line t-error" },
    node("span", { class: "hw-word" }, fault.line ? "line " + fault.line : "suite"),
    node(
      "span",
      {},
      fault.place ? node("code", {}, fault.place) : null,
      fault.place ? " " : null,
      fault.text,
    ),
  );

const caseRow = (line) =>
  node(
    "tr",
    {},
    node("th", { scope: "row" }, line.id),
    node("td", {}, line.user_text),
    node("td", { class: "hw-mono" }, line.expectations),
    node("td", { class: "hw-note" }, line.note),
  );

/** @param {Part<SuiteTextView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value) {
      element.replaceChildren(
        hint(
          "Open a suite from the list, or create a new one. Its problems and cases appear here as you type.",
        ),
      );
      return;
    }
    element.replaceChildren(
      ...[
        value.faults.length
          ? node("ul", { class: "hw-faults", "aria-live": "polite" }, value.faults.map(problemRow))
          : node("p", { class: "hw-line t-quiet", role: "status" }, "No problems found."),
        node("p", { class: "hw-note" }, value.note),
        value.cases.length
          ? wideTable(
              "Cases of the suite",
              ["case", "user message", "expectations", "notes"],
              value.cases.map(caseRow),
            )
          : null,
      ].filter(Boolean),
    );
  });
};
