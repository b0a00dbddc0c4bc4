// The Label tab, middle: the conversation with its cursor, and the training row that it becomes.
import { node } from "../shared/dom.js";
import { emptyPlace } from "../shared/empty_place.js";
import { WORDS } from "./label_panel.js";
import { isFree, keyOf } from "./label_overlay.js";
import { blocks } from "../shared/blocks.js";

const BAD = {
  "wrong-tool": 1,
  "bad-arguments": 1,
  needless: 1,
  "should-ask": 1,
  "missing-call": 1,
  "bad-answer": 1,
  "both-bad": 1,
};

// What the label of a message or call says, in one line; null if there is no label.
const chip = (target) => {
  const label = target.label;
  const words = [
    label.verdict ? WORDS[label.verdict] : "",
    label.rating ? label.rating + "/5" : "",
    ...label.tags,
    label.comment ? "“" + label.comment + "”" : "",
  ];
  const text = words.filter(Boolean).join(" · ");
  return text
    ? node(
        "span",
        { class: "hw-said" + (!label.verdict ? " is-open" : label.verdict in BAD ? " is-bad" : "") },
        text,
      )
    : null;
};

// The corrected call or text of a label; null if there is none.
export const drawCorrection = (label) => {
  if (label.name) return node("code", {}, label.name + " " + label.arguments);
  return label.text === null ? null : node("pre", {}, label.text);
};

const correction = (target) => {
  const drawn = drawCorrection(target.label);
  if (!drawn) return null;
  return node("div", { class: "hw-correction" }, node("span", { class: "hw-word" }, "corrected"), drawn);
};

