// The labelling desk, right: what the labeller says of the target under the cursor.
import { hint, iconButton, node } from "./dom.js";
import { keyOf } from "./label_state.js";

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
    desk.change(target, (said) => ({ verdict: said.verdict === verdict ? "" : verdict }));

  const rate = (target, rating) =>
    desk.change(target, (said) => ({ rating: said.rating === rating ? 0 : rating }));

  const verdictButton = (target, verdict, key) =>
    node(
      "button",
      {
        type: "button",
        class: "hw-verdict",
        "aria-pressed": String(target.said.verdict === verdict),
        onclick: () => judge(target, verdict),
      },
      node("kbd", {}, key),
      WORDS[verdict],
    );

  const verdicts = (target) => {
    const all = desk.state.view.verdicts;
    const itself = desk.itselfOf(target);
    const ofCall =
      target.call === null
        ? []
        : all.slice(0, 5).map((verdict, place) => verdictButton(target, verdict, String(place + 1)));
    const ofMessage = [
      ["good", target.call === null ? "1" : ""],
      [all[5], "6"],
      [all[6], "7"],
    ].map(([verdict, key]) => verdictButton(itself, verdict, key));
    if (target.role !== "model") return null;
    return node(
      "div",
      { class: "hw-verdicts" },
      ofCall.length ? node("div", { role: "group", "aria-label": "Verdict of the call" }, ofCall) : null,
      node(
        "div",
        { role: "group", "aria-label": "Verdict of the message" },
        ofCall.length ? node("span", { class: "hw-note" }, "of its message") : null,
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
            "aria-pressed": String(target.said.rating === rating),
            onclick: () => rate(target, rating),
          },
          rating <= target.said.rating ? "★" : "☆",
        ),
      ),
      node("span", { class: "hw-note" }, "Shift+1…5"),
    );

  const addTag = (target, field) => {
    const tag = field.value.trim();
    desk.keepDraft(target, { tag: null });
    field.value = "";
    if (tag && !target.said.tags.includes(tag))
      desk.change(target, (said) => ({ tags: [...said.tags, tag] }));
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
      target.said.tags.map((tag) =>
        node(
          "span",
          { class: "hw-tag" },
          tag,
          iconButton("cross", "Remove the tag " + tag, () =>
            desk.change(target, (said) => ({ tags: said.tags.filter((one) => one !== tag) })),
          ),
        ),
      ),
      field,
    );
  };

  const saveComment = (target) => {
    const draft = desk.draftOf(target).comment;
    if (draft === undefined) return;
    if (draft === target.said.comment) return desk.keepDraft(target, { comment: null });
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
    field.value = draft === undefined ? target.said.comment : draft;
    return field;
  };

  const answer = (target, question, value) =>
    desk.change(target, (said) => ({ answers: { ...said.answers, [question.name]: value } }));

  const asked = (target) =>
    desk.state.view.project.questions.map((question) => {
      const value = target.said.answers[question.name] || "";
      const made = question.choices.length
        ? node(
            "select",
            {
              class: "hw-input",
              "data-field": "answer " + question.name,
              onchange: () => answer(target, question, made.value),
            },
            node("option", { value: "" }, "no answer"),
            question.choices.map((choice) => node("option", { value: choice }, choice)),
          )
        : node("input", {
            class: "hw-input",
            "data-field": "answer " + question.name,
            onchange: () => answer(target, question, made.value),
          });
      made.value = value;
      return node("label", { class: "hw-question" }, node("span", {}, question.text), made);
    });

  const doubts = (target) => {
    const entry = desk.entryOf(target);
    if (!entry.stale.length) return null;
    return node(
      "p",
      { class: "hw-line t-warning" },
      node("span", { class: "hw-word" }, "stale"),
      node("span", {}, "It follows a correction. "),
      node(
        "button",
        { type: "button", class: "hw-act", onclick: () => desk.accept(target) },
        "It holds",
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
    doubts(target),
    verdicts(target),
    stars(target),
    desk.editor(target),
    tags(target),
    comment(target),
    ...asked(target),
    ...target.others.map((other) => node("p", { class: "hw-line t-quiet" }, node("span", {}, other))),
  ];

  let shownPanel = "";

  const drawPanel = () => {
    const target = desk.here();
    const drawn = JSON.stringify([
      target,
      target && desk.draftOf(target),
      target && desk.entryOf(target).stale,
      desk.state.view && desk.state.view.project,
      desk.talk() && Object.keys(desk.talk().tools),
    ]);
    const focused = panel.contains(document.activeElement) ? document.activeElement : null;
    const same = target ? keyOf(target) : "";
    // A field that is being written in is not torn from under the person.
    const field = focused && panel.dataset.key === same ? focused.dataset.field : null;
    if (drawn === shownPanel) return;
    shownPanel = drawn;
    const caret = field && focused.selectionStart !== undefined ? focused.selectionStart : null;
    panel.dataset.key = same;
    desk.state.isDrawing = true;
    panel.replaceChildren(
      ...(target ? panelParts(target).filter(Boolean) : [hint("Choose a message or a call.")]),
    );
    desk.state.isDrawing = false;
    const again = field
      ? [...panel.querySelectorAll("[data-field]")].find((one) => one.dataset.field === field)
      : null;
    if (!again) return;
    again.focus();
    if (caret !== null && again.setSelectionRange) again.setSelectionRange(caret, caret);
  };

  Object.assign(desk, { panel, judge, rate, drawPanel });
};
