// The answers of Compare side by side, with the buttons and keys of the vote. Events: `compare_vote`,
// `compare_unvote`, `compare_go_on`.
import { node } from "./dom.js";
import { blocks, result, status } from "./blocks.js";
import { isField, onKeys, press, setInAddress } from "./page.js";

const WORDS = { "=": "same as in A", "≠": "different from A", "+": "not in A", "−": "only in A" };
const TONES = { "=": "same", "≠": "other", "+": "add", "−": "drop" };

const sign = (one) =>
  one
    ? node(
        "span",
        { class: "hw-sign d-" + TONES[one], role: "img", "aria-label": WORDS[one], title: WORDS[one] },
        one,
      )
    : null;

const argument = (row) =>
  node(
    "tr",
    { class: row.sign ? "d-" + TONES[row.sign] : null },
    node("th", { scope: "row" }, sign(row.sign), row.name),
    node(
      "td",
      {},
      row.was ? node("del", { "aria-label": "in A" }, row.was) : null,
      row.was && row.value ? " → " : null,
      row.value,
    ),
  );

const call = (one) =>
  node(
    "div",
    { class: "hw-call" + (one.sign ? " d-" + TONES[one.sign] : "") },
    node(
      "div",
      { class: "hw-call-head" },
      sign(one.sign),
      node("span", { class: "hw-word k-call" }, "call"),
      node(one.sign === "−" ? "del" : "strong", { class: "hw-mono" }, one.card.name),
      one.sign === "−" ? node("span", { class: "hw-note" }, "only in A") : status(one.card),
    ),
    one.sign === "−"
      ? null
      : [
          one.arguments.length === 0
            ? node("div", { class: "hw-note hw-arguments" }, "no arguments")
            : node("table", { class: "hw-arguments" }, node("tbody", {}, one.arguments.map(argument))),
          one.card.notes.map((note) => node("div", { class: "hw-finding" }, note)),
          one.card.result ? result(one.card.result) : null,
        ],
  );

const PIECES = {
  same: (one) => one.text,
  add: (one) => node("ins", {}, one.text),
  drop: (one) => node("del", {}, one.text),
};

const fix = (one) =>
  node(
    "li",
    { class: one.sign ? "d-" + TONES[one.sign] : null },
    sign(one.sign),
    node(
      one.sign === "−" ? "del" : "code",
      { class: one.is_guess ? "k-guess" : "k-fix" },
      one.code + (one.is_guess ? "?" : ""),
    ),
    " ",
    node("span", { class: "hw-note" }, one.note),
  );

const figure = (one) =>
  node(
    "div",
    {},
    node("dt", {}, one.name),
    node(
      "dd",
      {},
      one.value,
      one.against ? node("span", { class: "hw-note", title: "compared with A" }, " " + one.against) : null,
    ),
  );

const cell = (one, session) =>
  node(
    "section",
    { class: "hw-compare-cell is-" + one.state, "aria-label": "Column " + one.letter },
    node(
      "div",
      { class: "hw-compare-head" },
      node("span", { class: "hw-letter" }, one.letter),
      node("span", { class: one.differs ? "hw-differs" : "hw-note" }, one.summary),
      node("span", { class: "hw-gap" }),
      one.message
        ? node(
            "a",
            {
              class: "hw-note",
              href: "?session=" + encodeURIComponent(session) + "&message=" + encodeURIComponent(one.message),
            },
            "Open in Play",
          )
        : null,
    ),
    one.problem
      ? node(
          "p",
          { class: "hw-line t-error" },
          node("span", { class: "hw-word" }, "incomplete"),
          node("span", {}, one.problem),
        )
      : null,
    one.thoughts.map((block) => blocks.thought(block)),
    one.calls.map(call),
    one.broken.map((block) => blocks[block.kind](block)),
    one.text.length
      ? node(
          "div",
          {
            class: "hw-prose hw-compare-text",
            tabindex: 0,
            role: "group",
            "aria-label": "Answer " + one.letter,
          },
          one.text.map((piece) => PIECES[piece.kind](piece)),
        )
      : null,
    one.notes.map((note) => node("div", { class: "hw-note hw-end" }, note)),
    one.fixes.length
      ? node("ul", { class: "hw-compare-fixes", "aria-label": "Fixes" }, one.fixes.map(fix))
      : one.message
        ? node("p", { class: "hw-note hw-calm-line" }, "no fixes")
        : null,
    one.figures.length ? node("dl", { class: "hw-figures" }, one.figures.map(figure)) : null,
  );

