// Shows what the columns answer: a question, or turns of a session. Event: `compare_drop`, to go back to a question.
import { hint, node } from "../shared/dom.js";

/** @param {Part<CompareTargetView, CompareTargetEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  let last = null;
  follow((value) => {
    // Another turn is answered by the columns of the form, which it shows.
    if (last !== null && last !== value?.message)
      document.getElementById("compare-page")?.classList.remove("is-folded");
    last = value?.message ?? "";
    if (!value || !value.session) {
      element.replaceChildren(
        hint("Every column answers the question above. Or choose a turn of a session:"),
      );
      return;
    }
    const { session, message } = value;
    const address = window.hermesWorkbench.router.link("play", { session, message });
    element.replaceChildren(
      node(
        "div",
        { class: "hw-compare-target" },
        node("span", { class: "hw-word" }, value.note + " of"),
        node("a", { href: address }, value.title),
        node("q", {}, value.question),
        node(
          "button",
          { type: "button", class: "hw-act", onclick: () => trigger("compare_drop", {}) },
          "Ask a question instead",
        ),
      ),
    );
  });
};
