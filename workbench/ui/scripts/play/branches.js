// The branches of the open session as a small tree below one line. Events: `ask_branches`,
// `branch`, `restore_message`.
import { stepOf } from "../shared/page.js";
import { node } from "../shared/dom.js";
import { html, nothing, render } from "../shared/lit_html.js";

/** @param {Part<BranchesView, BranchesEvents>} part */
export const mount = ({ element, follow, props, trigger, triggerLatest }) => {
  const agreement = node("p", { class: "hw-note hw-agreement", role: "status" });
  const summary = node("span", {});
  const list = node("ul", { class: "hw-branch-rows", "aria-label": "Branches" });
  const deletedList = node("ul", { class: "hw-branch-rows", "aria-label": "Deleted messages" });
  const head = html`<summary>${summary}<span class="hw-note"></span></summary>`;
  const fold = node("details", { class: "hw-branch-tree" }, head, agreement, list, deletedList);
  element.replaceChildren(fold);

  const ask = () => {
    const value = props.value;
    if (value && value.message_id && fold.open && !value.is_known)
      triggerLatest("ask_branches", { id: value.message_id });
  };

  fold.addEventListener("toggle", ask);
  const rows = () => [...list.querySelectorAll("button")];

  list.addEventListener("keydown", (event) => {
    const step = stepOf(event.key);
    if (!step) return;
    event.preventDefault();
    const next = rows()[rows().indexOf(document.activeElement) + step];
    if (next) next.focus();
  });

  const row = (/** @type {BranchRow} */ branch) =>
    html`<li style="--depth:${branch.depth}"><button type="button" class="hw-branch-row r-${branch.role}"
      aria-current=${branch.is_open ? "true" : nothing} @click=${() => trigger("branch", { id: branch.message_id })}><span
      class="hw-branch-dot" aria-hidden="true"></span><span class="hw-word">${branch.role}</span><span
      class="hw-branch-label">${branch.label}</span><span class="hw-note">${branch.note}</span></button></li>`;

  const gone = (/** @type {DeletedRow} */ { label, message_id: id }) =>
    html`<li class="hw-branch-gone"><span class="hw-branch-label">${label}</span><button type="button" class="hw-act"
      aria-label="Restore ${label}" @click=${() => trigger("restore_message", { id })}>Restore</button></li>`;

  follow((value) => {
    fold.hidden = !value?.summary;
    if (!value?.summary) return;
    summary.textContent = value.summary;
    agreement.textContent = value.agreement;
    agreement.hidden = !value.agreement;
    if (value.is_known || !fold.open) render(value.rows.map(row), list);
    render(value.deleted.map(gone), deletedList);
    ask();
  });
};
