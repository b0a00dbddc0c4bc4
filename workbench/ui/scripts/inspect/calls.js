// The calls of one completion, each with its arguments, findings and result. Event: `pick`.
import { codedText, hint, term } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";

const row = (/** @type {string | PageElement} */ label, /** @type {Drawable} */ content) =>
  html`<div class="hw-row"><span class="hw-label">${label}</span><div>${content}</div></div>`;

const finding = (/** @type {FindingRow} */ { code, severity, message, place }) =>
  html`<div class="hw-finding t-${severity}">${codedText({ code, text: message })}${
    place ? html`<span class="hw-note hw-mono">${place}</span>` : ""
  }</div>`;

const result = (/** @type {CallRow} */ call) => {
  if (call.result !== null)
    return row(
      call.is_error ? "failed" : "result",
      html`<pre class=${call.is_error ? "t-error" : ""}>${call.result}</pre>`,
    );
  return call.no_result ? row("result", html`<span class="hw-note">${call.no_result}</span>`) : "";
};

/** @param {Part<CallsView, CallsEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const nameOf = (/** @type {CallRow} */ call, /** @type {string} */ id) =>
    id
      ? html`<button type="button" class="hw-mono k-call hw-pick" aria-pressed=${call.is_selected}
          title="Show this call in the other panes" @click=${() => trigger("pick", { id, call: call.index })}
        ><strong>${call.name}</strong></button>`
      : html`<strong class="hw-mono k-call">${call.name}</strong>`;

  const item = (/** @type {CallRow} */ call, /** @type {string} */ id) =>
    html`<article class="hw-item${call.is_selected ? " is-selected" : ""}" data-call=${call.index}>
      <header>
        ${nameOf(call, id)}<span class="hw-status s-${call.tone}">${call.status}</span>
        <span class="hw-gap"></span><span class="hw-note">${call.note}</span>
      </header>
      ${row("arguments", html`<pre>${call.arguments}</pre>`)}
      ${call.findings.length ? row(term("finding", "findings"), call.findings.map(finding)) : ""}
      ${result(call)}
    </article>`;

  follow((value) =>
    render(
      value?.calls.length
        ? value.calls.map((call) => item(call, value.message_id))
        : hint(value ? value.hint : ""),
      element,
    ),
  );
};
