// The result of a trial call, as a model would see it.
import { hint, node } from "../shared/dom.js";

/** @param {Part<TrialView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value) {
      element.replaceChildren(hint("Call the tool to see the result that a model would get."));
      return;
    }
    element.replaceChildren(
      node(
        "div",
        { class: "hw-fix-head" },
        node("strong", { class: value.is_error ? "t-error" : "k-result" }, value.status),
        node("span", { class: "hw-gap" }),
        node("span", { class: "hw-note" }, value.note),
      ),
      ...value.changes.map((change) => node("p", { class: "hw-line t-quiet" }, node("span", {}, change))),
      node(
        "pre",
        {
          class: "hw-tried" + (value.is_error ? " t-error" : ""),
          tabindex: 0,
          role: "group",
          "aria-label": "Result",
        },
        value.text,
      ),
    );
  });
};
