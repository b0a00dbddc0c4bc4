// Two runs, or two arms, compared: what broke comes first. Event: `open_pair`.
import { node } from "../shared/dom.js";
import { SIGNS, wideTable } from "../shared/tables.js";
import { words } from "../shared/words.js";

/** @param {Part<ComparisonView, SuiteComparisonEvents>} part */
export const mount = ({ element, follow, triggerLatest }) => {
  const row = (pair) =>
    node(
      "tr",
      {},
      node(
        "td",
        {},
        node(
          "button",
          {
            type: "button",
            class: "hw-cell t-" + pair.tone,
            "aria-label": `${pair.change} ${pair.case}`,
            onclick: (event) => {
              element
                .querySelectorAll("[aria-pressed]")
                .forEach((other) => other.removeAttribute("aria-pressed"));
              event.currentTarget.setAttribute("aria-pressed", "true");
              triggerLatest("open_pair", { index: pair.index });
            },
          },
          SIGNS[pair.tone] + pair.change,
        ),
      ),
      node("th", { scope: "row" }, pair.case),
      node("td", { class: "hw-note" }, pair.arm),
      node("td", {}, pair.before),
      node("td", {}, pair.after),
    );

  const pairs = (rows) => wideTable("What changed", ["", "case", "arm", "before", "after"], rows.map(row));

  follow((value) => {
    if (!value) return element.replaceChildren();
    element.replaceChildren(
      ...[
        node("h2", {}, value.title),
        node("p", {}, value.line),
        value.words.length ? node("div", { class: "hw-words" }, words(value.words)) : null,
        value.changed.length
          ? pairs(value.changed)
          : node("p", { class: "hw-note" }, "No case broke and none was fixed."),
        value.rest.length
          ? node("details", {}, node("summary", {}, `${value.rest.length} unchanged`), pairs(value.rest))
          : null,
      ].filter(Boolean),
    );
    element.scrollIntoView({ block: "nearest" });
  });
};
