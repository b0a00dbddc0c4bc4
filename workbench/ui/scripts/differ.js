// What other parsers would have extracted, one row each. Event: `ask_differ`, when the pane is seen.
import { hint, node } from "./dom.js";
import { tableHead } from "./tables.js";
import { followAsked } from "./asking.js";

const call = (made) =>
  node(
    "div",
    { class: "hw-lost" },
    node("span", { class: "hw-word" }, made.word),
    node(
      "code",
      {},
      node("span", { class: "k-call" }, made.name),
      made.arguments ? " " + made.arguments : "",
    ),
  );

const row = (made) =>
  node(
    "tr",
    { "data-rule": made.rule },
    node(
      "th",
      { scope: "row" },
      made.rule,
      made.is_replica ? node("span", { class: "hw-note" }, "replica") : null,
    ),
    node("td", { class: "is-number s-" + made.tone }, made.got),
    node(
      "td",
      {},
      made.calls.map(call),
      made.why ? node("div", { class: made.tone === "error" ? "" : "hw-note" }, made.why) : null,
    ),
  );

export const mount = (part) => {
  const { element } = part;

  followAsked(part, "ask_differ", (value) => {
    if (!value || value.rows.length === 0) {
      element.replaceChildren(...(value && value.hint ? [hint(value.hint)] : []));
      return;
    }
    element.replaceChildren(
      node("h3", {}, "What other parsers would read"),
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
