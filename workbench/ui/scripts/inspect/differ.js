// The results of other parsers, one row each. Event: `ask_differ`, once the pane is visible.
import { hint, node } from "../shared/dom.js";
import { tableHead } from "../shared/tables.js";
import { followAsked } from "./asking.js";
import { heading } from "../shared/heading.js";

const call = (/** @type {ParserRow["calls"][number]} */ value) =>
  node(
    "div",
    { class: "hw-lost" },
    node("span", { class: "hw-word" }, value.word),
    node(
      "code",
      {},
      node("span", { class: "k-call" }, value.name),
      value.arguments ? " " + value.arguments : "",
    ),
  );

const row = (/** @type {ParserRow} */ parser) =>
  node(
    "tr",
    { "data-rule": parser.rule },
    node(
      "th",
      { scope: "row" },
      parser.rule,
      parser.origin ? node("span", { class: "hw-note" }, parser.origin) : null,
    ),
    node("td", { class: "is-number s-" + parser.tone }, parser.got),
    node(
      "td",
      {},
      parser.calls.map(call),
      parser.why ? node("div", { class: parser.tone === "error" ? "" : "hw-note" }, parser.why) : null,
    ),
  );

/** @param {Part<ParserComparisonView, DifferEvents>} part */
export const mount = (part) => {
  const { element } = part;

  followAsked(part, "ask_differ", (value) => {
    if (!value || value.rows.length === 0) {
      element.replaceChildren(...(value && value.hint ? [hint(value.hint)] : []));
      return;
    }
    element.replaceChildren(
      heading("h3", "What other parsers would read", "how-to/see-why-a-call-was-lost#read-the-result"),
      node(
        "table",
        { class: "hw-table hw-differ" },
        tableHead(value.columns, (place) => place === 1),
        node("tbody", {}, value.rows.map(row)),
      ),
      node("p", { class: "hw-note hw-foot" }, value.note),
    );
  });
};
