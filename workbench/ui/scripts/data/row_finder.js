// Finds rows of the open data set, and shows them a page at a time. Event: `find_rows`.
import { hint, iconButton, node } from "../shared/dom.js";
import { filterOptions } from "./row_picture.js";
import { rowCard } from "./row_preview.js";

const PAGE = 10;

/** @param {Part<FoundRowsView, RowFinderEvents>} part */
export const mount = ({ element, follow, triggerLatest }) => {
  let shown = null;

  // Asks for rows like the shown ones, with `changes`. Any change except of the page begins at the first row.
  const find = (changes) => {
    const { conditions, text, seed } = { ...shown, ...changes };
    triggerLatest("find_rows", {
      conditions: JSON.stringify(conditions),
      text,
      seed,
      first: changes.first || 0,
    });
  };

  const field = node("input", {
    class: "hw-input",
    type: "search",
    "aria-label": "Search in rows",
    placeholder: "Search in rows",
    spellcheck: "false",
    onkeydown: (event) => event.key === "Enter" && find({ text: field.value.trim() }),
  });

  const filters = node("select", {
    class: "hw-input",
    "aria-label": "Add a filter",
    onchange: () => {
      const chosen = filterOptions()[Number(filters.value)];
      if (chosen) find({ conditions: [...shown.conditions, chosen] });
    },
  });

  const seed = node("input", {
    class: "hw-input hw-seed",
    type: "number",
    "aria-label": "Seed of the random sample",
    value: 0,
    min: 0,
    step: 1,
    onkeydown: (event) => event.key === "Enter" && sample(),
  });
  const sample = () => find({ seed: Math.max(0, Math.trunc(Number(seed.value) || 0)) });

  const action = (label, onclick, more = {}) =>
    node("button", { type: "button", class: "hw-action", onclick, ...more }, label);

  const chips = () =>
    shown.conditions.map((condition, at) =>
      node(
        "span",
        { class: "hw-tag" },
        condition[0],
        iconButton("cross", "Remove the filter " + condition[0], () =>
          find({ conditions: shown.conditions.filter((_, other) => other !== at) }),
        ),
      ),
    );

  const pager = () => {
    const last = Math.min(shown.first + PAGE, shown.total);
    return node(
      "div",
      { class: "hw-finder-pages" },
      action("Previous", () => find({ first: shown.first - PAGE }), { disabled: shown.first === 0 }),
      node(
        "span",
        { class: "hw-note" },
        (shown.first + 1).toLocaleString("en") +
          "–" +
          last.toLocaleString("en") +
          " of " +
          shown.total.toLocaleString("en"),
      ),
      action("Next", () => find({ first: shown.first + PAGE }), { disabled: last >= shown.total }),
    );
  };

  follow((value) => {
    shown = value?.is_open ? value : null;
    if (!shown) return element.replaceChildren();
    field.value = shown.text;
    if (shown.seed !== null) seed.value = shown.seed;
    filters.replaceChildren(
      node("option", { value: "" }, "Add a filter…"),
      ...filterOptions().map((condition, at) => node("option", { value: at }, condition[0])),
    );
    const rows = shown.total.toLocaleString("en") + (shown.total === 1 ? " row" : " rows");
    const order = shown.seed === null ? "" : ", in random order";
    element.replaceChildren(
      node("h3", {}, node("span", { role: "status" }, rows + order)),
      node(
        "div",
        { class: "hw-finder" },
        field,
        action("Search", () => find({ text: field.value.trim() })),
        filters,
        node("label", { class: "hw-note" }, "Seed ", seed),
        action("Draw a random sample", sample),
        shown.seed === null ? null : action("Use the file's order", () => find({ seed: null })),
      ),
      node(
        "div",
        { class: "hw-tags" },
        chips(),
        shown.text
          ? node(
              "span",
              { class: "hw-tag" },
              "contains “" + shown.text + "”",
              iconButton("cross", "Remove the search", () => find({ text: "" })),
            )
          : null,
      ),
      shown.rows.length
        ? node(
            "div",
            {},
            shown.rows.map((row) => rowCard(row, shown.rows.length === 1)),
          )
        : hint("No row matches. Remove a filter, or search for another text."),
      shown.total > PAGE ? pager() : "",
    );
  });
};
