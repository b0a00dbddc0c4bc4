// A data set as a picture. Its bars open the rows behind them. Event: `find_rows`, to list rows.
import { chart } from "../shared/charts.js";
import { html, nothing, render } from "../shared/lit_html.js";
import { findingLine } from "./row_findings.js";
import { wideTable } from "../shared/tables.js";
import { heading } from "../shared/heading.js";

/** @type {[string, string][]} */
let options = [];

// The conditions that rows of the open data set can be filtered by, each a label and a filter.
export const filterOptions = () => options;

const enumRow = (/** @type {EnumLine} */ line, /** @type {(condition: [string, string]) => void} */ pick) => {
  const total = line.values.length + line.more;
  const value = (/** @type {[string, number, [string, string]]} */ [name, calls, condition]) =>
    html`<button type="button" class="hw-value${calls ? "" : " is-unused"}" ?disabled=${!calls}
      title=${calls ? nothing : "No call uses this value"} @click=${() => pick(condition)}
    ><span class="hw-mono">${name}</span> ${calls.toLocaleString("en")}</button>`;
  return html`<tr>
    <td class="hw-mono hw-long">${line.name}</td>
    <td class="hw-short"><meter class="hw-share" value=${line.used / total} aria-hidden="true"></meter>${line.used} of ${total}</td>
    <td>${line.values.map(value)}${
      line.more ? html`<span class="hw-note">${line.more.toLocaleString("en")} more values</span>` : ""
    }</td>
  </tr>`;
};

const enums = (/** @type {EnumLine[]} */ lines, /** @type {(condition: [string, string]) => void} */ pick) =>
  html`${heading("h3", "Values of enum parameters", "how-to/look-at-a-data-set")}
    <p class="hw-note">Parameters with the most unused values come first.</p>
    ${wideTable(
      "Values of enum parameters",
      ["parameter", "used values", "calls by value"],
      lines.map((line) => enumRow(line, pick)),
      " hw-enums",
    )}`;

/** @param {Part<PictureView, RowPictureEvents>} part */
export const mount = ({ element, follow, triggerLatest }) => {
  const pick = (/** @type {[string, string]} */ condition) => {
    triggerLatest("find_rows", { conditions: JSON.stringify([condition]), text: "", seed: null, first: 0 });
    document.getElementById("explore-found")?.scrollIntoView({ block: "start" });
  };
  const drawn = (/** @type {PictureChart} */ { chart: value, note, conditions }) =>
    html`<section class="hw-picture-chart">${chart(value, note, (at) => pick(conditions[at]))}</section>`;

  const parts = (/** @type {PictureView} */ value) => {
    const [cut] = value.cut;
    return html`<h2>${value.name}</h2>
      <p class="hw-note">${value.note}</p>
      <ul class="hw-picture-facts">
        <li>${
          value.cut_rows
            ? html`<button type="button" class="hw-figure" @click=${() => pick(value.cut)}>${cut}</button>`
            : cut
        }</li>
        ${value.facts.map((fact) => html`<li>${fact}</li>`)}
      </ul>
      ${
        value.findings.length ? html`<ul class="hw-row-findings">${value.findings.map(findingLine)}</ul>` : ""
      }
      <div class="hw-picture">${value.charts.map(drawn)}</div>
      ${value.enums.length ? enums(value.enums, pick) : ""}
      ${
        value.more_enums
          ? html`<p class="hw-note">${value.more_enums.toLocaleString("en")} more parameters</p>`
          : ""
      }`;
  };

  /** @type {number | null} */
  let serial = null;
  follow((value) => {
    options = value?.options || [];
    render(value && parts(value), element);
    if (!value) return;
    // On a narrow page, the picture is below the form.
    if (value.serial !== serial && element.getBoundingClientRect().top > window.innerHeight)
      element.scrollIntoView({ block: "start" });
    serial = value.serial;
  });
};
