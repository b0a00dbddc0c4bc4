// Measurements of a contract: score cards, rates over time, and the effect of each part.
import { chart } from "../shared/charts.js";
import { hint, node, pieces } from "../shared/dom.js";
import { SIGNS, table } from "../shared/tables.js";
import { heading } from "../shared/heading.js";

const part = (value) =>
  node(
    "li",
    { class: "hw-part" },
    node("pre", {}, pieces(value.pieces)),
    node(
      "p",
      { class: "hw-buys t-" + value.tone },
      value.verdict ? node("strong", {}, SIGNS[value.tone] + value.verdict) : null,
      value.detail ? node("span", {}, value.detail) : "not measured",
    ),
  );

/** @param {Part<MeasuresView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value) {
      element.replaceChildren(
        hint(
          "This contract has not been measured yet. Press Measure in Suites to run a suite with the contract, and without each of its paragraphs. The results show what each paragraph is worth and how the rates change from version to version.",
        ),
      );
      return;
    }
    element.replaceChildren(
      ...[
        value.cards ? table(value.cards) : null,
        value.parts.length
          ? [
              heading("h3", "Effect of each part", "how-to/measure-a-contract"),
              node("p", { class: "hw-note" }, value.parts_note),
              node("ol", { class: "hw-parts" }, value.parts.map(part)),
            ]
          : null,
        value.charts.map((each) => chart(each.chart, each.note)),
      ]
        .flat(Infinity)
        .filter(Boolean),
    );
  });
};
