// Prompt and completion token by token. Events: `ask_tokens`, once the pane is visible, and `weigh`.
import { hint, node } from "../shared/dom.js";
import { followAsked } from "./asking.js";

const describe = (cell) =>
  [cell.id < 0 ? "token" : "token " + cell.id, JSON.stringify(cell.text), cell.note]
    .filter(Boolean)
    .join(" · ");

const cellsOf = (section) =>
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

const gauge = (value) =>
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

  const drawSection = (section) => {
    const pre = node("pre", {
      tabindex: 0,
      role: "group",
      "aria-label": "Tokens of " + section.label + ", use the arrow keys to move",
    });
    let at = -1;
    const go = (place) => {
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
      const cell = event.target.closest(".hw-token");
      if (cell) go(Number(cell.dataset.place));
    });
    pre.addEventListener("focus", () => {
      if (at < 0) go(0);
    });
    pre.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      go(Math.min(Math.max(at + step, 0), section.cells.length - 1));
    });
    const left = section.token_count - section.cells.length;
    const fold = node(
      "details",
      { class: "hw-token-section r-" + section.role },
      node(
        "summary",
        {},
        node("span", {}, section.label),
        node(
          "span",
          { class: "hw-note" },
          section.token_count.toLocaleString("en") + (section.token_count === 1 ? " token" : " tokens"),
        ),
      ),
      pre,
      left > 0
        ? node("p", { class: "hw-note" }, left.toLocaleString("en") + " more tokens are not shown")
        : null,
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
    const weigh = value.can_compute_logprobs
      ? node(
          "button",
          {
            type: "button",
            class: "hw-button",
            onclick: () => {
              weigh.disabled = true;
              weigh.textContent = "Computing …";
              trigger("weigh", { id: value.message_id });
            },
          },
          "Compute logprobs",
        )
      : null;
    element.replaceChildren(
      node(
        "div",
        { class: "hw-tokens" },
        node(
          "div",
          { class: "hw-tokens-head" },
          value.gauge ? node("p", {}, value.gauge) : "",
          gauge(value) || "",
          value.hint ? hint(value.hint) : "",
          value.note ? node("p", { class: "hw-note" }, value.note) : "",
          value.sections.length ? here : "",
          weigh || "",
        ),
        value.sections.map(drawSection),
      ),
    );
  });
};
