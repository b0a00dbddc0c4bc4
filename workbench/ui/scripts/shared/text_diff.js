// A line-by-line diff of two texts. Empty if nothing is compared.
import { html, render } from "./lit_html.js";

/** @type {Record<string, (text: string) => Template>} */
const LINES = {
  add: (text) => html`<ins class="d-add"><span class="hw-sign">+</span>${text}</ins>`,
  drop: (text) => html`<del class="d-drop"><span class="hw-sign">−</span>${text}</del>`,
  same: (text) => html`<div class="d-same"><span class="hw-sign"> </span>${text}</div>`,
  place: (text) => html`<div class="d-place"><span class="hw-sign"></span>${text}</div>`,
};

/** @param {Part<DiffView>} part */
export const mount = ({ element, follow }) =>
  follow((value) =>
    render(
      value &&
        html`<h3>${value.title}</h3>${
          value.lines.length
            ? html`<div class="hw-text-diff" tabindex="0" role="group" aria-label=${value.title}
                >${value.lines.map((line) => LINES[line.kind](line.text))}</div>`
            : html`<p class="hw-note">The texts are the same.</p>`
        }`,
      element,
    ),
  );
