// How long the rounds of a turn took.
import { hint, node } from "../shared/dom.js";
import { tableHead } from "../shared/tables.js";

/** @param {Part<TimingView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value || value.rounds.length === 0) {
      element.replaceChildren(hint(value ? value.hint : ""));
      return;
    }
    element.replaceChildren(
      node(
        "table",
        { class: "hw-table" },
        tableHead(value.columns, (place) => place > 0),
        node(
          "tbody",
          {},
          value.rounds.map((round) =>
            node(
              "tr",
              { class: round.is_selected ? "is-selected" : "" },
              round.cells.map((cell, place) =>
                node(
                  place ? "td" : "th",
                  { scope: place ? null : "row", class: place ? "is-number" : "" },
                  cell,
                ),
              ),
            ),
          ),
        ),
      ),
      node(
        "dl",
        { class: "hw-facts" },
        value.facts.map((fact) => [node("dt", {}, fact.name), node("dd", {}, fact.value)]),
      ),
    );
  });
};
