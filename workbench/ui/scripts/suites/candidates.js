// The candidates of a search as a tree, each with what was changed. Two of them can be compared, each can be saved.
import { node } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { words } from "../shared/words.js";
import { heading } from "../shared/heading.js";

const MOST_INDENTS = 6;

// Returns a function that draws the candidates of a run. It remembers which two are selected.
export const candidateTree = (/** @type {(event: SuiteRunEvents, data: object) => void} */ trigger) => {
  const place = node("div", { style: "display: contents" });
  /** @type {string[]} */
  let selected = [];
  let run = "";

  const draw = (/** @type {CandidateView[]} */ candidates) => {
    const select = (/** @type {string} */ label, /** @type {boolean} */ isOn) => {
      const others = selected.filter((other) => other !== label);
      selected = isOn ? [...others, label] : others;
      draw(candidates);
    };

    const row = (/** @type {CandidateView} */ view) =>
      html`<li style="--indents: ${Math.min(view.depth, MOST_INDENTS)}"><div class="hw-candidate"><label
        class="hw-switch"><input type="checkbox" aria-label="Compare ${view.label}" data-act="select ${view.label}"
        .checked=${selected.includes(view.label)} ?disabled=${!view.has_run}
        @change=${(event) => select(view.label, event.target.checked)}><strong>${
          (view.is_best ? "● " : "") + view.label
        }</strong></label>${view.is_chosen ? html`<span class="hw-tag">chosen</span>` : ""}<span>${view.change}</span>${
          view.can_save
            ? html`<button type="button" class="hw-action" aria-label="Save ${view.label} as version"
                data-act="save ${view.label}" @click=${() => trigger("take_candidate", { run, label: view.label })}
                >Save as version</button>`
            : ""
        }</div>${view.facts ? html`<p class="hw-note">${view.facts}</p>` : ""}${
          view.words.length ? html`<div class="hw-words">${words(view.words)}</div>` : ""
        }</li>`;

    const compare = () => trigger("compare_candidates", { run, before: selected[0], after: selected[1] });
    const tree = html`${heading("h3", "Tree of candidates", "how-to/improve-a-contract#search-for-a-better-one")}<p
        class="hw-note"
        >Each is below the one that it was made from. ● is on the front. Select two to compare them.</p><button
        type="button" class="hw-action" data-act="compare" ?disabled=${selected.length !== 2} @click=${compare}
        >Compare two candidates</button><ol class="hw-candidates">${candidates.map(row)}</ol>`;
    render(tree, place);
  };

  return (/** @type {SuiteRunView} */ value) => {
    if (run !== value.id) selected = [];
    run = value.id;
    draw(value.candidates);
    return place;
  };
};
