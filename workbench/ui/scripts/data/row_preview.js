// Training rows as they will be written to the file, and which parts of their text are trained.
// Event: `open_filter`, to fill the form with the filters of an address.
import { chart } from "../shared/charts.js";
import { headedList } from "../shared/dom.js";
import { emptyPlace } from "../shared/empty_place.js";
import { html, render } from "../shared/lit_html.js";
import { findingLine } from "./row_findings.js";

const SHAPES = { json: "JSON", mask: "Loss mask" };

/** @type {Record<string, (row: RowCard) => Template>} */
const bodies = {
  json: (row) =>
    html`<pre class="hw-made-text" tabindex="0" role="group" aria-label="Row as JSON">${row.json_text}${
      row.more_chars
        ? html`<span class="hw-note">
… ${row.more_chars.toLocaleString("en")} more characters in the file</span>`
        : ""
    }</pre>`,
  mask: (row) =>
    html`<pre class="hw-made-text" tabindex="0" role="group" aria-label="Loss mask">${row.mask.map((piece) =>
      piece.is_trained
        ? html`<mark class="hw-trained" title="trained">${piece.text}</mark>`
        : html`<span>${piece.text}</span>`,
    )}</pre>`,
};

// A row that can be unfolded. `isOpen` unfolds it at first.
export const rowCard = (/** @type {RowCard} */ row, /** @type {boolean} */ isOpen) => {
  const card = document.createElement("details");
  card.className = "hw-made";
  card.open = isOpen;
  const shapes = Object.entries(SHAPES).filter(([shape]) => shape === "json" || row.mask.length);
  const show = (/** @type {string} */ shown) =>
    render(
      html`<summary><strong>${row.title}</strong>${
        row.note ? html`<span class="hw-note">${row.note}</span>` : ""
      }</summary>
        <div class="hw-made-head">
          <span class="hw-actions">${shapes.map(
            ([shape, label]) =>
              html`<button type="button" class="hw-action" data-shape=${shape} aria-pressed=${shape === shown}
                @click=${() => show(shape)}>${label}</button>`,
          )}</span>
          <span class="hw-note hw-legend"><mark class="hw-trained">trained</mark> text counts towards the loss</span>
          ${row.link ? html`<a href=${row.link} target="_blank" rel="noopener">Open in Play</a>` : ""}
        </div>
        ${row.findings.length ? html`<ul class="hw-row-findings">${row.findings.map(findingLine)}</ul>` : ""}
        <div>${bodies[shown](row)}</div>`,
      card,
    );
  show("json");
  return card;
};

const FILTERS = [
  "tag",
  "verdict",
  "rating",
  "state",
  "contract",
  "model",
  "source",
  "since",
  "until",
  "format",
];

/** @param {Part<RowsView, RowPreviewEvents>} part */
export const mount = ({ element, follow, triggerLatest }) => {
  if (element.closest("#page-tab-data"))
    window.hermesWorkbench.router.onPlace("data", (values) =>
      triggerLatest("open_filter", Object.fromEntries(FILTERS.map((name) => [name, values[name] || ""]))),
    );
  follow((value) => {
    const cards = (/** @type {RowCard[]} */ rows) =>
      html`<div>${rows.map((row, place) => rowCard(row, place === 0))}</div>`;
    const above = value?.empty ? emptyPlace(value.empty) : headedList(value, cards);
    render([above, value?.charts.map((each) => chart(each))], element);
  });
};
