// Possible starts of the answer as bars, and the probability of each token as a heat map. Event: `weigh`.
import { hint, node, term } from "../shared/dom.js";

const bar = (row, picked) =>
  node(
    "li",
    {
      class:
        "hw-odds" +
        (row.is_chosen ? " is-chosen" : "") +
        (row.is_tool ? " is-tool" : "") +
        (row.is_tool && row.label === picked ? " is-selected" : ""),
    },
    node(
      "span",
      { class: "hw-odds-name" },
      row.label,
      row.is_chosen ? node("span", { class: "hw-odds-chosen" }, " · written") : "",
    ),
    node(
      "span",
      { class: "hw-odds-track", "aria-hidden": "true" },
      node("span", {
        class: "hw-odds-share",
        style: `width:${Math.max(row.share * 100, row.share > 0 ? 0.5 : 0)}%`,
      }),
      row.threshold > 0 ? node("span", { class: "hw-odds-line", style: `left:${row.threshold * 100}%` }) : "",
    ),
    node("span", { class: "hw-odds-value" }, row.value),
  );

const heat = (token) =>
  node(
    "span",
    { class: "hw-heat-" + (token.warmth < 0 ? "none" : token.warmth), title: token.title },
    token.text,
  );

/** @param {Part<DecisionView, DecisionEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  // Probabilities are expensive to compute, so they are cached while other messages are shown.
  const computed = new Map();

  follow((latest) => {
    if (!latest || !latest.message_id) {
      element.replaceChildren(node("div", { class: "hw-decision" }, hint(latest ? latest.hint : "")));
      return;
    }
    if (latest.bars.length) computed.set(latest.message_id, latest);
    const value = { ...(computed.get(latest.message_id) || latest), picked: latest.picked };
    const ask = node(
      "button",
      {
        type: "button",
        class: "hw-button",
        onclick: () => {
          ask.disabled = true;
          ask.textContent = "Computing …";
          trigger("weigh", { id: value.message_id });
        },
      },
      value.bars.length ? "Compute again" : "Compute probabilities",
    );
    element.replaceChildren(
      node(
        "div",
        { class: "hw-decision" },
        value.bars.length ? node("h3", {}, term("decision", "Decision")) : "",
        value.hint ? hint(value.hint) : "",
        value.note ? node("p", { class: "hw-note" }, value.note) : "",
        value.bars.length
          ? node(
              "ul",
              { class: "hw-odds-list", "aria-label": "Possible starts of the answer" },
              value.bars.map((row) => bar(row, value.picked)),
            )
          : "",
        ask,
        value.heat.length
          ? node(
              "section",
              { class: "hw-heat", "aria-label": "Token probabilities" },
              node("h3", {}, "Tokens"),
              node("pre", {}, value.heat.map(heat)),
              node(
                "p",
                { class: "hw-note" },
                "likely ",
                [0, 1, 2, 3, 4].map((step) => node("span", { class: "hw-heat-" + step }, "\u00a0\u00a0")),
                " unlikely",
              ),
            )
          : "",
      ),
    );
  });
};
