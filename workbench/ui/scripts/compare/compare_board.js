// The answers of the Compare tab side by side, with the buttons and keys for votes. Events: `compare_open`,
// `compare_vote`, `compare_unvote`, `compare_go_on`, `compare_example`.
import { node } from "../shared/dom.js";
import { emptyPlace } from "../shared/empty_place.js";
import { isField, onKeys, press } from "../shared/page.js";
import { store, stored, storedText } from "../shared/storage.js";
import { blinded, drawCell } from "./compare_cell.js";

const DIFFERENCES = "hermes-workbench:compare:differences";
const BLIND = "hermes-workbench:compare:blind";

const canVote = (turn, column) => turn.can_vote && (column === null || Boolean(turn.cells[column].message));

const head = (column) =>
  node(
    "div",
    { class: "hw-compare-column" },
    node("span", { class: "hw-letter" }, column.letter),
    node("strong", {}, column.contract),
    node("span", { class: "hw-mono" }, column.model),
    node("span", { class: "hw-note" }, column.note),
  );

// How long before the end of an answer its vote counts.
const EARLY_MS = 2000;

/** @param {Part<BoardView, CompareBoardEvents>} part */
export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { router } = window.hermesWorkbench;
  // The router's request that is being answered.
  let request = 0;
  const state = { value: null, at: 0 };
  // Voting blind hides which column an answer is from, until the turn has a vote.
  let isBlind = Boolean(stored(BLIND));
  let hasDifferences = Boolean(stored(DIFFERENCES));
  // The columns of each turn in the order in which they are shown while voting blind.
  const orders = new Map();
  const page = document.getElementById("compare-page");
  const fold = (isFolded) => page?.classList.toggle("is-folded", isFolded);

  const isHidden = (turn) => isBlind && !turn.vote;

  const orderOf = (turn) => {
    const columns = turn.cells.map((_, column) => column);
    if (!isHidden(turn)) return columns;
    if (!orders.has(turn.place))
      orders.set(
        turn.place,
        columns
          .map((column) => [Math.random(), column])
          .sort()
          .map(([, column]) => column),
      );
    return orders.get(turn.place);
  };

  // A vote that came just before the answer that it is about was drawn.
  let early = null;

  const voteButton = (turn, kind, column, words, key) =>
    node(
      "button",
      {
        type: "button",
        class: "hw-verdict",
        disabled: !canVote(turn, column),
        "aria-pressed": String(turn.vote === kind && turn.voted === column),
        onclick: () => vote(turn, kind, column),
      },
      node("kbd", {}, key),
      words,
    );

  const voteBar = (value, turn) =>
    node(
      "div",
      { class: "hw-vote", role: "group", "aria-label": "Vote" + (turn.heading ? " on " + turn.heading : "") },
      orderOf(turn).map((column, place) =>
        voteButton(
          turn,
          "best",
          column,
          (isHidden(turn) ? "Answer " + (place + 1) : value.heads[column].letter) + " is better",
          String(place + 1),
        ),
      ),
      voteButton(turn, "tie", null, "Tie", "t"),
      voteButton(turn, "bad", null, value.heads.length === 2 ? "Both bad" : "All bad", "x"),
      turn.vote
        ? node(
            "button",
            {
              type: "button",
              class: "hw-act",
              onclick: () => trigger("compare_unvote", { turn: turn.place }),
            },
            "Undo vote ",
            node("kbd", {}, "u"),
          )
        : null,
      node(
        "span",
        { class: "hw-note", role: "status" },
        turn.vote_note || (turn.can_vote ? "" : "You can vote once two columns have answered."),
      ),
    );

  const vote = (turn, kind, column) => {
    if (!canVote(turn, column)) {
      if (state.value.is_running) early = { turn: turn.place, kind, column, until: Date.now() + EARLY_MS };
      return;
    }
    early = null;
    if (turn.vote === kind && turn.voted === column) trigger("compare_unvote", { turn: turn.place });
    else trigger("compare_vote", { turn: turn.place, kind, column });
  };

  const drawTurn = (value, turn) =>
    node(
      "section",
      {
        class: "hw-compare-turn",
        "data-turn": turn.place,
        tabindex: -1,
        "aria-label": turn.heading || "Question",
      },
      node(
        "div",
        { class: "hw-compare-question" },
        turn.heading ? node("h3", {}, turn.heading) : null,
        node(
          "div",
          { class: "hw-prose", tabindex: 0, role: "group", "aria-label": "Question" },
          turn.question,
        ),
      ),
      node(
        "div",
        { class: "hw-compare-grid", style: "--columns:" + value.heads.length },
        orderOf(turn).map((column, place) =>
          isHidden(turn)
            ? drawCell(blinded(turn.cells[column], String(place + 1)), value.session, false)
            : drawCell(turn.cells[column], value.session, hasDifferences),
        ),
      ),
      voteBar(value, turn),
    );

  // Marks the turn that the vote keys apply to.
  const markCurrent = () => {
    const many = state.value && state.value.turns.length > 1;
    element
      .querySelectorAll(".hw-compare-turn")
      .forEach((section) =>
        section.classList.toggle("is-here", many && Number(section.dataset.turn) === state.at),
      );
  };

  const step = (by) => {
    const next = state.at + by;
    if (!state.value || next < 0 || next >= state.value.turns.length) return;
    state.at = next;
    markCurrent();
    const section = element.querySelector('[data-turn="' + next + '"]');
    if (section) section.scrollIntoView({ block: "nearest" });
  };

  // The element of each turn with the JSON that it was drawn from. Unchanged turns are not drawn again.
  const drawn = new Map();

  const EMPTY = emptyPlace("compare", () => trigger("compare_example", {}));
  element.replaceChildren(EMPTY);
  const isVisible = () => element.isConnected && element.offsetParent !== null;

  const ACTS = {
    t: (turn) => vote(turn, "tie", null),
    x: (turn) => vote(turn, "bad", null),
    u: (turn) => turn.vote && trigger("compare_unvote", { turn: turn.place }),
    j: () => step(1),
    k: () => step(-1),
  };

  const onKey = (event) => {
    if (!isVisible() || event.defaultPrevented) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      // Gradio gets the last keystroke of the field a moment after this key.
      setTimeout(() => press("compare-run"), 30);
      return;
    }
    if (event.key === "Escape") return press("compare-stop");
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.shiftKey ||
      isField(event.target) ||
      !state.value
    )
      return;
    const turn = state.value.turns[state.at];
    const column = "1234".indexOf(event.key);
    const work =
      column >= 0 && column < state.value.heads.length
        ? () => vote(turn, "best", orderOf(turn)[column])
        : ACTS[event.key];
    if (!work || !turn || event.key.length !== 1) return;
    event.preventDefault();
    work(turn);
  };

  onKeys(element, document, onKey);

  const choice = (label, isOn, onclick) =>
    node("button", { type: "button", class: "hw-act", "aria-pressed": String(isOn), onclick }, label);

  const choices = () => [
    choice("Show differences", hasDifferences, () => {
      store(DIFFERENCES, (hasDifferences = !hasDifferences) || null);
      show(state.value);
    }),
    choice("Vote blind", isBlind, () => {
      store(BLIND, (isBlind = !isBlind) || null);
      show(state.value);
    }),
    node(
      "button",
      { type: "button", class: "hw-act hw-unfold", onclick: () => fold(false) },
      "Change columns",
    ),
  ];

  const show = (value) => {
    page?.classList.toggle("is-blind", isBlind);
    if (!value) {
      state.value = null;
      drawn.clear();
      fold(false);
      return element.replaceChildren(EMPTY);
    }
    const isNew = !state.value || state.value.id !== value.id;
    if (isNew) {
      drawn.clear();
      orders.clear();
      state.at = 0;
    }
    if (isNew || (value.is_running && !state.value.is_running)) fold(true);
    state.value = value;
    const turns = value.turns.map((turn) => {
      const json = JSON.stringify([turn, value.heads, isBlind, hasDifferences]);
      const known = drawn.get(turn.place);
      if (known && known.json === json) return known.item;
      const item = drawTurn(value, turn);
      if (known) {
        const folds = known.item.querySelectorAll("details");
        item.querySelectorAll("details").forEach((fold, place) => {
          fold.open = Boolean(folds[place] && folds[place].open);
        });
        const focused = known.item.contains(document.activeElement)
          ? [...known.item.querySelectorAll("button")].indexOf(document.activeElement)
          : -1;
        if (focused >= 0)
          requestAnimationFrame(() => {
            const button = item.querySelectorAll("button")[focused];
            if (button) button.focus({ preventScroll: true });
          });
      }
      drawn.set(turn.place, { json, item });
      return item;
    });
    const waited = early && value.turns[early.turn];
    if (early && (isNew || Date.now() > early.until)) early = null;
    else if (waited && canVote(waited, early.column)) vote(waited, early.kind, early.column);
    element.replaceChildren(
      node(
        "div",
        { class: "hw-compare-top" },
        node("span", { class: "hw-note", role: "status" }, value.note),
        choices(),
        value.can_resume
          ? node(
              "button",
              { type: "button", class: "hw-action", onclick: () => trigger("compare_go_on", {}) },
              "Run missing answers",
            )
          : null,
        value.turns.length > 1
          ? node(
              "span",
              { class: "hw-note" },
              node("kbd", {}, "j"),
              " ",
              node("kbd", {}, "k"),
              " next and previous turn",
            )
          : null,
      ),
      value.turns.some(isHidden)
        ? ""
        : node(
            "div",
            { class: "hw-compare-grid hw-compare-heads", style: "--columns:" + value.heads.length },
            value.heads.map(head),
          ),
      ...turns,
    );
    markCurrent();
    router.here("compare", { compare: value.id }, { request });
    request = 0;
  };

  follow(show);

  router.onPlace("compare", ({ compare }, number) => {
    if (!compare) return false;
    request = number;
    triggerLatest("compare_open", {
      id: compare,
      has_draft: Boolean(storedText("hermes-workbench:compare")),
    });
  });
};
