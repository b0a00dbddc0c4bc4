// Findings about training rows, each with a link to its message.
import { codedText, term } from "../shared/dom.js";
import { emptyPlace } from "../shared/empty_place.js";
import { html, render } from "../shared/lit_html.js";

export const findingLine = (/** @type {FindingLine} */ finding) =>
  html`<li class="hw-finding t-${finding.tone}">
    <span class="hw-word">${finding.word}</span>
    <span class="hw-finding-text">${codedText(finding)}${
      finding.pointer ? html`<code class="hw-pointer"> ${finding.pointer}</code>` : ""
    }</span>
    ${
      finding.link
        ? html`<a href=${finding.link} target="_blank" rel="noopener" class="hw-jump"
            title="Open in Play in a new tab">${finding.place}</a>`
        : html`<span class="hw-jump">${finding.place}</span>`
    }
  </li>`;

/** @param {Part<FindingsView>} part */
export const mount = ({ element, follow }) =>
  follow((value) =>
    render(
      value?.empty
        ? emptyPlace(value.empty)
        : value?.heading
          ? html`<h3>${value.heading === "Findings" ? term("finding", value.heading) : value.heading}</h3>
            ${
              value.lines.length
                ? html`<ul>${value.lines.map(findingLine)}</ul>`
                : html`<p class="hw-note">${value.hint}</p>`
            }
            ${value.more ? html`<p class="hw-note">${value.more.toLocaleString("en")} more</p>` : ""}`
          : "",
      element,
    ),
  );
