// Models or repositories, each with its actions. Events: `use_model`, `delete_model`, `show_repository`,
// `pull_model`.
import { headedList, term } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";

/** @param {Part<ModelRowsView, ModelRowsEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const actions = {
    use_model: (name) => trigger("use_model", { name }),
    delete_model: (name) => trigger("delete_model", { name }),
    show_repository: (name) => trigger("show_repository", { name }),
    pull_model: (name) => trigger("pull_model", { name }),
  };
  let shown = null;
  // The action that a second press confirms.
  let confirmed = null;

  const confirm = (action) => {
    confirmed = action;
    draw();
  };

  const actionButton = (row, action) => {
    const act = () =>
      action.confirm && confirmed !== action ? confirm(action) : actions[action.event](row.name);
    // A button that is removed loses the focus while the list is drawn.
    const leave = () => confirmed === action && queueMicrotask(() => confirm(null));
    return html`<button type="button" class="hw-action${confirmed === action ? " t-error" : ""}"
      aria-label="${action.label} ${row.title}" @click=${act} @blur=${leave}
    >${confirmed === action ? action.confirm : action.label}</button>`;
  };

  const item = (row) =>
    html`<li class="hw-model-row" data-name=${row.name}>
      <div class="hw-model-head"><strong>${row.title}</strong>${
        row.badge ? html`<span class="hw-status t-${row.tone}">${row.badge}</span>` : ""
      }</div>
      <div class="hw-note">${row.notes.join(" · ")}</div>
      ${
        row.receipt
          ? html`<details class="hw-receipt">
              <summary>${term("receipt", "Receipt")}</summary>
              <pre tabindex="0">${row.receipt}</pre>
            </details>`
          : ""
      }
      <div class="hw-actions">${row.actions.map((action) => actionButton(row, action))}</div>
    </li>`;

  const draw = () =>
    render(
      headedList(shown, (rows) => html`<ul>${rows.map(item)}</ul>`),
      element,
    );

  follow((value) => {
    shown = value;
    draw();
  });
};
