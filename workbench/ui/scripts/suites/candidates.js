// The candidates of a search as a tree, each with what was changed. Two of them can be compared, each can be saved.
import { node } from "../shared/dom.js";
import { words } from "../shared/words.js";
import { heading } from "../shared/heading.js";

const MOST_INDENTS = 6;

// Returns a function that draws the candidates of a run. It remembers which two are selected.
export const candidateTree = (trigger) => {
  let selected = [];
  let run = "";

  return (value) => {
    if (run !== value.id) selected = [];
    run = value.id;
    const compare = node(
      "button",
      {
        type: "button",
        class: "hw-action",
        "data-act": "compare",
        onclick: () => trigger("compare_candidates", { run, before: selected[0], after: selected[1] }),
      },
      "Compare two candidates",
    );
    const show = () => (compare.disabled = selected.length !== 2);
    show();

    const box = (view) =>
      node("input", {
        type: "checkbox",
        "aria-label": "Compare " + view.label,
        "data-act": "select " + view.label,
        checked: selected.includes(view.label),
        disabled: !view.has_run,
        onchange: (event) => {
          const others = selected.filter((label) => label !== view.label);
          selected = event.target.checked ? [...others, view.label] : others;
          show();
        },
      });
    const save = (view) =>
      node(
        "button",
        {
          type: "button",
          class: "hw-action",
          "aria-label": `Save ${view.label} as version`,
          "data-act": "save " + view.label,
          onclick: () => trigger("take_candidate", { run, label: view.label }),
        },
        "Save as version",
      );
    const row = (view) =>
      node(
        "li",
        { style: `--indents: ${Math.min(view.depth, MOST_INDENTS)}` },
        node(
          "div",
          { class: "hw-candidate" },
          node(
            "label",
            { class: "hw-switch" },
            box(view),
            node("strong", {}, (view.is_best ? "● " : "") + view.label),
          ),
          view.is_chosen ? node("span", { class: "hw-tag" }, "chosen") : null,
          node("span", {}, view.change),
          view.can_save ? save(view) : null,
        ),
        view.facts ? node("p", { class: "hw-note" }, view.facts) : null,
        view.words.length ? node("div", { class: "hw-words" }, words(view.words)) : null,
      );
    return [
      heading("h3", "Tree of candidates", "how-to/improve-a-contract#search-for-a-better-one"),
      node(
        "p",
        { class: "hw-note" },
        "Each is below the one that it was made from. ● is on the front. Select two to compare them.",
      ),
      compare,
      node("ol", { class: "hw-candidates" }, value.candidates.map(row)),
    ];
  };
};
