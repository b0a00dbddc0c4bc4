// Models or repositories, each with its actions. Events: `use_model`, `delete_model`, `show_repository`,
// `pull_model`.
import { headedList, term } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";

/** @type {ModelRowsEvents[]} */
const EVENTS = ["use_model", "delete_model", "show_repository", "pull_model"];

/** @param {Part<ModelRowsView, ModelRowsEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  /** @type {ModelRowsView | null} */
  let shown = null;
  // The action that a second press confirms.
  /** @type {ModelAction | null} */
  let confirmed = null;

  const confirm = (/** @type {ModelAction | null} */ action) => {
    confirmed = action;
    draw();
  };

  const actionButton = (/** @type {ModelRow} */ row, /** @type {ModelAction} */ action) => {
    const act = () => {
      const event = EVENTS.find((known) => known === action.event);
      if (action.confirm && confirmed !== action) confirm(action);
      else if (event) trigger(event, { name: row.name });
    };
    // A button that is removed loses the focus while the list is drawn.
    const leave = () => confirmed === action && queueMicrotask(() => confirm(null));
    return html`<button type="button" class="hw-action${confirmed === action ? " t-error" : ""}"
      aria-label="${action.label} ${row.title}" @click=${act} @blur=${leave}
    >${confirmed === action ? action.confirm : action.label}</button>`;
  };

  const item = (/** @type {ModelRow} */ row) =>
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
