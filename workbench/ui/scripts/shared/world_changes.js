// What changed in a world, one line for each value. The values are those of `present.world`.
import { node } from "./dom.js";

const SIGNS = { added: "+", changed: "~", removed: "−" };

/** @param {ChangeRow[] | undefined} changes */
export const changeRows = (changes) =>
  changes && changes.length
    ? node(
        "ul",
        { class: "hw-changes", "aria-label": "Changes of the world" },
        changes.map((change) =>
          node(
            "li",
            { class: "is-" + change.kind },
            node("span", { class: "hw-sign", title: change.kind }, SIGNS[change.kind]),
            node("code", {}, change.place),
            change.before ? node("del", {}, change.before) : null,
            change.after ? node("ins", {}, change.after) : null,
          ),
        ),
      )
    : null;
