// The Label tab, middle: the conversation with its cursor, and the training row that it becomes.
import { node } from "./dom.js";
import { WORDS } from "./label_panel.js";
import { SEAT, keyOf } from "./label_state.js";
import { blocks } from "./blocks.js";

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
        {
          class:
            "hw-said" +
            (!label.verdict ? " is-open" : ["right", "good"].includes(label.verdict) ? "" : " is-bad"),
        },
        text,
      )
    : null;
};

const correction = (target) => {
  const label = target.label;
  if (label.name)
    return node(
      "div",
      { class: "hw-correction" },
      node("span", { class: "hw-word" }, "corrected"),
      node("code", {}, label.name + " " + label.arguments),
    );
  if (label.text !== null)
    return node(
      "div",
      { class: "hw-correction" },
      node("span", { class: "hw-word" }, "corrected"),
      node("pre", {}, label.text),
    );
  return null;
};

export const addTalk = (desk) => {
  const list = node("ol", { class: "hw-entries", "aria-label": "Conversation to label" });
  const row = node("div", { class: "hw-label-row", role: "status", "aria-label": "Training row" });
  const hint = node("div", { class: "hw-empty" });

  const pick = (target) => {
    desk.state.at = keyOf(target);
    try {
      sessionStorage.setItem(SEAT + ":at:" + desk.talk().id, desk.state.at);
    } catch {
      // Storage is forbidden.
    }
    mark();
    desk.drawPanel();
  };

  const drawEntry = (item) => {
    const messageTarget = item.targets.at(-1);
    const body = item.entry.blocks.map((block) => {
      const element = blocks[block.kind](block);
      if (block.kind !== "call") return element;
      const target = item.targets[block.index];
      element.dataset.key = keyOf(target);
      element.append(...[chip(target), correction(target)].filter(Boolean));
      return element;
    });
    const row = node(
      "li",
      {
        class: "hw-entry r-" + item.entry.role + (item.stale.length ? " is-stale" : ""),
        "data-id": item.entry.id,
        "data-key": keyOf(messageTarget),
      },
      node(
        "span",
        { class: "hw-role" },
        item.entry.role,
        item.stale.length ? node("span", { class: "hw-stale" }, "stale") : null,
      ),
      node(
        "div",
        { class: "hw-body" },
        body,
        item.entry.note ? node("div", { class: "hw-note hw-end" }, item.entry.note) : null,
        chip(messageTarget),
        correction(messageTarget),
      ),
    );
    row.addEventListener("click", (event) => {
      if (event.target.closest("summary") || String(getSelection())) return;
      const key = event.target.closest("[data-key]").dataset.key;
      pick(item.targets.find((target) => keyOf(target) === key));
    });
    return row;
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

  let shownTalk = "";

  const drawTalk = () => {
    hint.hidden = Boolean(desk.talk());
    list.hidden = row.hidden = !desk.talk();
    hint.replaceChildren(
      node("h2", {}, "Label conversations"),
      node("p", {}, desk.state.view ? desk.state.view.hint : ""),
    );
    if (!desk.talk()) {
      list.replaceChildren();
      return;
    }
    const json = JSON.stringify(desk.talk());
    if (json !== shownTalk) {
      shownTalk = json;
      const folds = [...list.querySelectorAll("details")].map((fold) => fold.open);
      const isSame = list.dataset.session === desk.talk().id;
      list.dataset.session = desk.talk().id;
      list.replaceChildren(...desk.entries().map(drawEntry));
      if (isSame)
        list.querySelectorAll("details").forEach((fold, place) => {
          fold.open = Boolean(folds[place]);
        });
    }
    mark();
    row.replaceChildren(
      ...desk
        .talk()
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

  Object.assign(desk, { list, hint, row, pick, drawTalk });
};
