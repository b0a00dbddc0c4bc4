// The labelling desk, middle: the conversation with its cursor, and the training row that it becomes.
import { node } from "./dom.js";
import { WORDS } from "./label_panel.js";
import { SEAT, keyOf } from "./label_state.js";
import { blocks } from "./blocks.js";

const chip = (target) => {
  const said = target.said;
  const words = [
    said.verdict ? WORDS[said.verdict] : "",
    said.rating ? said.rating + "/5" : "",
    ...said.tags,
    said.comment ? "“" + said.comment + "”" : "",
  ];
  const text = words.filter(Boolean).join(" · ");
  return text
    ? node(
        "span",
        {
          class:
            "hw-said" +
            (!said.verdict ? " is-open" : ["right", "good"].includes(said.verdict) ? "" : " is-bad"),
        },
        text,
      )
    : null;
};

const correction = (target) => {
  const said = target.said;
  if (said.name)
    return node(
      "div",
      { class: "hw-correction" },
      node("span", { class: "hw-word" }, "corrected"),
      node("code", {}, said.name + " " + said.arguments),
    );
  if (said.text !== null)
    return node(
      "div",
      { class: "hw-correction" },
      node("span", { class: "hw-word" }, "corrected"),
      node("pre", {}, said.text),
    );
  return null;
};

export const addTalk = (desk) => {
  const list = node("ol", { class: "hw-entries", "aria-label": "Conversation to label" });
  const row = node("div", { class: "hw-label-row", role: "status", "aria-label": "Row it becomes" });
  const hint = node("div", { class: "hw-empty" });

  const pick = (target) => {
    desk.state.at = keyOf(target);
    try {
      sessionStorage.setItem(SEAT + ":at:" + desk.talk().id, desk.state.at);
    } catch {
      /* forbidden */
    }
    mark();
    desk.drawPanel();
  };

  const labelEntry = (one) => {
    const itself = one.targets.at(-1);
    const body = one.entry.blocks.map((block) => {
      const made = blocks[block.kind](block);
      if (block.kind !== "call") return made;
      const target = one.targets[block.index];
      made.dataset.key = keyOf(target);
      made.append(...[chip(target), correction(target)].filter(Boolean));
      return made;
    });
    const item = node(
      "li",
      {
        class: "hw-entry r-" + one.entry.role + (one.stale.length ? " is-stale" : ""),
        "data-id": one.entry.id,
        "data-key": keyOf(itself),
      },
      node(
        "span",
        { class: "hw-role" },
        one.entry.role,
        one.stale.length ? node("span", { class: "hw-stale" }, "stale") : null,
      ),
      node(
        "div",
        { class: "hw-body" },
        body,
        one.entry.note ? node("div", { class: "hw-note hw-end" }, one.entry.note) : null,
        chip(itself),
        correction(itself),
      ),
    );
    item.addEventListener("click", (event) => {
      if (event.target.closest("summary") || String(getSelection())) return;
      const key = event.target.closest("[data-key]").dataset.key;
      pick(one.targets.find((target) => keyOf(target) === key));
    });
    return item;
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
    const drawn = JSON.stringify(desk.talk());
    if (drawn !== shownTalk) {
      shownTalk = drawn;
      const folds = [...list.querySelectorAll("details")].map((fold) => fold.open);
      const isSame = list.dataset.session === desk.talk().id;
      list.dataset.session = desk.talk().id;
      list.replaceChildren(...desk.entries().map(labelEntry));
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
