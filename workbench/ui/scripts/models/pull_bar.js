// The progress of a download, with a button to stop it. Event: `stop_pull`.
import { node } from "../shared/dom.js";

/** @param {Part<PullView, PullBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  follow((value) => {
    if (!value || !value.name) {
      element.replaceChildren();
      return;
    }
    const percent = Math.floor(value.share * 100);
    element.replaceChildren(
      node(
        "div",
        { class: "hw-model-head" },
        node("strong", {}, value.name.split("/").pop()),
        node("span", { class: "hw-status hw-note" }, percent + " %"),
        value.is_running
          ? node(
              "button",
              { type: "button", class: "hw-action", onclick: () => trigger("stop_pull", {}) },
              "Stop",
            )
          : null,
      ),
      node("progress", { max: 1, value: value.share, "aria-label": "Downloading " + value.name }),
      node("div", { class: "hw-note", role: "status" }, value.note),
    );
  });
};
