// The Label tab, right: the label of the selected message or call.
import { hint, iconButton, node, term } from "../shared/dom.js";
import { actButton } from "./label_form.js";
import { keyOf } from "./label_overlay.js";
import { drawSchemas } from "./label_tools.js";

// How each verdict is shown.
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

  const judge = (target, verdict) =>
    desk.change(target, { verdict: target.label.verdict === verdict ? null : verdict });

  const rate = (target, rating) =>
    desk.change(target, { rating: target.label.rating === rating ? null : rating });

  const verdictButton = (target, verdict, key) =>
    node(
      "button",
      {
        type: "button",
        class: "hw-verdict",
        "aria-pressed": String(target.label.verdict === verdict),
        onclick: () => judge(target, verdict),
      },
      node("kbd", {}, key),
      WORDS[verdict],
    );

  const group = (name, ...parts) => node("div", { role: "group", "aria-label": name }, parts);

  const verdicts = (target) => {
    if (!target.verdicts.length) return null;
    const message = desk.messageTargetOf(target);
    const numbered = (place) => verdictButton(target, target.verdicts[place], String(place + 1));
    if (target.verdicts.includes("tie"))
      return node(
        "div",
        { class: "hw-verdicts" },
        group(
          "Verdict on the pair",
          target.verdicts.map((_, place) => numbered(place)),
        ),
      );
    const ofCall = target.call === null ? [] : target.verdicts.map((_, place) => numbered(place));
    const keys = { good: target.call === null ? "1" : "", "missing-call": "6", "bad-answer": "7" };
    const ofMessage = message.verdicts
      .filter((verdict) => verdict in keys)
      .map((verdict) => verdictButton(message, verdict, keys[verdict]));
    return node(
      "div",
      { class: "hw-verdicts" },
      ofCall.length ? group("Verdict on the call", ofCall) : null,
      ofMessage.length
        ? group(
            "Verdict on the message",
            ofCall.length ? node("span", { class: "hw-note" }, "message:") : null,
            ofMessage,
          )
        : null,
    );
  };

  const stars = (target) =>
    node(
      "div",
      { class: "hw-stars", role: "group", "aria-label": "Rating" },
      [1, 2, 3, 4, 5].map((rating) =>
        node(
          "button",
          {
            type: "button",
            class: "hw-star",
            "aria-label": rating + " of 5",
            "aria-pressed": String(target.label.rating === rating),
            onclick: () => rate(target, rating),
          },
          rating <= target.label.rating ? "★" : "☆",
        ),
      ),
      node("span", { class: "hw-note" }, "Shift+1…5"),
    );

  const addTag = (target, text) => {
    const tag = text.trim();
    desk.keepDraft(target, { tag: null });
    if (tag && !target.label.tags.includes(tag)) desk.change(target, { ["tag:" + tag]: true });
  };

  // The target as it is now. Fields are drawn for what it was.
  const current = (target) => desk.targets().find((other) => keyOf(other) === keyOf(target)) || target;

  const takeTag = (target, field) => {
    const text = field.value;
    field.value = "";
    addTag(current(target), text);
  };

  const tags = (target) => {
    const field = node("input", {
      class: "hw-input",
      placeholder: "Add a tag",
      "aria-label": "Add a tag",
      "data-field": "tag",
      value: desk.draftOf(target).tag || "",
      oninput: () => desk.keepDraft(target, { tag: field.value || null }),
      onkeydown: (event) => {
        if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
          event.preventDefault();
          takeTag(target, field);
        }
      },
      onblur: () => {
        if (!desk.state.isDrawing && field.value) takeTag(target, field);
      },
    });
    return node(
      "div",
      { class: "hw-tagging" },
      target.label.tags.map((tag) =>
        node(
          "span",
          { class: "hw-tag" },
          tag,
          iconButton("cross", "Remove tag " + tag, () => desk.change(target, { ["tag:" + tag]: null })),
        ),
      ),
      field,
    );
  };

  const saveComment = (target) => {
    const draft = desk.draftOf(target).comment;
    if (draft === undefined) return;
    desk.keepDraft(target, { comment: null });
    if (draft !== current(target).label.comment) desk.change(target, { comment: draft || null });
  };

  const comment = (target) => {
    const draft = desk.draftOf(target).comment;
    const field = node("textarea", {
      class: "hw-input",
      rows: 2,
      placeholder: "Comment",
      "aria-label": "Comment",
      "data-field": "comment",
      oninput: () => desk.keepDraft(target, { comment: field.value }),
      onblur: () => {
        if (!desk.state.isDrawing) saveComment(target);
      },
    });
    field.value = draft === undefined ? target.label.comment : draft;
    return field;
  };

  const answer = (target, question, value) =>
    desk.change(target, { ["answer:" + question.name]: value || null });

  // The key of a question: the next choice, or its field.
  const answerByKey = (target, question) => {
    if (!question.choices.length) return desk.focusOn("answer " + question.name);
    const place = question.choices.indexOf(target.label.answers[question.name]);
    return answer(target, question, question.choices[place + 1] || "");
  };

  const choices = (target, question) =>
    node(
      "div",
      { class: "hw-choices", role: "group", "aria-label": question.text },
      question.choices.map((choice, place) =>
        node(
          "button",
          {
            type: "button",
            class: "hw-choice",
            "data-field": place ? null : "answer " + question.name,
            "aria-pressed": String(target.label.answers[question.name] === choice),
            onclick: () =>
              answer(target, question, target.label.answers[question.name] === choice ? "" : choice),
          },
          choice,
        ),
      ),
    );

  const answerField = (target, question) => {
    const field = node("input", {
      class: "hw-input",
      "aria-label": question.text,
      "data-field": "answer " + question.name,
      onchange: () => answer(current(target), question, field.value),
    });
    field.value = target.label.answers[question.name] || "";
    return field;
  };

  const questions = (target) =>
    desk.state.view.project.questions.map((question) =>
      node(
        "div",
        { class: "hw-question" },
        node(
          "span",
          {},
          question.text,
          question.is_required ? node("span", { class: "hw-note" }, " required") : null,
          question.key ? node("kbd", {}, question.key) : null,
        ),
        question.choices.length ? choices(target, question) : answerField(target, question),
      ),
    );

  const staleNotice = (target) => {
    const { stale } = desk.entryOf(target);
    const isStale = stale.includes(target.message);
    if (!isStale && (!stale.length || target.call === null)) return null;
    return node(
      "p",
      { class: "hw-line t-warning" },
      node("span", { class: "hw-word" }, term("stale", "stale")),
      node("span", {}, (isStale ? "This message" : "Its result") + " follows a correction. "),
      actButton("Keep it", "a", () => desk.accept(target)),
      actButton("Regenerate", "g", () => desk.regenerateFrom(target)),
    );
  };

  // The most frequent keys as buttons, for those without a keyboard.
  const acts = () =>
    node(
      "div",
      { class: "hw-label-acts" },
      actButton("Accept the rest", "A", () => desk.acceptRest()),
      actButton("Submit", "Enter", () => desk.submit()),
      actButton("Undo", "u", () => desk.undoLast()),
    );

  // The panel of a call that the message lacks. Verdicts are on the message, but a reviewer can find it needless.
  const addedParts = (target) => {
    const { form } = desk.draftOf(target);
    return [
      node("h2", {}, target.title),
      target.verdicts.length
        ? group(
            "Verdict on the call",
            target.verdicts.map((verdict, place) => verdictButton(target, verdict, String(place + 1))),
          )
        : null,
      desk.editor(target),
      ...drawSchemas(desk.talk(), form ? form.name : target.label.name),
      acts(),
      ...desk.otherLabels(target),
    ];
  };

  const panelParts = (target) => [
    node("h2", {}, target.title),
    staleNotice(target),
    verdicts(target),
    stars(target),
    desk.editor(target),
    ...drawSchemas(desk.talk(), target.call === null ? "" : target.tool),
    tags(target),
    comment(target),
    ...questions(target),
    acts(),
    ...desk.otherLabels(target),
  ];

  let shownPanel = "";

  const drawPanel = () => {
    const target = desk.here();
    const json = JSON.stringify([
      target,
      target && desk.draftOf(target),
      target && desk.entryOf(target).stale,
      target && desk.messageTargetOf(target).label,
      desk.state.view && desk.state.view.project,
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
    panel.replaceChildren(
      ...(target
        ? (target.is_added ? addedParts : panelParts)(target).filter(Boolean)
        : [hint("Select a message or a call.")]),
    );
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
