// The answers of the Compare tab in progress. Events: `compare_stop`, and `compare_watch` to watch the comparison on the
// board.
import { node, pieces } from "../shared/dom.js";

/** @param {Part<LiveColumns, CompareLiveEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  follow((value) => {
    if (value && value.follow) trigger("compare_watch", {});
    const isLive = Boolean(value && value.is_live);
    element.hidden = !isLive;
    if (!isLive) return element.replaceChildren();
    const before = [...element.querySelectorAll(".hw-live-text")].map((text) => [
      text.scrollTop,
      text.scrollTop + text.clientHeight >= text.scrollHeight - 40,
    ]);
    const drawn = value.columns.map((column) =>
      node(
        "section",
        { class: "hw-compare-live" },
        node(
          "div",
          { class: "hw-compare-head" },
          node("span", { class: "hw-letter" }, column.letter),
          node("span", { class: "hw-note" }, column.note),
        ),
        node(
          "pre",
          { class: "hw-live-text", tabindex: 0, "aria-label": "Column " + column.letter + ", in progress" },
          pieces(column.pieces),
        ),
      ),
    );
    element.replaceChildren(
      node(
        "div",
        { class: "hw-model-head" },
        node("span", { class: "hw-note", role: "status" }, value.note),
        node(
          "button",
          { type: "button", class: "hw-action", onclick: () => trigger("compare_stop", {}) },
          "Stop ",
          node("kbd", {}, "Esc"),
        ),
      ),
      node("progress", { max: 1, value: value.share, "aria-label": "Progress of the comparison" }),
      node("div", { class: "hw-compare-grid", style: "--columns:" + value.columns.length }, drawn),
    );
    element.querySelectorAll(".hw-live-text").forEach((text, place) => {
      text.scrollTop = !before[place] || before[place][1] ? text.scrollHeight : before[place][0];
    });
  });
};
