// Two runs, or two arms, compared: what broke comes first. Event: `open_pair`.
import { once } from "../shared/dom.js";
import { html } from "../shared/lit_html.js";
import { SIGNS, wideTable } from "../shared/tables.js";
import { words } from "../shared/words.js";

/** @param {Part<ComparisonView, SuiteComparisonEvents>} part */
export const mount = ({ element, follow, triggerLatest }) => {
  const open = (/** @type {PageEvent} */ { currentTarget: button }, /** @type {number} */ index) => {
    element.querySelectorAll("[aria-pressed]").forEach((other) => other.removeAttribute("aria-pressed"));
    button.setAttribute("aria-pressed", "true");
    triggerLatest("open_pair", { index });
  };

  const row = (/** @type {PairView} */ pair) =>
    html`<tr><td><button type="button" class="hw-cell t-${pair.tone}" aria-label="${pair.change} ${pair.case}"
      @click=${(event) => open(event, pair.index)}>${SIGNS[pair.tone] + pair.change}</button></td><th
      scope="row">${pair.case}</th><td class="hw-note">${pair.arm}</td><td>${pair.before}</td><td>${pair.after}</td></tr>`;

  const pairs = (/** @type {PairView[]} */ rows) =>
    wideTable("What changed", ["", "case", "arm", "before", "after"], rows.map(row));

  follow((value) => {
    if (!value) return element.replaceChildren();
    const { title, line, changed, rest } = value;
    element.replaceChildren(
      once(
        html`<h2>${title}</h2><p>${line}</p>${
          value.words.length ? html`<div class="hw-words">${words(value.words)}</div>` : ""
        }${changed.length ? pairs(changed) : html`<p class="hw-note">No case broke and none was fixed.</p>`}${
          rest.length
            ? html`<details><summary>${rest.length} unchanged</summary>${pairs(rest)}</details>`
            : ""
        }`,
      ),
    );
    element.scrollIntoView({ block: "nearest" });
  });
};
