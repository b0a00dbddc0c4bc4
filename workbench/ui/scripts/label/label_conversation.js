// The Label tab, middle: the conversation with its cursor, and the training row that it becomes.
import { codedText, node } from "../shared/dom.js";
import { emptyPlace } from "../shared/empty_place.js";
import { html, render, repeat } from "../shared/lit_html.js";
import { WORDS } from "./label_panel.js";
import { isFree, keyOf } from "./label_overlay.js";
import { callHead, drawBlock, drawCall, staleWord } from "../shared/blocks.js";

const BAD = [
  "wrong-tool",
  "bad-arguments",
  "needless",
  "should-ask",
  "missing-call",
  "bad-answer",
  "both-bad",
];

// What the label of a message or call says, in one line; empty if there is no label.
const chip = (/** @type {LabelTargetView} */ { label }) => {
  const text = [
    label.verdict ? WORDS[label.verdict] : "",
    label.rating ? label.rating + "/5" : "",
    ...label.tags,
    label.comment ? "“" + label.comment + "”" : "",
  ]
    .filter(Boolean)
    .join(" · ");
  const tone = !label.verdict ? " is-open" : BAD.includes(label.verdict) ? " is-bad" : "";
  return text ? html`<span class="hw-said${tone}">${text}</span>` : "";
};

// The corrected call or text of a label; empty if there is none.
export const drawCorrection = (/** @type {LabelView} */ label) => {
  if (label.name) return html`<code>${label.name} ${label.arguments}</code>`;
  return label.text === null ? "" : html`<pre>${label.text}</pre>`;
};

// What a label says about a message or call, with its correction.
const said = (/** @type {LabelTargetView} */ target) => {
  const drawn = drawCorrection(target.label);
  return [
    chip(target),
    drawn ? html`<div class="hw-correction"><span class="hw-word">corrected</span>${drawn}</div>` : "",
  ];
};