const canVote = (turn, column) => turn.can_vote && (column === null || Boolean(turn.cells[column].message));

const head = (one) =>
  node(
    "div",
    { class: "hw-compare-column" },
    node("span", { class: "hw-letter" }, one.letter),
    node("strong", {}, one.contract),
    node("span", { class: "hw-mono" }, one.model),
    node("span", { class: "hw-note" }, one.note),
  );

const nameInAddress = (id) => setInAddress({ compare: id });

export const mount = ({ element, follow, trigger }) => {
  const state = { value: null, at: 0 };

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
      value.heads.map((head, place) =>
        voteButton(turn, "best", place, head.letter + " is better", String(place + 1)),
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
    if (!canVote(turn, column)) return;
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
        turn.cells.map((one) => cell(one, value.session)),
      ),
      voteBar(value, turn),
    );

  const markHere = () => {
    const many = state.value && state.value.turns.length > 1;
    element
      .querySelectorAll(".hw-compare-turn")
      .forEach((one) => one.classList.toggle("is-here", many && Number(one.dataset.turn) === state.at));
  };

  const step = (by) => {
    const next = state.at + by;
    if (!state.value || next < 0 || next >= state.value.turns.length) return;
    state.at = next;
    markHere();
    const one = element.querySelector('[data-turn="' + next + '"]');
    if (one) one.scrollIntoView({ block: "nearest" });
  };

  const drawn = new Map();

  const EMPTY = node(
    "div",
    { class: "hw-empty" },
    node("h2", {}, "Compare answers side by side"),
    node(
      "p",
      {},
      "Choose the contract, model and sampling of each column and ask a question. You see where the other columns differ from column A: calls, answers, fixes, tokens and time. Vote for the better answer to make it a preference pair in the dpo export.",
    ),
  );

  element.replaceChildren(EMPTY);
  const isSeen = () => element.isConnected && element.offsetParent !== null;

  new IntersectionObserver(() => {
    if (element.isConnected && state.value) nameInAddress(isSeen() ? state.value.id : "");
  }).observe(element);

  const ACTS = {
    t: (turn) => vote(turn, "tie", null),
    x: (turn) => vote(turn, "bad", null),
    u: (turn) => turn.vote && trigger("compare_unvote", { turn: turn.place }),
    j: () => step(1),
    k: () => step(-1),
  };

  const onKey = (event) => {
    if (!isSeen() || event.defaultPrevented) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      // The field's last keystroke reaches the page's state a moment later than this key.
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
      column >= 0 && column < state.value.heads.length ? () => vote(turn, "best", column) : ACTS[event.key];
    if (!work || !turn || event.key.length !== 1) return;
    event.preventDefault();
    work(turn);
  };

  onKeys(element, document, onKey);

  follow((value) => {
    if (!value) {
      state.value = null;
      drawn.clear();
      return element.replaceChildren(EMPTY);
    }
    const isNew = !state.value || state.value.id !== value.id;
    if (isNew) {
      drawn.clear();
      state.at = 0;
    }
    state.value = value;
    const turns = value.turns.map((turn) => {
      const json = JSON.stringify([turn, value.heads]);
      const known = drawn.get(turn.place);
      if (known && known.json === json) return known.item;
      const item = drawTurn(value, turn);
      if (known) {
        const folds = known.item.querySelectorAll("details");
        item.querySelectorAll("details").forEach((fold, place) => {
          fold.open = Boolean(folds[place] && folds[place].open);
        });
        const held = known.item.contains(document.activeElement)
          ? [...known.item.querySelectorAll("button")].indexOf(document.activeElement)
          : -1;
        if (held >= 0)
          requestAnimationFrame(() => {
            const button = item.querySelectorAll("button")[held];
            if (button) button.focus({ preventScroll: true });
          });
      }
      drawn.set(turn.place, { json, item });
      return item;
    });
    element.replaceChildren(
      node(
        "div",
        { class: "hw-compare-top" },
        node("span", { class: "hw-note", role: "status" }, value.note),
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
      node(
        "div",
        { class: "hw-compare-grid hw-compare-heads", style: "--columns:" + value.heads.length },
        value.heads.map(head),
      ),
      ...turns,
    );
    markHere();
    if (isSeen()) nameInAddress(value.id);
  });
};
