// Models or repositories, each with its actions. Events: `use_model`, `delete_model`, `show_repository`,
// `pull_model`.
import { drawList, node, term } from "../shared/dom.js";

/** @param {Part<ModelRowsView, ModelRowsEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const actions = {
    use_model: (name) => trigger("use_model", { name }),
    delete_model: (name) => trigger("delete_model", { name }),
    show_repository: (name) => trigger("show_repository", { name }),
    pull_model: (name) => trigger("pull_model", { name }),
  };

  const actionButton = (row, action) => {
    let isConfirming = false;
    const button = node(
      "button",
      {
        type: "button",
        class: "hw-action",
        "aria-label": `${action.label} ${row.title}`,
        onclick: () => {
          if (action.confirm && !isConfirming) {
            isConfirming = true;
            button.textContent = action.confirm;
            button.classList.add("t-error");
            return;
          }
          actions[action.event](row.name);
        },
        onblur: () => {
          isConfirming = false;
          button.textContent = action.label;
          button.classList.remove("t-error");
        },
      },
      action.label,
    );
    return button;
  };

  const row = (model) =>
    node(
      "li",
      { class: "hw-model-row", "data-name": model.name },
      node(
        "div",
        { class: "hw-model-head" },
        node("strong", {}, model.title),
        model.badge ? node("span", { class: "hw-status t-" + model.tone }, model.badge) : null,
      ),
      node("div", { class: "hw-note" }, model.notes.join(" · ")),
      model.receipt
        ? node(
            "details",
            { class: "hw-receipt" },
            node("summary", {}, term("receipt", "Receipt")),
            node("pre", { tabindex: "0" }, model.receipt),
          )
        : null,
      node(
        "div",
        { class: "hw-actions" },
        model.actions.map((action) => actionButton(model, action)),
      ),
    );

  follow((value) => drawList(element, value, (rows) => node("ul", {}, rows.map(row))));
};
