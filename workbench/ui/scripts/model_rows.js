// Models or repositories, each with its actions. Events: `use_model`, `delete_model`, `show_repository`,
// `pull_model`.
import { drawList, node, term } from "./dom.js";

export const mount = ({ element, follow, trigger }) => {
  const actions = {
    use_model: (name) => trigger("use_model", { name }),
    delete_model: (name) => trigger("delete_model", { name }),
    show_repository: (name) => trigger("show_repository", { name }),
    pull_model: (name) => trigger("pull_model", { name }),
  };

  const actionButton = (row, action) => {
    let isAsked = false;
    const button = node(
      "button",
      {
        type: "button",
        class: "hw-action",
        "aria-label": `${action.label} ${row.title}`,
        onclick: () => {
          if (action.confirm && !isAsked) {
            isAsked = true;
            button.textContent = action.confirm;
            button.classList.add("t-error");
            return;
          }
          actions[action.event](row.name);
        },
        onblur: () => {
          isAsked = false;
          button.textContent = action.label;
          button.classList.remove("t-error");
        },
      },
      action.label,
    );
    return button;
  };

  const row = (one) =>
    node(
      "li",
      { class: "hw-model-row", "data-name": one.name },
      node(
        "div",
        { class: "hw-model-head" },
        node("strong", {}, one.title),
        one.badge ? node("span", { class: "hw-status t-" + one.tone }, one.badge) : null,
      ),
      node("div", { class: "hw-note" }, one.notes.join(" · ")),
      one.receipt
        ? node(
            "details",
            { class: "hw-receipt" },
            node("summary", {}, term("receipt", "Receipt")),
            node("pre", { tabindex: "0" }, one.receipt),
          )
        : null,
      node(
        "div",
        { class: "hw-actions" },
        one.actions.map((action) => actionButton(one, action)),
      ),
    );

  follow((value) => drawList(element, value, (rows) => node("ul", {}, rows.map(row))));
};