/** @param {Desk} desk */
export const addConversation = (desk) => {
  const list = node("ol", { class: "hw-entries", "aria-label": "Conversation to label", tabindex: "-1" });
  const row = node("div", { class: "hw-label-row", role: "status", "aria-label": "Training row" });
  const hint = node("div", { class: "hw-label-hint" });
  window.addEventListener("hw:demo", () => desk.refresh());

  const pick = (/** @type {LabelTargetView} */ target) => {
    desk.state.at = keyOf(target);
    desk.inTab("at:" + desk.state.session, desk.state.at);
    mark();
    desk.drawPanel();
  };

  // A call that an annotator added, and the place for the next one, which is visible while it is selected.
  const drawAdded = (/** @type {LabelTargetView} */ target) => {
    const { name, result } = target.label;
    const kind = " hw-added" + (isFree(target) ? " is-free" : "");
    if (!name)
      return html`<div class="hw-call${kind}" data-key=${keyOf(target)}>${callHead(
        html`<strong class="hw-mono">missing call</strong>`,
        "",
      )}</div>`;
    const values = Object.entries(JSON.parse(target.label.arguments));
    return drawCall(
      {
        kind: "call",
        index: target.call ?? 0,
        name,
        status: "added",
        tone: "fix",
        arguments: values.map(([field, value]) => ({ name: field, value: JSON.stringify(value) })),
        notes: result ? [] : ["It has no result yet."],
        result: result ? { id: "", text: result, is_error: false, note: "", changes: [] } : null,
      },
      { key: keyOf(target), kind },
    );
  };

  const drawLabelled = (/** @type {LabelEntry} */ item, /** @type {CallCard} */ call) => {
    const target = item.targets[call.index];
    const ofResult = call.result && item.targets.find((other) => other.message === call.result?.id);
    return drawCall(call, {
      key: keyOf(target),
      said: said(target),
      result: ofResult && {
        key: keyOf(ofResult),
        isStale: item.stale.includes(ofResult.message),
        said: said(ofResult),
      },
    });
  };

  const onClick = (/** @type {PageEvent} */ { target: clicked, currentTarget: row }) => {
    if (clicked.closest("summary") || String(getSelection())) return;
    const { key } = clicked.closest("[data-key]").dataset;
    // While the next conversation loads, the previous one is still drawn.
    const entry = desk.entries().find((other) => other.entry.id === row.dataset.id);
    const target = entry?.targets.find((other) => keyOf(other) === key);
    if (target) pick(target);
  };

  const drawEntry = (/** @type {LabelEntry} */ item) => {
    const { id, role, note, blocks } = item.entry;
    const ofMessage = item.targets[item.targets.length - 1];
    const isStale = item.stale.includes(id);
    // An added call goes before an answer, or after the other calls of its message.
    const last = blocks.findLastIndex((block) => block.kind === "call");
    const body = blocks.map((block) =>
      block.kind === "call" ? drawLabelled(item, /** @type {CallCard} */ (block)) : drawBlock(block),
    );
    const added = item.targets.filter((target) => target.is_added).map(drawAdded);
    return html`<li class="hw-entry r-${role}${isStale ? " is-stale" : ""}" data-id=${id} data-key=${keyOf(ofMessage)}
      @click=${onClick}><span class="hw-role">${role}${isStale ? staleWord() : ""}</span><div class="hw-body"
      >${body.slice(0, last + 1)}${added}${body.slice(last + 1)}${
        note ? html`<div class="hw-note hw-end">${note}</div>` : ""
      }${said(ofMessage)}</div></li>`;
  };

  // A message of the answer that is not on the shown path. It is only read.
  const drawOther = (/** @type {TranscriptEntry} */ { id, role, blocks }) =>
    html`<li class="hw-entry r-${role}" data-id=${id}><span class="hw-role">${role}</span><div class="hw-body">${blocks.map(
      drawBlock,
    )}</div></li>`;

  /** @param {string} name @param {string} origin @param {boolean} isChosen @param {Drawable} entries */
  const answer = (name, origin, isChosen, entries) =>
    html`<section class="hw-answer${isChosen ? " is-chosen" : ""}" aria-label="${name} answer"><h4>${name}<span
      class="hw-note">${origin}</span></h4><ol class="hw-entries">${entries}</ol></section>`;

  const drawAll = (/** @type {LabelEntry[]} */ entries) =>
    repeat(entries, (item) => item.entry.id, drawEntry);

  // The entries. From where a preference pair begins, both answers are beside each other.
  const drawEntries = (/** @type {ConversationView} */ { entries, other, pair }) => {
    const start = pair ? entries.findIndex((item) => item.entry.id === pair) : -1;
    if (start < 0) return drawAll(entries);
    const verdict = entries[start].targets.at(-1)?.label.verdict;
    return html`${drawAll(entries.slice(0, start))}<li class="hw-pair">${answer(
      "First",
      "imported as better",
      verdict === "first-better",
      drawAll(entries.slice(start)),
    )}${answer("Second", "imported as worse", verdict === "second-better", other.map(drawOther))}</li>`;
  };

  const mark = () => {
    for (const other of list.querySelectorAll("[data-key]")) {
      const isHere = other.dataset.key === desk.state.at;
      other.classList.toggle("is-here", isHere);
      if (isHere) {
        other.setAttribute("aria-current", "true");
        other.scrollIntoView({ block: "nearest" });
      } else other.removeAttribute("aria-current");
    }
  };

  const drawConversation = () => {
    const conversation = desk.conversation();
    const { view, isLoading } = desk.state;
    render(view?.hint ? html`<p>${view.hint}</p>` : view ? emptyPlace("label") : "", hint);
    // While the next conversation loads, the previous one stays, greyed out.
    hint.hidden = Boolean(conversation) || isLoading;
    list.hidden = !conversation && !isLoading;
    row.hidden = !conversation;
    list.setAttribute("aria-busy", String(desk.isBlocked()));
    if (!conversation) {
      if (!isLoading) render("", list);
      return;
    }
    list.dataset.session = conversation.id;
    render(drawEntries(conversation), list);
    mark();
    render(
      conversation.row.map(
        (line) =>
          html`<p class="hw-line t-${line.tone}"><span class="hw-word">${line.word}</span><span>${codedText(line)}</span></p>`,
      ),
      row,
    );
  };

  Object.assign(desk, { list, hint, row, pick, drawConversation });
};
