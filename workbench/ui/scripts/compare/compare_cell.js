// One answer of the Compare tab: its calls, text, fixes and figures, with the differences from column A.
import { node } from "../shared/dom.js";
import { blocks, result, status } from "../shared/blocks.js";
import { words } from "../shared/words.js";

// How a cell differs from column A, by its sign.
const WORDS = { "=": "same as in A", "≠": "different from A", "+": "not in A", "−": "only in A" };
const TONES = { "=": "same", "≠": "other", "+": "add", "−": "drop" };

const sign = (mark) =>
  mark
    ? node(
        "span",
        { class: "hw-sign d-" + TONES[mark], role: "img", "aria-label": WORDS[mark], title: WORDS[mark] },
        mark,
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

const call = (view) =>
  node(
    "div",
    { class: "hw-call" + (view.sign ? " d-" + TONES[view.sign] : "") },
    node(
      "div",
      { class: "hw-call-head" },
      sign(view.sign),
      node("span", { class: "hw-word k-call" }, "call"),
      node(view.sign === "−" ? "del" : "strong", { class: "hw-mono" }, view.card.name),
      view.sign === "−" ? node("span", { class: "hw-note" }, "only in A") : status(view.card),
    ),
    view.sign === "−"
      ? null
      : [
          view.arguments.length === 0
            ? node("div", { class: "hw-note hw-arguments" }, "no arguments")
            : node("table", { class: "hw-arguments" }, node("tbody", {}, view.arguments.map(argument))),
          view.card.notes.map((note) => node("div", { class: "hw-finding" }, note)),
          view.card.result ? result(view.card.result) : null,
        ],
  );

const fix = (line) =>
  node(
    "li",
    { class: line.sign ? "d-" + TONES[line.sign] : null },
    sign(line.sign),
    node(
      line.sign === "−" ? "del" : "code",
      { class: line.is_guess ? "k-guess" : "k-fix" },
      line.code + (line.is_guess ? "?" : ""),
    ),
    " ",
    node("span", { class: "hw-note" }, line.note),
  );

const figure = (value) =>
  node(
    "div",
    {},
    node("dt", {}, value.name),
    node(
      "dd",
      {},
      value.value,
      value.against
        ? node("span", { class: "hw-note", title: "compared with A" }, " " + value.against)
        : null,
    ),
  );

// Returns an answer without what reveals its column: its letter, its figures and its differences from A.
export const blinded = (answer, letter) => ({
  ...answer,
  letter,
  summary: "",
  differs: false,
  message: "",
  fixes: [],
  figures: [],
  calls: answer.calls
    .filter((view) => view.sign !== "−")
    .map((view) => ({
      ...view,
      sign: "",
      arguments: view.arguments
        .filter((row) => row.sign !== "−")
        .map((row) => ({ ...row, sign: "", was: "" })),
    })),
});

// The text alone, or with the words that column A has instead, if the two are alike enough.
const answerText = (answer, hasDifferences) =>
  hasDifferences && answer.is_alike
    ? words(answer.text)
    : answer.text.map((piece) => (piece.kind === "drop" ? "" : piece.text));

export const drawCell = (answer, session, hasDifferences) =>
  node(
    "section",
    { class: "hw-compare-cell is-" + answer.state, "aria-label": "Column " + answer.letter },
    node(
      "div",
      { class: "hw-compare-head" },
      node("span", { class: "hw-letter" }, answer.letter),
      node("span", { class: answer.differs ? "hw-differs" : "hw-note" }, answer.summary),
      node("span", { class: "hw-gap" }),
      answer.message
        ? node(
            "a",
            {
              class: "hw-note",
              href: window.hermesWorkbench.router.link("play", { session, message: answer.message }),
            },
            "Open in Play",
          )
        : null,
    ),
    answer.problem
      ? node(
          "p",
          { class: "hw-line t-error" },
          node("span", { class: "hw-word" }, "incomplete"),
          node("span", {}, answer.problem),
        )
      : null,
    answer.thoughts.map((block) => blocks.thought(block)),
    answer.calls.map(call),
    answer.broken.map((block) => blocks[block.kind](block)),
    answer.text.length
      ? node(
          "div",
          {
            class: "hw-prose hw-compare-text",
            tabindex: 0,
            role: "group",
            "aria-label": "Answer " + answer.letter,
          },
          answerText(answer, hasDifferences),
        )
      : null,
    hasDifferences && !answer.is_alike
      ? node("p", { class: "hw-note hw-calm-line" }, "The texts differ too much to mark words.")
      : null,
    answer.notes.map((note) => node("div", { class: "hw-note hw-end" }, note)),
    answer.fixes.length
      ? node("ul", { class: "hw-compare-fixes", "aria-label": "Fixes" }, answer.fixes.map(fix))
      : answer.message
        ? node("p", { class: "hw-note hw-calm-line" }, "no fixes")
        : null,
    answer.figures.length ? node("dl", { class: "hw-figures" }, answer.figures.map(figure)) : null,
  );
