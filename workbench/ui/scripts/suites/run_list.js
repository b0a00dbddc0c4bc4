// The list of runs, with a filter by tag.
import { editText, node } from "../shared/dom.js";
import { emptyPlace } from "../shared/empty_place.js";
import { menu } from "../shared/menu.js";
import { wideTable } from "../shared/tables.js";
import { runActions } from "./run_menu.js";
import { heading } from "../shared/heading.js";

let tag = "";

const restore = (run, word, change) =>
  node(
    "button",
    {
      type: "button",
      class: "hw-act",
      "aria-label": word + " " + run.title,
      onclick: () => change("restore", run.id),
    },
    word,
  );

const filter = (rows, redraw) => {
  const tags = [...new Set(rows.flatMap((row) => row.tags))].sort();
  if (!tags.includes(tag)) tag = "";
  if (!tags.length) return null;
  const select = node(
    "select",
    {
      class: "hw-input",
      "aria-label": "Runs with tag",
      onchange: () => {
        tag = select.value;
        redraw();
      },
    },
    node("option", { value: "" }, "All tags"),
    tags.map((name) => node("option", { value: name, selected: name === tag }, name)),
  );
  return select;
};

// `open(id)` opens a run, `change(action, id, value)` changes it, `download(id, form)` downloads its report.
export const drawRunList = (element, value, { open, change, download }) => {
  const redraw = () => drawRunList(element, value, { open, change, download });
  const isTagged = filter(value.rows, redraw);
  const row = (run) => {
    const name = node("td", {});
    const show = () =>
      name.replaceChildren(
        node(
          "button",
          {
            type: "button",
            class: "hw-cell hw-run-name",
            "data-run": run.id,
            title: run.title,
            onclick: () => open(run.id),
          },
          run.title,
        ),
        node(
          "span",
          { class: "hw-tags" },
          run.tags.map((each) => node("span", { class: "hw-tag" }, each)),
        ),
      );
    show();
    const edit = (label, text, action) =>
      editText(name, label, text, (changed) => change(action, run.id, changed), show);
    return node(
      "tr",
      {},
      name,
      node("td", {}, run.suites),
      node("td", {}, run.contracts),
      node("td", {}, run.models),
      node("td", { class: "hw-short" }, run.when),
      node(
        "td",
        { class: "hw-short" },
        node("meter", { class: "hw-share", value: run.share, "aria-hidden": "true" }),
        run.result,
        run.state ? node("span", { class: "hw-note" }, " · " + run.state) : null,
      ),
      node("td", { class: "hw-short" }, run.duration),
      node(
        "td",
        {},
        menu("Menu of " + run.title, () => runActions(run, { edit, change, download })),
      ),
    );
  };
  const rows = value.rows.filter((run) => !tag || run.tags.includes(tag));
  element.replaceChildren(
    ...[
      value.undo
        ? node(
            "p",
            { class: "hw-line hw-undo", role: "status" },
            node("span", { class: "hw-title" }, "Deleted: " + value.undo.title),
            restore(value.undo, "Undo", change),
          )
        : null,
      value.rows.length
        ? node(
            "div",
            { class: "hw-run-head" },
            heading("h2", "Recent runs", "reference/suites#runs"),
            isTagged,
          )
        : emptyPlace("suites"),
      value.rows.length
        ? wideTable(
            "Recent runs",
            ["name", "suite", "contract", "model", "started", "result", "duration", "actions"],
            rows.map(row),
            " hw-runs",
          )
        : null,
      value.deleted.length
        ? node(
            "details",
            { class: "hw-deleted" },
            node("summary", {}, "Deleted runs"),
            node(
              "ul",
              {},
              value.deleted.map((run) =>
                node(
                  "li",
                  { class: "hw-line" },
                  node("span", { class: "hw-title" }, run.title),
                  restore(run, "Restore", change),
                ),
              ),
            ),
          )
        : null,
    ].filter(Boolean),
  );
};
