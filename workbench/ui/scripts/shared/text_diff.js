// A line-by-line diff of two texts. Empty if nothing is compared.
import { node } from "./dom.js";

const SIGNS = { add: "+", drop: "−", same: " ", place: "" };

/** @param {Part<DiffView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value) return element.replaceChildren();
    element.replaceChildren(
      node("h3", {}, value.title),
      value.lines.length === 0
        ? node("p", { class: "hw-note" }, "The texts are the same.")
        : node(
            "div",
            { class: "hw-text-diff", tabindex: 0, role: "group", "aria-label": value.title },
            value.lines.map((line) =>
              node(
                line.kind === "add" ? "ins" : line.kind === "drop" ? "del" : "div",
                { class: "d-" + line.kind },
                node("span", { class: "hw-sign" }, SIGNS[line.kind]),
                line.text,
              ),
            ),
          ),
    );
  });
};
