// Training rows as they will be written to the file, and which parts of their text are trained.
// Event: `open_filter`, to fill the form with the filters of an address.
import { chart } from "../shared/charts.js";
import { drawList, node } from "../shared/dom.js";
import { findingLine } from "./row_findings.js";

const shapes = { json: "JSON", mask: "Loss mask" };

const bodies = {
  json: (row) =>
    node(
      "pre",
      { class: "hw-made-text", tabindex: "0", role: "group", "aria-label": "Row as JSON" },
      row.json_text,
      row.more_chars
        ? node(
            "span",
            { class: "hw-note" },
            "\n… " + row.more_chars.toLocaleString("en") + " more characters in the file",
          )
        : null,
    ),
  mask: (row) =>
    node(
      "pre",
      { class: "hw-made-text", tabindex: "0", role: "group", "aria-label": "Loss mask" },
      row.mask.map((piece) =>
        node(
          piece.is_trained ? "mark" : "span",
          piece.is_trained ? { class: "hw-trained", title: "trained" } : {},
          piece.text,
        ),
      ),
    ),
};

// A row that can be unfolded. `isOpen` unfolds it at first.
export const rowCard = (row, isOpen) => {
  const body = node("div", {});
  const show = (shape) => {
    body.replaceChildren(bodies[shape](row));
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.shape === shape));
  };
  const buttons = Object.entries(shapes).map(([shape, label]) =>
    node(
      "button",
      { type: "button", class: "hw-action", "data-shape": shape, onclick: () => show(shape) },
      label,
    ),
  );
  if (!row.mask.length) buttons.pop();
  show("json");
  return node(
    "details",
    { class: "hw-made", open: isOpen },
    node(
      "summary",
      {},
      node("strong", {}, row.title),
      row.note ? node("span", { class: "hw-note" }, row.note) : null,
    ),
    node(
      "div",
      { class: "hw-made-head" },
      node("span", { class: "hw-actions" }, buttons),
      node(
        "span",
        { class: "hw-note hw-legend" },
        node("mark", { class: "hw-trained" }, "trained"),
        " text counts towards the loss",
      ),
      row.link ? node("a", { href: row.link, target: "_blank", rel: "noopener" }, "Open in Play") : null,
    ),
    row.findings.length ? node("ul", { class: "hw-row-findings" }, row.findings.map(findingLine)) : null,
    body,
  );
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
  window.hermesWorkbench.router.onPlace("data", (values) =>
    triggerLatest("open_filter", Object.fromEntries(FILTERS.map((name) => [name, values[name] || ""]))),
  );
  let hasRows = false;
  follow((value) => {
    // Opening the tab again does not replace the rows of the last check.
    if (value?.is_look && hasRows) return;
    hasRows = Boolean(value?.rows.length);
    drawList(element, value, (rows) =>
      node(
        "div",
        {},
        rows.map((row, place) => rowCard(row, place === 0)),
      ),
    );
    if (value?.charts.length) element.append(...value.charts.flatMap((each) => chart(each)).filter(Boolean));
  });
};
