// Measurements of a contract: score cards, rates over time, and the effect of each part.
import { frame, line, shape, svg, whisker, withTitle, xOf, yOf } from "./plot.js";
import { hint, node, pieces } from "./dom.js";
import { SIGNS, table } from "./tables.js";

// The symbol of a series in the legend.
const legendKey = (place) => {
  const symbol = svg("svg", {
    viewBox: "0 0 14 14",
    width: 14,
    height: 14,
    "aria-hidden": "true",
    class: "hw-key",
  });
  symbol.append(shape(place, 7, 7, place < 4));
  return symbol;
};

const chart = (value) => {
  const drawn = frame(value.title, value.start, value.end);
  value.series.forEach((series, place) => {
    if (series.points.length > 1)
      drawn.append(
        line(
          series.points.map((point) => [xOf(point.x), yOf(point.y)]),
          place < 4 ? "hw-course" : "hw-course is-dashed",
        ),
      );
    for (const point of series.points) drawn.append(whisker(xOf(point.x), point.low, point.high));
    for (const point of series.points)
      drawn.append(
        withTitle(shape(place, xOf(point.x), yOf(point.y), place < 4), series.label + " · " + point.label),
      );
  });
  return [
    node("h3", {}, value.title),
    node("p", { class: "hw-note" }, value.note),
    drawn,
    node(
      "ul",
      { class: "hw-note hw-legend" },
      value.series.map((series, place) => node("li", {}, legendKey(place), series.label)),
    ),
    node(
      "details",
      { class: "hw-figures" },
      node("summary", {}, "Show figures"),
      node(
        "ul",
        { class: "hw-note" },
        value.series.map((series) =>
          series.points.map((point) => node("li", {}, series.label + " · " + point.label)),
        ),
      ),
    ),
  ];
};

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
              node("h3", {}, "Effect of each part"),
              node("p", { class: "hw-note" }, value.parts_note),
              node("ol", { class: "hw-parts" }, value.parts.map(part)),
            ]
          : null,
        value.charts.map(chart),
      ]
        .flat(Infinity)
        .filter(Boolean),
    );
  });
};
