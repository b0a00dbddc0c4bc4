// Training rows as they will be in the file, and which of their text is trained.
import { drawList, node } from "./dom.js";

const shapes = { json: "JSON", mask: "Loss mask" };

const bodies = {
  json: (one) =>
    node(
      "pre",
      { class: "hw-made-text", tabindex: "0", role: "group", "aria-label": "Row as JSON" },
      one.json_text,
      one.more_chars
        ? node(
            "span",
            { class: "hw-note" },
            "\n… " + one.more_chars.toLocaleString("en") + " more characters in the file",
          )
        : null,
    ),
  mask: (one) =>
    node(
      "pre",
      { class: "hw-made-text", tabindex: "0", role: "group", "aria-label": "Loss mask" },
      one.mask.map((piece) =>
        node(
          piece.is_trained ? "mark" : "span",
          piece.is_trained ? { class: "hw-trained", title: "trained" } : {},
          piece.text,
        ),
      ),
    ),
};

const card = (one, place) => {
  const body = node("div", {});
  const show = (shape) => {
    body.replaceChildren(bodies[shape](one));
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.shape === shape));
  };
  const buttons = Object.entries(shapes).map(([shape, label]) =>
    node(
      "button",
      { type: "button", class: "hw-action", "data-shape": shape, onclick: () => show(shape) },
      label,
    ),
  );
  if (!one.mask.length) buttons.pop();
  show("json");
  return node(
    "details",
    { class: "hw-made", open: place === 0 },
    node(
      "summary",
      {},
      node("strong", {}, one.title),
      one.note ? node("span", { class: "hw-note" }, one.note) : null,
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
      node("a", { href: one.link, target: "_blank", rel: "noopener" }, "Open in Play"),
    ),
    body,
  );
};

export const mount = ({ element, follow }) => {
  follow((value) => drawList(element, value, (rows) => node("div", {}, rows.map(card))));
};
