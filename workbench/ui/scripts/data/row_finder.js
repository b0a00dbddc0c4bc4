// Finds rows of the open data set, and shows them a page at a time. Event: `find_rows`.
import { hint, iconButton } from "../shared/dom.js";
import { html, live, render } from "../shared/lit_html.js";
import { filterOptions } from "./row_picture.js";
import { rowCard } from "./row_preview.js";

const PAGE = 10;

/** @param {Part<FoundRowsView, RowFinderEvents>} part */
export const mount = ({ element, follow, triggerLatest }) => {
  /** @type {FoundRowsView | null} */
  let shown = null;
  // The seed of the last random sample.
  let lastSeed = 0;

  // Asks for rows like the shown ones, with `changes`. Any change except of the page begins at the first row.
  const find = (/** @type {Partial<FoundRowsView>} */ changes) => {
    const { conditions, text, seed } = { ...shown, ...changes };
    triggerLatest("find_rows", {
      conditions: JSON.stringify(conditions),
      text,
      seed,
      first: changes.first || 0,
    });
  };

  const onEnter = (/** @type {() => void} */ work) => (/** @type {PageEvent} */ event) =>
    event.key === "Enter" && work();
  const search = () => find({ text: element.querySelector("input[type=search]").value.trim() });
  const sample = () =>
    find({ seed: Math.max(0, Math.trunc(Number(element.querySelector(".hw-seed").value) || 0)) });
  const addFilter = (/** @type {PageEvent} */ event) => {
    const chosen = filterOptions()[Number(event.target.value)];
    event.target.value = "";
    if (chosen) find({ conditions: [...(shown?.conditions ?? []), chosen] });
  };

  const action = (/** @type {string} */ label, /** @type {() => void} */ onclick, isDisabled = false) =>
    html`<button type="button" class="hw-action" ?disabled=${isDisabled} @click=${onclick}>${label}</button>`;

  const chip = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ remove) =>
    html`<span class="hw-tag">${text}${iconButton("cross", label, remove)}</span>`;

  const without = (/** @type {number} */ at) => () =>
    find({ conditions: (shown?.conditions ?? []).filter((_, other) => other !== at) });

  const pager = (/** @type {FoundRowsView} */ { first, total }) => {
    const last = Math.min(first + PAGE, total);
    const [from, to, of] = [first + 1, last, total].map((each) => each.toLocaleString("en"));
    return html`<div class="hw-finder-pages">
      ${action("Previous", () => find({ first: first - PAGE }), first === 0)}
      <span class="hw-note">${from}–${to} of ${of}</span>
      ${action("Next", () => find({ first: first + PAGE }), last >= total)}
    </div>`;
  };

  const parts = (/** @type {FoundRowsView} */ value) => {
    const { total, text, seed, rows, conditions } = value;
    const heading = total.toLocaleString("en") + (total === 1 ? " row" : " rows");
    return html`<h3><span role="status">${heading}${seed === null ? "" : ", in random order"}</span></h3>
      <div class="hw-finder">
        <input class="hw-input" type="search" aria-label="Search in rows" placeholder="Search in rows"
          spellcheck="false" .value=${live(text)} @keydown=${onEnter(search)}>
        ${action("Search", search)}
        <select class="hw-input" aria-label="Add a filter" @change=${addFilter}>
          <option value="">Add a filter…</option>
          ${filterOptions().map((condition, at) => html`<option value=${at}>${condition[0]}</option>`)}
        </select>
        <label class="hw-note">Seed <input class="hw-input hw-seed" type="number" aria-label="Seed of the random sample"
          min="0" step="1" .value=${String(lastSeed)} @keydown=${onEnter(sample)}></label>
        ${action("Draw a random sample", sample)}
        ${seed === null ? "" : action("Use the file's order", () => find({ seed: null }))}
      </div>
      <div class="hw-tags">
        ${conditions.map((condition, at) => chip(condition[0], "Remove the filter " + condition[0], without(at)))}
        ${text ? chip("contains “" + text + "”", "Remove the search", () => find({ text: "" })) : ""}
      </div>
      ${
        rows.length
          ? html`<div>${rows.map((row) => rowCard(row, rows.length === 1))}</div>`
          : hint("No row matches. Remove a filter, or search for another text.")
      }
      ${total > PAGE ? pager(value) : ""}`;
  };

  follow((value) => {
    shown = value?.is_open ? value : null;
    lastSeed = shown?.seed ?? lastSeed;
    render(shown && parts(shown), element);
  });
};
