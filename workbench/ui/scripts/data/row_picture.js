// A data set as a picture. Its bars open the rows behind them. Event: `find_rows`, to list rows.
import { chart } from "../shared/charts.js";
import { node } from "../shared/dom.js";
import { findingLine } from "./row_findings.js";
import { wideTable } from "../shared/tables.js";

let options = [];

// The conditions that rows of the open data set can be filtered by, each a label and a filter.
export const filterOptions = () => options;

const enumRow = (line, pick) =>
  node(
    "tr",
    {},
    node("td", { class: "hw-mono hw-long" }, line.name),
    node(
      "td",
      { class: "hw-short" },
      node("meter", {
        class: "hw-share",
        value: line.used / (line.values.length + line.more),
        "aria-hidden": "true",
      }),
      line.used + " of " + (line.values.length + line.more),
    ),
    node(
      "td",
      {},
      line.values.map(([value, calls, condition]) =>
        node(
          "button",
          {
            type: "button",
            class: "hw-value" + (calls ? "" : " is-unused"),
            disabled: !calls,
            title: calls ? null : "No call uses this value",
            onclick: () => pick(condition),
          },
          node("span", { class: "hw-mono" }, value),
          " " + calls.toLocaleString("en"),
        ),
      ),
      line.more ? node("span", { class: "hw-note" }, line.more.toLocaleString("en") + " more values") : null,
    ),
  );

/** @param {Part<PictureView, RowPictureEvents>} part */
export const mount = ({ element, follow, triggerLatest }) => {
  const pick = (condition) => {
    triggerLatest("find_rows", { conditions: JSON.stringify([condition]), text: "", seed: null, first: 0 });
    document.getElementById("data-found")?.scrollIntoView({ block: "start" });
  };
  const drawn = ({ chart: value, note, conditions }) =>
    node(
      "section",
      { class: "hw-picture-chart" },
      chart(value, note, (at) => pick(conditions[at])),
    );

  let serial = null;
  follow((value) => {
    options = value?.options || [];
    if (!value) return element.replaceChildren();
    element.replaceChildren(
      node("h2", {}, value.name),
      node("p", { class: "hw-note" }, value.note),
      node(
        "ul",
        { class: "hw-picture-facts" },
        value.cut_rows
          ? node(
              "li",
              {},
              node(
                "button",
                { type: "button", class: "hw-figure", onclick: () => pick(value.cut) },
                value.cut[0],
              ),
            )
          : node("li", {}, value.cut[0]),
        value.facts.map((fact) => node("li", {}, fact)),
      ),
      ...(value.findings.length
        ? [node("ul", { class: "hw-row-findings" }, value.findings.map(findingLine))]
        : []),
      node("div", { class: "hw-picture" }, value.charts.map(drawn)),
      ...(value.enums.length
        ? [
            node("h3", {}, "Values of enum parameters"),
            node("p", { class: "hw-note" }, "Parameters with the most unused values come first."),
            wideTable(
              "Values of enum parameters",
              ["parameter", "used values", "calls by value"],
              value.enums.map((line) => enumRow(line, pick)),
              " hw-enums",
            ),
          ]
        : []),
      ...(value.more_enums
        ? [node("p", { class: "hw-note" }, value.more_enums.toLocaleString("en") + " more parameters")]
        : []),
    );
    // On a narrow page, the picture is below the form.
    if (value.serial !== serial && element.getBoundingClientRect().top > window.innerHeight)
      element.scrollIntoView({ block: "start" });
    serial = value.serial;
  });
};
