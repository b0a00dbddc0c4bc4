// The repetitions of a case: what was expected, what came, and the stored rollout. Event: `label_case`.
import { iconButton, node, pieces } from "./dom.js";

const said = (one) =>
  node("li", {}, node("span", { class: "hw-role" }, one.role), node("pre", {}, pieces(one.pieces)));

export const mount = ({ element, follow, trigger }) => {
  const play = (one) => {
    const queue = node(
      "button",
      {
        type: "button",
        class: "hw-action",
        onclick: () => {
          trigger("label_case", { session: one.session });
          queue.textContent = "In the label queue";
          queue.disabled = true;
        },
      },
      "To the label queue",
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
      one.said.length
        ? node(
            "details",
            { class: "hw-rollout" },
            node("summary", {}, "Rollout, as it is stored"),
            node("ol", {}, one.said.map(said)),
          )
        : null,
      node(
        "div",
        { class: "hw-actions" },
        node("span", { class: "hw-note" }, one.note),
        one.said.length
          ? node(
              "a",
              { class: "hw-action", href: "?session=" + encodeURIComponent(one.session) },
              "Open the rollout",
            )
          : null,
        one.said.length ? queue : null,
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
      node("p", { class: "hw-user" }, value.said),
      node(
        "div",
        { class: value.is_pair ? "hw-plays is-pair" : "hw-plays", "aria-live": "polite" },
        value.plays.map(play),
      ),
    );
    element.scrollIntoView({ block: "nearest" });
  });
};
