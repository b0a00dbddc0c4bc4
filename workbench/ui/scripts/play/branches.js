// The branches of the open session as a small tree below one line. Events: `ask_branches`,
// `branch`, `restore_message`.
import { node } from "../shared/dom.js";

/** @param {Part<BranchesView, BranchesEvents>} part */
export const mount = ({ element, follow, props, trigger, triggerLatest }) => {
  const list = node("ul", { class: "hw-branch-rows", "aria-label": "Branches" });
  const agreement = node("p", { class: "hw-note hw-agreement", role: "status" });
  const summary = node("span", {});

  const fold = node(
    "details",
    { class: "hw-branch-tree" },
    node("summary", {}, summary, node("span", { class: "hw-note" }, "")),
    agreement,
    list,
  );

  const deletedList = node("ul", { class: "hw-branch-rows", "aria-label": "Deleted messages" });
  fold.append(deletedList);
  element.replaceChildren(fold);

  const ask = () => {
    const value = props.value;
    if (value && value.message_id && fold.open && !value.is_known)
      triggerLatest("ask_branches", { id: value.message_id });
  };

  fold.addEventListener("toggle", ask);
  const rows = () => [...list.querySelectorAll("button")];

  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = rows()[rows().indexOf(document.activeElement) + step];
    if (next) next.focus();
  });

  const row = (branch) =>
    node(
      "li",
      { style: "--depth:" + branch.depth },
      node(
        "button",
        {
          type: "button",
          class: "hw-branch-row r-" + branch.role,
          "aria-current": branch.is_open ? "true" : null,
          onclick: () => trigger("branch", { id: branch.message_id }),
        },
        node("span", { class: "hw-branch-dot", "aria-hidden": "true" }),
        node("span", { class: "hw-word" }, branch.role),
        node("span", { class: "hw-branch-label" }, branch.label),
        node("span", { class: "hw-note" }, branch.note),
      ),
    );

  follow((value) => {
    fold.hidden = !value || !value.summary;
    if (fold.hidden) return;
    summary.textContent = value.summary;
    agreement.textContent = value.agreement;
    agreement.hidden = !value.agreement;
    if (value.is_known || !fold.open) list.replaceChildren(...value.rows.map(row));
    deletedList.replaceChildren(
      ...value.deleted.map((deleted) =>
        node(
          "li",
          { class: "hw-branch-gone" },
          node("span", { class: "hw-branch-label" }, deleted.label),
          node(
            "button",
            {
              type: "button",
              class: "hw-act",
              "aria-label": "Restore " + deleted.label,
              onclick: () => trigger("restore_message", { id: deleted.message_id }),
            },
            "Restore",
          ),
        ),
      ),
    );
    ask();
  });
};
