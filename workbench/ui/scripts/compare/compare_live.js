// The answers of the Compare tab in progress. Events: `compare_stop`, and `compare_watch` to watch the comparison on the
// board.
import { pieces } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";

const section = (/** @type {LiveColumn} */ column) =>
  html`<section class="hw-compare-live"><div class="hw-compare-head"><span class="hw-letter">${column.letter}</span><span
    class="hw-note">${column.note}</span></div><pre class="hw-live-text" tabindex="0"
    aria-label="Column ${column.letter}, in progress">${pieces(column.pieces)}</pre></section>`;

/** @param {Part<LiveColumns, CompareLiveEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const columns = (/** @type {LiveColumns} */ value) =>
    html`<div class="hw-model-head"><span class="hw-note" role="status">${value.note}</span><button type="button"
      class="hw-action" @click=${() => trigger("compare_stop", {})}>Stop <kbd>Esc</kbd></button></div>
      <progress max="1" .value=${value.share} aria-label="Progress of the comparison"></progress>
      <div class="hw-compare-grid" style="--columns:${value.columns.length}">${value.columns.map(section)}</div>`;

  follow((value) => {
    if (value?.follow) trigger("compare_watch", {});
    element.hidden = !value?.is_live;
    const left = [...element.querySelectorAll(".hw-live-text")].filter(
      (text) => text.scrollTop + text.clientHeight < text.scrollHeight - 40,
    );
    render(value?.is_live ? columns(value) : "", element);
    // A column that was scrolled up stays there, the others follow the text.
    for (const text of element.querySelectorAll(".hw-live-text"))
      if (!left.includes(text)) text.scrollTop = text.scrollHeight;
  });
};
