// The list of runs, with a filter by tag.
import { editText, node, once } from "../shared/dom.js";
import { emptyPlace } from "../shared/empty_place.js";
import { html, render } from "../shared/lit_html.js";
import { menu } from "../shared/menu.js";
import { wideTable } from "../shared/tables.js";
import { runActions } from "./run_menu.js";
import { heading } from "../shared/heading.js";

const HEADS = ["name", "suite", "contract", "model", "started", "result", "duration", "actions"];

let tag = "";

export const tagChips = (/** @type {string[]} */ tags) =>
  html`<span class="hw-tags">${tags.map((name) => html`<span class="hw-tag">${name}</span>`)}</span>`;

/** @param {HTMLElement} element @param {RunListView} value @param {RunWork} work */
export const drawRunList = (element, value, work) => {
  const { open, change, download } = work;
  const tags = [...new Set(value.rows.flatMap((run) => run.tags))].sort();
  if (!tags.includes(tag)) tag = "";

  const choose = (/** @type {PageEvent} */ event) => {
    tag = event.target.value;
    drawRunList(element, value, work);
  };

  const filter = () =>
    html`<select class="hw-input" aria-label="Runs with tag" @change=${choose}><option value="">All tags</option>${tags.map(
      (name) => html`<option value=${name} ?selected=${name === tag}>${name}</option>`,
    )}</select>`;

  const row = (/** @type {RunRowView} */ run) => {
    const name = node("td", {});
    const show = () =>
      name.replaceChildren(
        once(
          html`<button type="button" class="hw-cell hw-run-name" data-run=${run.id} title=${run.title}
            @click=${() => open(run.id)}>${run.title}</button>${tagChips(run.tags)}`,
        ),
      );
    show();
    /** @type {RunMenuWork["edit"]} */
    const edit = (label, text, action) =>
      editText(name, label, text, (changed) => change(action, run.id, changed), show);
    return html`<tr>${name}<td>${run.suites}</td><td>${run.contracts}</td><td>${run.models}</td><td
      class="hw-short">${run.when}</td><td class="hw-short"><meter class="hw-share" .value=${run.share}
      aria-hidden="true"></meter>${run.result}${
        run.state ? html`<span class="hw-note"> · ${run.state}</span>` : ""
      }</td><td class="hw-short">${run.duration}</td><td>${menu("Menu of " + run.title, () =>
        runActions(run, { edit, change, download }),
      )}</td></tr>`;
  };

  const restore = (/** @type {DeletedRunView} */ run, /** @type {string} */ word) =>
    html`<button type="button" class="hw-act" aria-label="${word} ${run.title}"
      @click=${() => change("restore", run.id)}>${word}</button>`;

  const rows = value.rows.filter((run) => !tag || run.tags.includes(tag));
  render(
    [
      value.undo
        ? html`<p class="hw-line hw-undo" role="status"><span class="hw-title">Deleted: ${value.undo.title}</span>${restore(
            value.undo,
            "Undo",
          )}</p>`
        : "",
      value.rows.length
        ? html`<div class="hw-run-head">${heading("h2", "Recent runs", "reference/suites#runs")}${
            tags.length ? filter() : ""
          }</div>${wideTable("Recent runs", HEADS, rows.map(row), " hw-runs")}`
        : emptyPlace("suites"),
      value.deleted.length
        ? html`<details class="hw-deleted"><summary>Deleted runs</summary><ul>${value.deleted.map(
            (run) =>
              html`<li class="hw-line"><span class="hw-title">${run.title}</span>${restore(run, "Restore")}</li>`,
          )}</ul></details>`
        : "",
    ],
    element,
  );
};
