// The branches of the open session as a small tree that opens from one line. Events: `ask_branches`,
// `branch`, `restore_message`.
import { node } from "./dom.js";

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

  const gone = node("ul", { class: "hw-branch-rows", "aria-label": "Deleted" });
  fold.append(gone);
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

  const row = (made) =>
    node(
      "li",
      { style: "--depth:" + made.depth },
      node(
        "button",
        {
          type: "button",
          class: "hw-branch-row r-" + made.role,
          "aria-current": made.is_open ? "true" : null,
          onclick: () => trigger("branch", { id: made.message_id }),
        },
        node("span", { class: "hw-branch-dot", "aria-hidden": "true" }),
        node("span", { class: "hw-word" }, made.role),
        node("span", { class: "hw-branch-label" }, made.label),
        node("span", { class: "hw-note" }, made.note),
      ),
    );

  follow((value) => {
    fold.hidden = !value || !value.summary;
    if (fold.hidden) return;
    summary.textContent = value.summary;
    agreement.textContent = value.agreement;
    agreement.hidden = !value.agreement;
    if (value.is_known || !fold.open) list.replaceChildren(...value.rows.map(row));
    gone.replaceChildren(
      ...value.deleted.map((one) =>
        node(
          "li",
          { class: "hw-branch-gone" },
          node("span", { class: "hw-branch-label" }, one.label),
          node(
            "button",
            {
              type: "button",
              class: "hw-act",
              "aria-label": "Restore " + one.label,
              onclick: () => trigger("restore_message", { id: one.message_id }),
            },
            "Restore",
          ),
        ),
      ),
    );
    ask();
  });
};
