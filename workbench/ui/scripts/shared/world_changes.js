// What changed in a world, one line for each value. The values are those of `present.world`.
import { html } from "./lit_html.js";

/** @type {Record<string, string>} */
const SIGNS = { added: "+", changed: "~", removed: "−" };

export const changeRows = (/** @type {ChangeRow[] | undefined} */ changes) =>
  changes?.length
    ? html`<ul class="hw-changes" aria-label="Changes of the world">${changes.map(
        ({ kind, place, before, after }) =>
          html`<li class="is-${kind}"><span class="hw-sign" title=${kind}>${SIGNS[kind]}</span><code>${place}</code>${
            before ? html`<del>${before}</del>` : ""
          }${after ? html`<ins>${after}</ins>` : ""}</li>`,
      )}</ul>`
    : "";
