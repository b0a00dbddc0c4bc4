// Two runs, or two arms, compared: what broke comes first. Event: `open_pair`.
import { node } from "./dom.js";
import { SIGNS, wideTable } from "./tables.js";

export const mount = ({ element, follow, trigger }) => {
  const row = (one) =>
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
            class: "hw-cell t-" + one.tone,
            "aria-label": `${one.change} ${one.case}`,
            onclick: (event) => {
              element
                .querySelectorAll("[aria-pressed]")
                .forEach((other) => other.removeAttribute("aria-pressed"));
              event.currentTarget.setAttribute("aria-pressed", "true");
              trigger("open_pair", { index: one.index });
            },
          },
          SIGNS[one.tone] + one.change,
        ),
      ),
      node("th", { scope: "row" }, one.case),
      node("td", { class: "hw-note" }, one.arm),
      node("td", {}, one.before),
      node("td", {}, one.after),
    );

  const pairs = (rows) => wideTable("What changed", ["", "case", "arm", "before", "after"], rows.map(row));

  follow((value) => {
    if (!value) return element.replaceChildren();
    element.replaceChildren(
      ...[
        node("h2", {}, value.title),
        node("p", {}, value.line),
        value.changed.length
          ? pairs(value.changed)
          : node("p", { class: "hw-note" }, "No case broke and none was fixed."),
        value.rest.length
          ? node("details", {}, node("summary", {}, `${value.rest.length} unchanged`), pairs(value.rest))
          : null,
      ].filter(Boolean),
    );
  });
};
