// The call that waits for a person. In step mode, the field below it is for the person's own result, a document of the
// session: it stays when the page is loaded again, and when the call is answered in another tab.
import { show } from "../drafts/document_changes.js";
import { write } from "../drafts/documents.js";
import { html, render } from "../shared/lit_html.js";

const waiting = (/** @type {WaitingView} */ { title, reasons, name, arguments: texts }) =>
  html`<p class="hw-line" role="status"><span class="hw-word">${title}</span>${
    reasons ? html`<span class="t-error">${reasons}</span>` : ""
  }</p><pre class="hw-tried" tabindex="0" role="group" aria-label="Call waiting for approval"><strong
    class="k-call">${name}</strong> ${texts}</pre>${
      reasons
        ? ""
        : html`<button type="button" class="hw-act" @click=${() => write("play-step-result", texts)}
          >Edit arguments</button>`
    }`;

/** @param {Part<WaitingView>} part */
export const mount = ({ element, follow }) =>
  follow((value) => {
    if (value) show("play-step-result", value.document, "");
    render(value && waiting(value), element);
  });
