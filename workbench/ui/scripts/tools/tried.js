// The result of a trial call, as a model would see it.
import { hint, node } from "../shared/dom.js";
import { changeRows } from "../shared/world_changes.js";

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
      ...(value.world
        ? [
            node("h3", {}, "Changed in the world"),
            changeRows(value.world_changes) || node("p", { class: "hw-note" }, "Nothing."),
            node(
              "details",
              { class: "hw-folded" },
              node("summary", {}, node("span", {}, "World before the call")),
              node("pre", {}, value.world),
            ),
          ]
        : []),
    );
  });
};
