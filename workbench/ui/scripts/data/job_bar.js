// The progress of a job, with a button to stop it. Event: `stop_job`.
import { node } from "../shared/dom.js";

/** @param {Part<JobView, JobBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  follow((value) => {
    if (!value || !value.label) {
      element.replaceChildren();
      return;
    }
    element.replaceChildren(
      node(
        "div",
        { class: "hw-model-head" },
        node("strong", {}, value.label),
        value.is_running
          ? node(
              "button",
              { type: "button", class: "hw-action", onclick: () => trigger("stop_job", {}) },
              "Stop",
            )
          : null,
      ),
      ...(value.is_running
        ? [node("progress", { max: 1, value: value.share, "aria-label": value.label })]
        : []),
      node("div", { class: "hw-note", role: "status" }, value.note),
    );
  });
};