/** @param {Desk} desk */
export const addConversation = (desk) => {
  const list = node("ol", { class: "hw-entries", "aria-label": "Conversation to label", tabindex: "-1" });
  const row = node("div", { class: "hw-label-row", role: "status", "aria-label": "Training row" });
  const hint = node("div", { class: "hw-label-hint" });
  window.addEventListener("hw:demo", () => desk.refresh());

  const pick = (target) => {
    desk.state.at = keyOf(target);
    desk.inTab("at:" + desk.state.session, desk.state.at);
    mark();
    desk.drawPanel();
  };

  // A call goes before an answer, or after the other calls of its message.
  const withAdded = (item, body) => {
    const last = item.entry.blocks.findLastIndex((block) => block.kind === "call");
    const added = item.targets.filter((target) => target.is_added).map(drawAdded);
    return [...body.slice(0, last + 1), ...added, ...body.slice(last + 1)];
  };

  const staleWord = () => node("span", { class: "hw-stale" }, "stale");

  // A call that an annotator added, and the place for the next one, which is visible while it is selected.
  const drawAdded = (target) => {
    const { name, result } = target.label;
    const values = Object.entries(name ? JSON.parse(target.label.arguments) : {});
    const element = blocks.call({
      index: target.call,
      name: name || "missing call",
      status: name ? "added" : "",
      tone: "fix",
      arguments: values.map(([field, value]) => ({ name: field, value: JSON.stringify(value) })),
      notes: name && !result ? ["It has no result yet."] : [],
      result: result ? { text: result, is_error: false, note: "" } : null,
    });
    if (!name) element.querySelector(".hw-arguments").remove();
    element.classList.add("hw-added");
    element.classList.toggle("is-free", isFree(target));
    element.dataset.key = keyOf(target);
    return element;
  };

  const drawEntry = (item) => {
    const messageTarget = item.targets.at(-1);
    const isStale = item.stale.includes(item.entry.id);
    const body = item.entry.blocks.map((block) => {
      const element = blocks[block.kind](block);
      if (block.kind !== "call") return element;
      const target = item.targets[block.index];
      element.dataset.key = keyOf(target);
      const parts = [chip(target), correction(target)].filter(Boolean);
      const result = element.querySelector(".hw-result");
      const resultTarget = block.result && item.targets.find((other) => other.message === block.result.id);
      if (result && resultTarget) {
        result.dataset.key = keyOf(resultTarget);
        if (item.stale.includes(resultTarget.message)) {
          result.classList.add("is-stale");
          result.firstChild.after(staleWord());
        }
        result.before(...parts);
        result.after(...[chip(resultTarget), correction(resultTarget)].filter(Boolean));
      } else element.append(...parts);
      return element;
    });
    const row = node(
      "li",
      {
        class: "hw-entry r-" + item.entry.role + (isStale ? " is-stale" : ""),
        "data-id": item.entry.id,
        "data-key": keyOf(messageTarget),
      },
      node("span", { class: "hw-role" }, item.entry.role, isStale ? staleWord() : null),
      node(
        "div",
        { class: "hw-body" },
        withAdded(item, body),
        item.entry.note ? node("div", { class: "hw-note hw-end" }, item.entry.note) : null,
        chip(messageTarget),
        correction(messageTarget),
      ),
    );
    row.addEventListener("click", (event) => {
      if (event.target.closest("summary") || String(getSelection())) return;
      const key = event.target.closest("[data-key]").dataset.key;
      // While the next conversation loads, the previous one is still drawn.
      const entry = desk.entries().find((other) => other.entry.id === item.entry.id);
      const target = entry && entry.targets.find((other) => keyOf(other) === key);
      if (target) pick(target);
    });
    return row;
  };

  // A message of the answer that is not on the shown path. It is only read.
  const drawOther = (entry) =>
    node(
      "li",
      { class: "hw-entry r-" + entry.role, "data-id": entry.id },
      node("span", { class: "hw-role" }, entry.role),
      node(
        "div",
        { class: "hw-body" },
        entry.blocks.map((block) => blocks[block.kind](block)),
      ),
    );

  const answer = (name, verdict, isChosen, parts) =>
    node(
      "section",
      { class: "hw-answer" + (isChosen ? " is-chosen" : ""), "aria-label": name + " answer" },
      node("h4", {}, name, node("span", { class: "hw-note" }, verdict)),
      node("ol", { class: "hw-entries" }, parts),
    );

  // The entries. From where a preference pair begins, both answers are beside each other.
  const drawEntries = () => {
    const { entries, other, pair } = desk.conversation();
    const start = pair ? entries.findIndex((item) => item.entry.id === pair) : -1;
    if (start < 0) return entries.map(drawEntry);
    const verdict = entries[start].targets.at(-1).label.verdict;
    return [
      ...entries.slice(0, start).map(drawEntry),
      node(
        "li",
        { class: "hw-pair" },
        answer(
          "First",
          "imported as better",
          verdict === "first-better",
          entries.slice(start).map(drawEntry),
        ),
        answer("Second", "imported as worse", verdict === "second-better", other.map(drawOther)),
      ),
    ];
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

  let shownConversation = "";

  const drawConversation = () => {
    hint.hidden = Boolean(desk.conversation());
    list.hidden = row.hidden = !desk.conversation();
    const { view } = desk.state;
    hint.replaceChildren(view?.hint ? node("p", {}, view.hint) : view ? emptyPlace("label") : "");
    list.setAttribute("aria-busy", String(desk.isBlocked()));
    if (!desk.conversation()) {
      // While the next conversation loads, the previous one stays, greyed out.
      hint.hidden = desk.state.isLoading;
      list.hidden = !desk.state.isLoading;
      if (!desk.state.isLoading) list.replaceChildren();
      shownConversation = "";
      return;
    }
    const json = JSON.stringify(desk.conversation());
    if (json !== shownConversation) {
      shownConversation = json;
      const folds = [...list.querySelectorAll("details")].map((fold) => fold.open);
      const isSame = list.dataset.session === desk.conversation().id;
      list.dataset.session = desk.conversation().id;
      list.replaceChildren(...drawEntries());
      if (isSame)
        list.querySelectorAll("details").forEach((fold, place) => {
          fold.open = Boolean(folds[place]);
        });
    }
    mark();
    row.replaceChildren(
      ...desk
        .conversation()
        .row.map((line) =>
          node(
            "p",
            { class: "hw-line t-" + line.tone },
            node("span", { class: "hw-word" }, line.word),
            node("span", {}, line.text),
          ),
        ),
    );
  };

  Object.assign(desk, { list, hint, row, pick, drawConversation });
};
