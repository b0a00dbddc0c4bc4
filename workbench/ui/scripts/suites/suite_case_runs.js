// The runs of a case: expectations, results and the stored rollout. Event: `label_case`.
import { iconButton, node, pieces, term } from "../shared/dom.js";

const drawMessage = (message) =>
  node("li", {}, node("span", { class: "hw-role" }, message.role), node("pre", {}, pieces(message.pieces)));

/** @param {Part<CaseRunsView, SuiteCaseRunsEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const { router } = window.hermesWorkbench;

  const drawRun = (run) => {
    const queue = node(
      "button",
      {
        type: "button",
        class: "hw-action",
        onclick: () => {
          trigger("label_case", { session: run.session });
          queue.textContent = "Added to the labelling queue";
          queue.disabled = true;
        },
      },
      "Add to labelling queue",
    );
    return node(
      "section",
      { class: "hw-play" },
      node("h3", {}, run.title, " ", node("span", { class: "hw-status t-" + run.status }, run.status)),
      node(
        "ul",
        { class: "hw-outcomes" },
        run.outcomes.map(([sign, reason]) =>
          node("li", { class: sign === "✓" ? null : "t-error" }, sign + " " + reason),
        ),
      ),
      node(
        "dl",
        { class: "hw-read" },
        run.read.map(([name, text]) => [node("dt", {}, name), node("dd", {}, node("pre", {}, text))]),
      ),
      run.messages.length
        ? node(
            "details",
            { class: "hw-rollout" },
            node("summary", {}, term("rollout", "Stored rollout")),
            node("ol", {}, run.messages.map(drawMessage)),
          )
        : null,
      node(
        "div",
        { class: "hw-actions" },
        node("span", { class: "hw-note" }, run.note),
        run.messages.length
          ? node(
              "a",
              {
                class: "hw-action",
                href: router.link("play", { session: run.session, message: run.message || null }),
              },
              run.message ? `Open turn ${run.turn} in Play` : "Open in Play",
            )
          : null,
        run.messages.length ? queue : null,
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
        value.runs.map(drawRun),
      ),
    );
    element.scrollIntoView({ block: "nearest" });
  });
};
