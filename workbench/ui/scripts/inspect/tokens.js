// Prompt and completion token by token. Events: `ask_tokens`, once the pane is visible, and `weigh`.
import { hint, node, once } from "../shared/dom.js";
import { html } from "../shared/lit_html.js";
import { stepOf } from "../shared/page.js";
import { followAsked } from "./asking.js";

const describe = (/** @type {TokenCell} */ cell) =>
  [cell.id < 0 ? "token" : "token " + cell.id, JSON.stringify(cell.text), cell.note]
    .filter(Boolean)
    .join(" · ");

const cellsOf = (/** @type {TokenSection} */ section) =>
  section.cells.map((cell, place) =>
    node(
      "span",
      {
        class: "hw-token t" + (place % 2) + (cell.text === "" ? " is-part" : ""),
        title: describe(cell),
        "data-place": place,
      },
      cell.text,
    ),
  );

const gauge = (/** @type {TokensView} */ value) =>
  value.context_tokens === 0
    ? null
    : node(
        "div",
        { class: "hw-gauge", role: "img", "aria-label": value.gauge },
        value.sections.map((section) =>
          node("span", {
            class: "g-" + section.role,
            title: section.label + ": " + section.token_count,
            style: `width:${Math.min(100, (section.token_count / value.context_tokens) * 100)}%`,
          }),
        ),
      );

/** @param {Part<TokensView, TokensEvents>} part */
export const mount = (part) => {
  const { element, trigger } = part;
  const here = node("p", { class: "hw-token-here hw-mono", role: "status" });

  const drawSection = (/** @type {TokenSection} */ section) => {
    const pre = node("pre", {
      tabindex: 0,
      role: "group",
      "aria-label": "Tokens of " + section.label + ", use the arrow keys to move",
    });
    let at = -1;
    const go = (/** @type {number} */ place) => {
      const cell = pre.children[place];
      if (!cell) return;
      if (at >= 0 && pre.children[at]) pre.children[at].classList.remove("is-here");
      at = place;
      cell.classList.add("is-here");
      cell.scrollIntoView({ block: "nearest" });
      here.textContent = describe(section.cells[place]);
    };
    const fill = () => {
      if (pre.children.length === 0) pre.replaceChildren(...cellsOf(section));
    };
    pre.addEventListener("mouseover", (event) => {
      const cell = /** @type {PageElement} */ (event.target).closest(".hw-token");
      if (cell) go(Number(cell.dataset.place));
    });
    pre.addEventListener("focus", () => {
      if (at < 0) go(0);
    });
    pre.addEventListener("keydown", (event) => {
      const step = stepOf(event.key.replace("Right", "Down").replace("Left", "Up"));
      if (!step) return;
      event.preventDefault();
      go(Math.min(Math.max(at + step, 0), section.cells.length - 1));
    });
    const left = section.token_count - section.cells.length;
    const count =
      section.token_count.toLocaleString("en") + (section.token_count === 1 ? " token" : " tokens");
    const fold = node(
      "details",
      { class: "hw-token-section r-" + section.role },
      html`<summary><span>${section.label}</span><span class="hw-note">${count}</span></summary>${pre}${
        left > 0 ? html`<p class="hw-note">${left.toLocaleString("en")} more tokens are not shown</p>` : ""
      }`,
    );
    fold.addEventListener("toggle", () => {
      if (fold.open) fill();
    });
    fold.open = section.is_open;
    return fold;
  };

  followAsked(part, "ask_tokens", (value) => {
    if (!value || !value.message_id || !value.is_known) {
      element.replaceChildren(hint(value ? value.hint : ""));
      return;
    }
    here.textContent = value.sections.length ? "Point at a token or use the arrow keys." : "";
    const weigh = (/** @type {PageEvent} */ { currentTarget: button }) => {
      button.disabled = true;
      button.textContent = "Computing …";
      trigger("weigh", { id: value.message_id });
    };
    const attributes = { type: "button", class: "hw-button", onclick: weigh };
    element.replaceChildren(
      once(
        html`<div class="hw-tokens"><div class="hw-tokens-head">${[
          value.gauge ? html`<p>${value.gauge}</p>` : "",
          gauge(value),
          value.hint ? hint(value.hint) : "",
          value.note ? html`<p class="hw-note">${value.note}</p>` : "",
          value.sections.length ? here : "",
          value.can_compute_logprobs ? node("button", attributes, "Compute logprobs") : "",
        ]}</div>${value.sections.map(drawSection)}</div>`,
      ),
    );
  });
};
