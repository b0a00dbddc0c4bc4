// The answers of the Compare tab side by side, with the buttons and keys for votes. Events: `compare_open`,
// `compare_vote`, `compare_unvote`, `compare_go_on`, `compare_example`.
import { emptyPlace } from "../shared/empty_place.js";
import { html, render, repeat } from "../shared/lit_html.js";
import { isField, onKeys, press } from "../shared/page.js";
import { store, stored, storedText } from "../shared/storage.js";
import { blinded, drawCell } from "./compare_cell.js";

const DIFFERENCES = "hermes-workbench:compare:differences";
const BLIND = "hermes-workbench:compare:blind";

const canVote = (/** @type {TurnView} */ turn, /** @type {number | null} */ column) =>
  turn.can_vote && (column === null || Boolean(turn.cells[column].message));

const head = (/** @type {ColumnHeadView} */ column) =>
  html`<div class="hw-compare-column"><span class="hw-letter">${column.letter}</span><strong>${column.contract}</strong><span
    class="hw-mono">${column.model}</span><span class="hw-note">${column.note}</span></div>`;

// How long before the end of an answer its vote counts.
const EARLY_MS = 2000;

/** @param {Part<BoardView, CompareBoardEvents>} part */
export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { router } = window.hermesWorkbench;
  // The router's request that is being answered.
  let request = 0;
  /** @type {{ value: BoardView | null; at: number }} */
  const state = { value: null, at: 0 };
  // Voting blind hides which column an answer is from, until the turn has a vote.
  let isBlind = Boolean(stored(BLIND));
  let hasDifferences = Boolean(stored(DIFFERENCES));
  // The columns of each turn in the order in which they are shown while voting blind.
  /** @type {Map<number, number[]>} */
  const orders = new Map();
  const page = document.getElementById("compare-page");
  const fold = (/** @type {boolean} */ isFolded) => page?.classList.toggle("is-folded", isFolded);

  const isHidden = (/** @type {TurnView} */ turn) => isBlind && !turn.vote;

  const orderOf = (/** @type {TurnView} */ turn) => {
    const columns = turn.cells.map((_, column) => column);
    if (!isHidden(turn)) return columns;
    const drawn = columns
      .map((column) => ({ column, at: Math.random() }))
      .sort((left, right) => left.at - right.at);
    const order = orders.get(turn.place) ?? drawn.map(({ column }) => column);
    orders.set(turn.place, order);
    return order;
  };

  // A vote that came just before the answer that it is about was drawn.
  /** @type {{ turn: number; kind: string; column: number | null; until: number } | null} */
  let early = null;

  const vote = (
    /** @type {TurnView} */ turn,
    /** @type {string} */ kind,
    /** @type {number | null} */ column,
  ) => {
    if (!canVote(turn, column)) {
      if (state.value?.is_running) early = { turn: turn.place, kind, column, until: Date.now() + EARLY_MS };
      return;
    }
    early = null;
    if (turn.vote === kind && turn.voted === column) trigger("compare_unvote", { turn: turn.place });
    else trigger("compare_vote", { turn: turn.place, kind, column });
  };

  const voteBar = (/** @type {BoardView} */ value, /** @type {TurnView} */ turn) => {
    /** @param {string} kind @param {number | null} column @param {string} words @param {string} key */
    const button = (kind, column, words, key) =>
      html`<button type="button" class="hw-verdict" ?disabled=${!canVote(turn, column)}
        aria-pressed=${String(turn.vote === kind && turn.voted === column)} @click=${() => vote(turn, kind, column)}
        ><kbd>${key}</kbd>${words}</button>`;
    const name = (/** @type {number} */ column, /** @type {number} */ place) =>
      isHidden(turn) ? "Answer " + (place + 1) : value.heads[column].letter;
    return html`<div class="hw-vote" role="group" aria-label="Vote${turn.heading ? " on " + turn.heading : ""}">${[
      orderOf(turn).map((column, place) =>
        button("best", column, name(column, place) + " is better", String(place + 1)),
      ),
      button("tie", null, "Tie", "t"),
      button("bad", null, value.heads.length === 2 ? "Both bad" : "All bad", "x"),
      turn.vote
        ? html`<button type="button" class="hw-act" @click=${() => trigger("compare_unvote", { turn: turn.place })}
            >Undo vote <kbd>u</kbd></button>`
        : "",
    ]}<span class="hw-note" role="status">${
      turn.vote_note || (turn.can_vote ? "" : "You can vote once two columns have answered.")
    }</span></div>`;
  };

  const drawTurn = (/** @type {BoardView} */ value, /** @type {TurnView} */ turn) =>
    html`<section class="hw-compare-turn" data-turn=${turn.place} tabindex="-1" aria-label=${turn.heading || "Question"}
      ><div class="hw-compare-question">${turn.heading ? html`<h3>${turn.heading}</h3>` : ""}<div class="hw-prose"
        tabindex="0" role="group" aria-label="Question">${turn.question}</div></div>
      <div class="hw-compare-grid" style="--columns:${value.heads.length}">${orderOf(turn).map(
        (column, place) =>
          isHidden(turn)
            ? drawCell(blinded(turn.cells[column], String(place + 1)), value.session, false)
            : drawCell(turn.cells[column], value.session, hasDifferences),
      )}</div>${voteBar(value, turn)}</section>`;

  // Marks the turn that the vote keys apply to.
  const markCurrent = () => {
    const many = state.value !== null && state.value.turns.length > 1;
    element
      .querySelectorAll(".hw-compare-turn")
      .forEach((section) =>
        section.classList.toggle("is-here", many && Number(section.dataset.turn) === state.at),
      );
  };

  const step = (/** @type {number} */ by) => {
    const next = state.at + by;
    if (!state.value || next < 0 || next >= state.value.turns.length) return;
    state.at = next;
    markCurrent();
    const section = element.querySelector('[data-turn="' + next + '"]');
    if (section) section.scrollIntoView({ block: "nearest" });
  };

  const EMPTY = emptyPlace("compare", () => trigger("compare_example", {}));
  render(EMPTY, element);
  const isVisible = () => element.isConnected && element.offsetParent !== null;

  /** @type {Record<string, (turn: TurnView) => unknown>} */
  const ACTS = {
    t: (turn) => vote(turn, "tie", null),
    x: (turn) => vote(turn, "bad", null),
    u: (turn) => turn.vote && trigger("compare_unvote", { turn: turn.place }),
    j: () => step(1),
    k: () => step(-1),
  };

  const onKey = (/** @type {KeyboardEvent} */ event) => {
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

  /** @param {string} label @param {boolean} isOn @param {() => void} turn */
  const choice = (label, isOn, turn) =>
    html`<button type="button" class="hw-act" aria-pressed=${String(isOn)} @click=${() => {
      turn();
      show(state.value);
    }}>${label}</button>`;

  const bar = (/** @type {BoardView} */ value) =>
    html`<div class="hw-compare-top"><span class="hw-note" role="status">${value.note}</span>${[
      choice("Show differences", hasDifferences, () => {
        store(DIFFERENCES, (hasDifferences = !hasDifferences) || null);
      }),
      choice("Vote blind", isBlind, () => {
        store(BLIND, (isBlind = !isBlind) || null);
      }),
    ]}<button type="button" class="hw-act hw-unfold" @click=${() => fold(false)}>Change columns</button>${
      value.can_resume
        ? html`<button type="button" class="hw-action" @click=${() => trigger("compare_go_on", {})}
            >Run missing answers</button>`
        : ""
    }${
      value.turns.length > 1
        ? html`<span class="hw-note"><kbd>j</kbd> <kbd>k</kbd> next and previous turn</span>`
        : ""
    }</div>`;

  const show = (/** @type {BoardView | null} */ value) => {
    page?.classList.toggle("is-blind", isBlind);
    if (!value) {
      state.value = null;
      fold(false);
      return render(EMPTY, element);
    }
    const isNew = state.value?.id !== value.id;
    if (isNew) {
      orders.clear();
      state.at = 0;
    }
    if (isNew || (value.is_running && !state.value?.is_running)) fold(true);
    state.value = value;
    const waited = early && value.turns[early.turn];
    if (isNew || (early && Date.now() > early.until)) early = null;
    else if (early && waited && canVote(waited, early.column)) vote(waited, early.kind, early.column);
    const heads = html`<div class="hw-compare-grid hw-compare-heads" style="--columns:${value.heads.length}">${value.heads.map(
      head,
    )}</div>`;
    render(
      html`${bar(value)}${value.turns.some(isHidden) ? "" : heads}${repeat(
        value.turns,
        (turn) => value.id + " " + turn.place,
        (turn) => drawTurn(value, turn),
      )}`,
      element,
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
