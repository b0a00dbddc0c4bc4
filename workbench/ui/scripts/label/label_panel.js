// The Label tab, right: the label of the selected message or call.
import { hint, iconButton, node, once, term } from "../shared/dom.js";
import { html, nothing } from "../shared/lit_html.js";
import { actButton } from "./label_form.js";
import { keyOf } from "./label_overlay.js";
import { drawSchemas } from "./label_tools.js";

// How each verdict is shown.
/** @type {Record<string, string>} */
export const WORDS = {
  right: "right",
  "wrong-tool": "wrong tool",
  "bad-arguments": "bad arguments",
  needless: "needless",
  "should-ask": "should ask",
  good: "good",
  "missing-call": "missing call",
  "bad-answer": "bad answer",
  "first-better": "first is better",
  "second-better": "second is better",
  tie: "equally good",
  "both-bad": "both are bad",
};

/** @param {Desk} desk */
export const addPanel = (desk) => {
  const panel = node("aside", { class: "hw-label-panel", "aria-label": "Verdict" });

  const judge = (/** @type {LabelTargetView} */ target, /** @type {string} */ verdict) =>
    desk.change(target, { verdict: target.label.verdict === verdict ? null : verdict });

  const rate = (/** @type {LabelTargetView} */ target, /** @type {number} */ rating) =>
    desk.change(target, { rating: target.label.rating === rating ? null : rating });

  /** @param {LabelTargetView} target @param {string} verdict @param {number | string} key */
  const verdictButton = (target, verdict, key) =>
    html`<button type="button" class="hw-verdict" aria-pressed=${target.label.verdict === verdict}
      @click=${() => judge(target, verdict)}><kbd>${key}</kbd>${WORDS[verdict]}</button>`;

  const group = (/** @type {string} */ name, /** @type {(string | Template | Template[])[]} */ parts) =>
    html`<div role="group" aria-label=${name}>${parts}</div>`;

  const verdicts = (/** @type {LabelTargetView} */ target) => {
    if (!target.verdicts.length) return "";
    const message = desk.messageTargetOf(target);
    const numbered = target.verdicts.map((verdict, place) => verdictButton(target, verdict, place + 1));
    if (target.verdicts.includes("tie"))
      return html`<div class="hw-verdicts">${group("Verdict on the pair", numbered)}</div>`;
    const isCall = target.call !== null;
    /** @type {Record<string, string>} */
    const keys = { good: isCall ? "" : "1", "missing-call": "6", "bad-answer": "7" };
    const ofMessage = message.verdicts
      .filter((verdict) => verdict in keys)
      .map((verdict) => verdictButton(message, verdict, keys[verdict]));
    const word = isCall ? html`<span class="hw-note">message:</span>` : "";
    return html`<div class="hw-verdicts">${isCall ? group("Verdict on the call", numbered) : ""}${
      ofMessage.length ? group("Verdict on the message", [word, ofMessage]) : ""
    }</div>`;
  };

  const star = (/** @type {LabelTargetView} */ target, /** @type {number} */ rating) =>
    html`<button type="button" class="hw-star" aria-label="${rating} of 5"
      aria-pressed=${target.label.rating === rating} @click=${() => rate(target, rating)}
    >${rating <= target.label.rating ? "★" : "☆"}</button>`;

  const stars = (/** @type {LabelTargetView} */ target) =>
    html`<div class="hw-stars" role="group" aria-label="Rating">${[1, 2, 3, 4, 5].map((rating) =>
      star(target, rating),
    )}<span class="hw-note">Shift+1…5</span></div>`;

  const addTag = (/** @type {LabelTargetView} */ target, /** @type {string} */ text) => {
    const tag = text.trim();
    desk.keepDraft(target, { tag: null });
    if (tag && !target.label.tags.includes(tag)) desk.change(target, { ["tag:" + tag]: true });
  };

  // The target as it is now. Fields are drawn for what it was.
  const current = (/** @type {LabelTargetView} */ target) =>
    desk.targets().find((other) => keyOf(other) === keyOf(target)) || target;

  const takeTag = (/** @type {LabelTargetView} */ target, /** @type {HTMLInputElement} */ field) => {
    const text = field.value;
    field.value = "";
    addTag(current(target), text);
  };

  const tags = (/** @type {LabelTargetView} */ target) => {
    const onKey = (/** @type {PageEvent} */ event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      takeTag(target, event.target);
    };
    const leave = (/** @type {PageEvent} */ { target: field }) =>
      !desk.state.isDrawing && field.value && takeTag(target, field);
    const tag = (/** @type {string} */ name) =>
      html`<span class="hw-tag">${name}${iconButton("cross", "Remove tag " + name, () =>
        desk.change(target, { ["tag:" + name]: null }),
      )}</span>`;
    return html`<div class="hw-tagging">${target.label.tags.map(tag)}<input class="hw-input" placeholder="Add a tag"
      aria-label="Add a tag" data-field="tag" .value=${desk.draftOf(target).tag || ""} @keydown=${onKey}
      @input=${(event) => desk.keepDraft(target, { tag: event.target.value || null })} @blur=${leave}></div>`;
  };

  const saveComment = (/** @type {LabelTargetView} */ target) => {
    const draft = desk.draftOf(target).comment;
    if (draft === undefined) return;
    desk.keepDraft(target, { comment: null });
    if (draft !== current(target).label.comment) desk.change(target, { comment: draft || null });
  };

  const comment = (/** @type {LabelTargetView} */ target) =>
    html`<textarea class="hw-input" rows="2" placeholder="Comment" aria-label="Comment" data-field="comment"
      .value=${desk.draftOf(target).comment ?? target.label.comment}
      @input=${(event) => desk.keepDraft(target, { comment: event.target.value })}
      @blur=${() => !desk.state.isDrawing && saveComment(target)}></textarea>`;

  /** @param {LabelTargetView} target @param {QuestionView} question @param {string} value */
  const answer = (target, question, value) =>
    desk.change(target, { ["answer:" + question.name]: value || null });

  // The key of a question: the next choice, or its field.
  const answerByKey = (/** @type {LabelTargetView} */ target, /** @type {QuestionView} */ question) => {
    if (!question.choices.length) return desk.focusOn("answer " + question.name);
    const place = question.choices.indexOf(target.label.answers[question.name]);
    return answer(target, question, question.choices[place + 1] || "");
  };

  /**
   * @param {LabelTargetView} target
   * @param {QuestionView} question
   * @param {string} word
   * @param {number} place
   */
  const choice = (target, question, word, place) => {
    const isChosen = target.label.answers[question.name] === word;
    return html`<button type="button" class="hw-choice" aria-pressed=${isChosen}
      data-field=${place ? nothing : "answer " + question.name}
      @click=${() => answer(target, question, isChosen ? "" : word)}>${word}</button>`;
  };

  const answerField = (/** @type {LabelTargetView} */ target, /** @type {QuestionView} */ question) =>
    question.choices.length
      ? html`<div class="hw-choices" role="group" aria-label=${question.text}>${question.choices.map(
          (word, place) => choice(target, question, word, place),
        )}</div>`
      : html`<input class="hw-input" aria-label=${question.text} data-field="answer ${question.name}"
          .value=${target.label.answers[question.name] || ""}
          @change=${(event) => answer(current(target), question, event.target.value)}>`;

  const questions = (/** @type {LabelTargetView} */ target) =>
    desk
      .view()
      .project.questions.map(
        (question) =>
          html`<div class="hw-question"><span>${question.text}${
            question.is_required ? html`<span class="hw-note"> required</span>` : ""
          }${question.key ? html`<kbd>${question.key}</kbd>` : ""}</span>${answerField(target, question)}</div>`,
      );

  const staleNotice = (/** @type {LabelTargetView} */ target) => {
    const { stale } = desk.entryOf(target);
    const isStale = stale.includes(target.message);
    if (!isStale && (!stale.length || target.call === null)) return "";
    return html`<p class="hw-line t-warning"><span class="hw-word">${term("stale", "stale")}</span><span
      >${isStale ? "This message" : "Its result"} follows a correction. </span>${[
        actButton("Keep it", "a", () => desk.accept(target)),
        actButton("Regenerate", "g", () => desk.regenerateFrom(target)),
      ]}</p>`;
  };

  // The most frequent keys as buttons, for those without a keyboard.
  const acts = () =>
    html`<div class="hw-label-acts">${[
      actButton("Accept the rest", "A", () => desk.acceptRest()),
      actButton("Submit", "Enter", () => desk.submit()),
      actButton("Undo", "u", () => desk.undoLast()),
    ]}</div>`;

  // The panel of a call that the message lacks. Verdicts are on the message, but a reviewer can find it needless.
  const addedParts = (/** @type {LabelTargetView} */ target) => {
    const { form } = desk.draftOf(target);
    const numbered = target.verdicts.map((verdict, place) => verdictButton(target, verdict, place + 1));
    return [
      numbered.length ? group("Verdict on the call", numbered) : "",
      desk.editor(target),
      drawSchemas(desk.loaded(), form ? form.name : target.label.name),
    ];
  };

  const targetParts = (/** @type {LabelTargetView} */ target) => [
    staleNotice(target),
    verdicts(target),
    stars(target),
    desk.editor(target),
    drawSchemas(desk.loaded(), target.call === null ? "" : target.tool),
    tags(target),
    comment(target),
    questions(target),
  ];

  const panelOf = (/** @type {LabelTargetView} */ target) =>
    html`<h2>${target.title}</h2>${(target.is_added ? addedParts : targetParts)(target)}${acts()}${desk.otherLabels(
      target,
    )}`;

  let shownPanel = "";

  const drawPanel = () => {
    const target = desk.here();
    const json = JSON.stringify([
      target,
      target && desk.draftOf(target),
      target && desk.entryOf(target).stale,
      target && desk.messageTargetOf(target).label,
      desk.state.view && desk.view().project,
      target && [desk.isSaving(target), desk.state.refusals.get(keyOf(target))],
      desk.state.session,
    ]);
    const focused = panel.contains(document.activeElement) ? document.activeElement : null;
    const key = target ? keyOf(target) : "";
    // A field that has the focus keeps it, with its selection, when the panel is redrawn for the same target.
    const field = focused && panel.dataset.key === key ? focused.dataset.field : null;
    if (json === shownPanel) return;
    shownPanel = json;
    const { selectionStart: start, selectionEnd: end } = field ? focused : {};
    const typed = field ? focused.value : "";
    panel.dataset.key = key;
    desk.state.isDrawing = true;
    panel.replaceChildren(target ? once(panelOf(target)) : hint("Select a message or a call."));
    desk.state.isDrawing = false;
    const sameField = field
      ? [...panel.querySelectorAll("[data-field]")].find((other) => other.dataset.field === field)
      : null;
    if (!sameField) return;
    sameField.focus();
    // A part of a tool's name is not in the draft.
    if (field === "tool" && typed !== sameField.value) {
      sameField.value = typed;
      sameField.dispatchEvent(new Event("input"));
    }
    if (Number.isInteger(start) && sameField.setSelectionRange) sameField.setSelectionRange(start, end);
  };

  Object.assign(desk, { panel, judge, rate, addTag, saveComment, answerByKey, drawPanel });
};
