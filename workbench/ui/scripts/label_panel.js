// The Label tab, right: the label of the selected message or call.
import { hint, iconButton, node, term } from "./dom.js";
import { keyOf } from "./label_state.js";

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
};

export const addPanel = (desk) => {
  const panel = node("aside", { class: "hw-label-panel", "aria-label": "Verdict" });

  const judge = (target, verdict) =>
    desk.change(target, (label) => ({ verdict: label.verdict === verdict ? "" : verdict }));

  const rate = (target, rating) =>
    desk.change(target, (label) => ({ rating: label.rating === rating ? 0 : rating }));

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

  const verdicts = (target) => {
    const all = desk.state.view.verdicts;
    const messageTarget = desk.messageTargetOf(target);
    const ofCall =
      target.call === null
        ? []
        : all.slice(0, 5).map((verdict, place) => verdictButton(target, verdict, String(place + 1)));
    const ofMessage = [
      ["good", target.call === null ? "1" : ""],
      [all[5], "6"],
      [all[6], "7"],
    ].map(([verdict, key]) => verdictButton(messageTarget, verdict, key));
    if (target.role !== "model") return null;
    return node(
      "div",
      { class: "hw-verdicts" },
      ofCall.length ? node("div", { role: "group", "aria-label": "Verdict on the call" }, ofCall) : null,
      node(
        "div",
        { role: "group", "aria-label": "Verdict on the message" },
        ofCall.length ? node("span", { class: "hw-note" }, "message:") : null,
        ofMessage,
      ),
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

  const addTag = (target, field) => {
    const tag = field.value.trim();
    desk.keepDraft(target, { tag: null });
    field.value = "";
    if (tag && !target.label.tags.includes(tag))
      desk.change(target, (label) => ({ tags: [...label.tags, tag] }));
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
          addTag(target, field);
        }
      },
      onblur: () => {
        if (!desk.state.isDrawing) addTag(target, field);
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
          iconButton("cross", "Remove tag " + tag, () =>
            desk.change(target, (label) => ({ tags: label.tags.filter((other) => other !== tag) })),
          ),
        ),
      ),
      field,
    );
  };

  const saveComment = (target) => {
    const draft = desk.draftOf(target).comment;
    if (draft === undefined) return;
    if (draft === target.label.comment) return desk.keepDraft(target, { comment: null });
    desk.change(target, { comment: draft });
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
    desk.change(target, (label) => ({ answers: { ...label.answers, [question.name]: value } }));

  const questions = (target) =>
    desk.state.view.project.questions.map((question) => {
      const value = target.label.answers[question.name] || "";
      const field = question.choices.length
        ? node(
            "select",
            {
              class: "hw-input",
              "data-field": "answer " + question.name,
              onchange: () => answer(target, question, field.value),
            },
            node("option", { value: "" }, "no answer"),
            question.choices.map((choice) => node("option", { value: choice }, choice)),
          )
        : node("input", {
            class: "hw-input",
            "data-field": "answer " + question.name,
            onchange: () => answer(target, question, field.value),
          });
      field.value = value;
      return node("label", { class: "hw-question" }, node("span", {}, question.text), field);
    });

  const staleNotice = (target) => {
    const entry = desk.entryOf(target);
    if (!entry.stale.length) return null;
    return node(
      "p",
      { class: "hw-line t-warning" },
      node("span", { class: "hw-word" }, term("stale", "stale")),
      node("span", {}, "This message follows a correction. "),
      node(
        "button",
        { type: "button", class: "hw-act", onclick: () => desk.accept(target) },
        "Keep it",
        node("kbd", {}, "a"),
      ),
      node(
        "button",
        { type: "button", class: "hw-act", onclick: () => desk.regenerate(target) },
        "Regenerate",
        node("kbd", {}, "g"),
      ),
    );
  };

  const panelParts = (target) => [
    node("h3", {}, target.title),
    staleNotice(target),
    verdicts(target),
    stars(target),
    desk.editor(target),
    tags(target),
    comment(target),
    ...questions(target),
    ...target.others.map((other) => node("p", { class: "hw-line t-quiet" }, node("span", {}, other))),
  ];

  let shownPanel = "";

  const drawPanel = () => {
    const target = desk.here();
    const json = JSON.stringify([
      target,
      target && desk.draftOf(target),
      target && desk.entryOf(target).stale,
      desk.state.view && desk.state.view.project,
      desk.talk() && Object.keys(desk.talk().tools),
    ]);
    const focused = panel.contains(document.activeElement) ? document.activeElement : null;
    const key = target ? keyOf(target) : "";
    // A field that has the focus keeps it, with its caret, when the panel is redrawn for the same target.
    const field = focused && panel.dataset.key === key ? focused.dataset.field : null;
    if (json === shownPanel) return;
    shownPanel = json;
    const caret = field && focused.selectionStart !== undefined ? focused.selectionStart : null;
    panel.dataset.key = key;
    desk.state.isDrawing = true;
    panel.replaceChildren(
      ...(target ? panelParts(target).filter(Boolean) : [hint("Select a message or a call.")]),
    );
    desk.state.isDrawing = false;
    const sameField = field
      ? [...panel.querySelectorAll("[data-field]")].find((other) => other.dataset.field === field)
      : null;
    if (!sameField) return;
    sameField.focus();
    if (caret !== null && sameField.setSelectionRange) sameField.setSelectionRange(caret, caret);
  };

  Object.assign(desk, { panel, judge, rate, drawPanel });
};
