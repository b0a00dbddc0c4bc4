// Two versions of a text side by side; on a narrow page below each other. Event: `compare_version`.
import { iconButton, node } from "../shared/dom.js";

const side = (word, number, pieces, kind, sign) =>
  node(
    kind,
    { class: "hw-side is-" + word },
    node("span", { class: "hw-side-number", "aria-hidden": "true" }, number === null ? "" : String(number)),
    node("span", { class: "hw-sign" }, sign),
    node(
      "span",
      { class: "hw-side-text" },
      pieces.map((piece) => (piece.is_changed ? node("mark", {}, piece.text) : piece.text)),
    ),
  );

const row = (value) => {
  if (value.kind === "skip")
    return node(
      "div",
      { class: "hw-side-skip" },
      value.skipped === 1 ? "1 unchanged line" : value.skipped + " unchanged lines",
    );
  if (value.kind === "same")
    return node(
      "div",
      { class: "hw-side-row is-same" },
      side("before", value.before_number, value.before, "div", " "),
      side("after", value.after_number, value.after, "div", " "),
    );
  const hasBefore = value.before_number !== null;
  const hasAfter = value.after_number !== null;
  return node(
    "div",
    { class: "hw-side-row" },
    hasBefore
      ? side("before", value.before_number, value.before, "del", "−")
      : node("div", { class: "hw-side is-empty" }),
    hasAfter
      ? side("after", value.after_number, value.after, "ins", "+")
      : node("div", { class: "hw-side is-empty" }),
  );
};

/** @param {Part<VersionDiffView, VersionDiffEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  follow((value) => {
    if (!value) return element.replaceChildren();
    const compare = () => trigger("compare_version", { id: before.value, after: after.value });
    const choice = (label, chosen) =>
      node(
        "select",
        { class: "hw-input", "aria-label": label, onchange: compare },
        value.choices.map(([id, name]) => node("option", { value: id, selected: id === chosen }, name)),
      );
    const before = choice("Compare from", value.before_id);
    const after = choice("Compare to", value.after_id);
    element.replaceChildren(
      node(
        "div",
        { class: "hw-diff-head" },
        before,
        node("span", { "aria-hidden": "true" }, "→"),
        after,
        iconButton("compare", "Swap versions", () =>
          trigger("compare_version", { id: after.value, after: before.value }),
        ),
        node("span", { class: "hw-note", role: "status" }, value.summary),
        iconButton("cross", "Close comparison", () => element.replaceChildren()),
      ),
      value.rows.length
        ? node(
            "div",
            { class: "hw-sides", tabindex: 0, role: "group", "aria-label": value.title },
            value.rows.map(row),
          )
        : "",
    );
    element.scrollIntoView({ block: "nearest" });
  });
};
