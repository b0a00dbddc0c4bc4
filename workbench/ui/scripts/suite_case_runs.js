// The repetitions of a case: what was expected, what came, and the stored rollout. Event: `label_case`.
import { iconButton, node, pieces, term } from "./dom.js";

const said = (one) =>
  node("li", {}, node("span", { class: "hw-role" }, one.role), node("pre", {}, pieces(one.pieces)));

export const mount = ({ element, follow, trigger }) => {
  const run = (one) => {
    const queue = node(
      "button",
      {
        type: "button",
        class: "hw-action",
        onclick: () => {
          trigger("label_case", { session: one.session });
          queue.textContent = "Added to the labelling queue";
          queue.disabled = true;
        },
      },
      "Add to labelling queue",
    );
    return node(
      "section",
      { class: "hw-play" },
      node("h3", {}, one.title, " ", node("span", { class: "hw-status t-" + one.status }, one.status)),
      node(
        "ul",
        { class: "hw-outcomes" },
        one.outcomes.map(([sign, reason]) =>
          node("li", { class: sign === "✓" ? null : "t-error" }, sign + " " + reason),
        ),
      ),
      node(
        "dl",
        { class: "hw-read" },
        one.read.map(([name, text]) => [node("dt", {}, name), node("dd", {}, node("pre", {}, text))]),
      ),
      one.messages.length
        ? node(
            "details",
            { class: "hw-rollout" },
            node("summary", {}, term("rollout", "Stored rollout")),
            node("ol", {}, one.messages.map(said)),
          )
        : null,
      node(
        "div",
        { class: "hw-actions" },
        node("span", { class: "hw-note" }, one.note),
        one.messages.length
          ? node(
              "a",
              { class: "hw-action", href: "?session=" + encodeURIComponent(one.session) },
              "Open rollout",
            )
          : null,
        one.messages.length ? queue : null,
      ),
    );
  };

  follow((value) => {
    if (!value) return element.replaceChildren();
    element.replaceChildren(
      node(
        "div",
        { class: "hw-run-head" },
        node("h2", {}, value.case),
        iconButton("cross", "Close", () => element.replaceChildren()),
      ),
      node("p", { class: "hw-user" }, value.user_text),
      node(
        "div",
        { class: value.is_pair ? "hw-plays is-pair" : "hw-plays", "aria-live": "polite" },
        value.runs.map(run),
      ),
    );
    element.scrollIntoView({ block: "nearest" });
  });
};
