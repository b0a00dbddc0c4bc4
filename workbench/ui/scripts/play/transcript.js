// The conversation: one entry per message, with its calls, results and menu. Events: `pick`, `example`,
// `branch`, `make_case`, `compare_turn`, `message_act`, `play_on`.
import { iconButton, node, term } from "../shared/dom.js";
import { menu } from "../shared/menu.js";
import { blocks } from "../shared/blocks.js";

const callsOf = (entry) => entry.blocks.filter((block) => block.kind === "call");

/** @param {Part<TranscriptView, TranscriptEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const { router } = window.hermesWorkbench;
  const scroller = element.closest("#play-transcript") || element;
  const list = node("ol", { class: "hw-entries", "aria-label": "Conversation" });
  const empty = node("div", { class: "hw-empty" });
  element.replaceChildren(list, empty);
  const drawn = new Map();

  const branches = (branch) => {
    const turn = (name, label, id) =>
      iconButton(
        name,
        label,
        (event) => {
          event.stopPropagation();
          trigger("branch", { id });
        },
        { disabled: id === null },
      );
    return node(
      "span",
      { class: "hw-branches", role: "group", "aria-label": "Branches" },
      turn("left", "Previous branch", branch.before),
      node("span", { class: "hw-note" }, branch.place + "/" + branch.count),
      turn("right", "Next branch", branch.after),
    );
  };

  const markCall = (item, call) => {
    for (const card of list.querySelectorAll(".hw-call.is-picked")) card.classList.remove("is-picked");
    const card = call === null ? null : item.querySelector(`.hw-call[data-call="${Number(call)}"]`);
    if (card) card.classList.add("is-picked");
  };

  let canEdit = true;

  const act = (name, id, call) => () =>
    trigger("message_act", { act: name, id, call: call === undefined ? null : call });

  const playOn = (name, id) => () => trigger("play_on", { act: name, id });

  // The Label tab reads from here where to put its cursor.
  const label = (id) => {
    const session = router.session();
    try {
      sessionStorage.setItem("hermes-workbench:label:at:" + session, id);
    } catch {
      // Storage is forbidden: the cursor starts at the top.
    }
    router.goTo("label", { item: session });
  };

  const editActions = (entry) => {
    const cards = callsOf(entry);
    const loose = entry.blocks.filter((block) => block.kind === "result");
    return [
      entry.role === "system" || entry.role === "tool"
        ? null
        : [entry.role === "user" ? "Edit and resend" : "Edit text", act("edit", entry.id)],
      ...cards.map((card) => ["Edit call to " + card.name, act("edit", entry.id, card.index)]),
      ...cards
        .filter((card) => card.result)
        .map((card) => ["Edit result of " + card.name, act("edit", card.result.id)]),
      ...loose.map((block) => ["Edit result", act("edit", block.result.id)]),
    ];
  };

  const turnActions = (entry) => {
    const cards = callsOf(entry);
    if (entry.role === "user")
      return [
        ["Answer again", playOn("answer", entry.id)],
        ["Write a different message here", act("branch", entry.id)],
      ];
    if (entry.role !== "model") return [];
    return [
      ["Regenerate from here", playOn("regenerate", entry.id)],
      ["Continue this message", playOn("continue", entry.id)],
      cards.length && cards.some((card) => !card.result)
        ? ["Run the calls and continue", playOn("run", entry.id)]
        : null,
      ["Branch from here", act("branch", entry.id)],
    ];
  };

  const itemsOf = (entry) => [
    ...(canEdit ? [...editActions(entry), ...turnActions(entry)] : []),
    entry.role === "user"
      ? ["Create a case from this turn", () => trigger("make_case", { id: entry.id, suite: "" })]
      : null,
    canEdit && entry.role !== "system"
      ? ["Create a case from this conversation …", act("case", entry.id)]
      : null,
    entry.role === "user"
      ? ["Compare answers to this turn", () => trigger("compare_turn", { id: entry.id })]
      : null,
    ["Copy text", act("copy", entry.id)],
    entry.role === "model" ? ["Copy as code …", act("code", entry.id)] : null,
    canEdit && entry.role !== "system" ? ["Label", () => label(entry.id)] : null,
    canEdit && entry.role !== "system" ? ["Delete from here", act("delete", entry.id)] : null,
  ];

  const drawEntry = (entry) => {
    const results = entry.blocks.flatMap((block) => (block.result ? [block.result.id] : []));
    const item = node(
      "li",
      {
        class: "hw-entry r-" + entry.role,
        tabindex: 0,
        "data-id": entry.id,
        "data-messages": [entry.id, ...results].join(" "),
      },
      node(
        "span",
        { class: "hw-role" },
        node(
          "span",
          { class: "hw-role-line" },
          entry.role,
          menu(`Actions of the ${entry.role} message`, () => itemsOf(entry)),
        ),
        entry.branch ? branches(entry.branch) : null,
      ),
      node(
        "div",
        { class: "hw-body" },
        entry.blocks.map((block) => blocks[block.kind](block)),
        entry.note
          ? node(
              "div",
              { class: "hw-note hw-end" },
              entry.role === "system" ? term("ephemeral system text", entry.note) : entry.note,
            )
          : null,
      ),
    );
    const pick = (event) => {
      const card = event.target.closest("[data-call]");
      for (const other of list.children) other.classList.toggle("is-selected", other === item);
      markCall(item, card ? card.dataset.call : null);
      dispatchEvent(new Event("hw:inspect"));
      trigger("pick", { id: entry.id, call: card ? Number(card.dataset.call) : null });
    };
    item.addEventListener("click", (event) => {
      if (event.target.closest("summary, .hw-menu-at, .hw-message-pane") || String(getSelection())) return;
      pick(event);
    });
    item.addEventListener("keydown", (event) => {
      if (event.target === item && event.key === "Enter" && !event.ctrlKey) pick(event);
    });
    return item;
  };

  const drawExample = ({ text, toolset, note }) =>
    node(
      "li",
      {},
      node(
        "button",
        { type: "button", class: "hw-example", onclick: () => trigger("example", { text, toolset }) },
        text,
        node("span", { class: "hw-note" }, note || (toolset && `Uses the toolset ${toolset}.`)),
      ),
    );

  const drawEmpty = (value) =>
    empty.replaceChildren(
      node("h2", {}, value.heading),
      node("p", {}, value.hint),
      node("ul", {}, value.examples.map(drawExample)),
    );

  // Asks the last message of the person again, with what the contract says now.
  window.addEventListener("hw:again", () => {
    const asked = [...list.querySelectorAll(".hw-entry.r-user")].at(-1);
    if (element.isConnected && asked) playOn("answer", asked.dataset.id)();
  });

  follow((value) => {
    if (value?.is_examples_only && drawn.size) return;
    const entries = value ? value.entries : [];
    canEdit = !value || value.can_edit;
    const before = drawn.size;
    const wasAtEnd = before === 0 || scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 80;
    if (!value?.selected) markCall(list, null);
    entries.forEach((entry, place) => {
      const json = JSON.stringify(entry);
      let known = drawn.get(entry.id);
      if (!known || known.json !== json) {
        const item = drawEntry(entry);
        if (known) {
          // The message is being edited here.
          const pane = known.item.querySelector(":scope > .hw-message-pane");
          if (pane) item.append(pane);
          item.classList.toggle("is-edited", known.item.classList.contains("is-edited"));
          const folds = known.item.querySelectorAll("details");
          item.querySelectorAll("details").forEach((fold, index) => {
            fold.open = Boolean(folds[index] && folds[index].open);
          });
          known.item.replaceWith(item);
        }
        known = { json, item };
        drawn.set(entry.id, known);
      }
      if (list.children[place] !== known.item) list.insertBefore(known.item, list.children[place] || null);
      known.item.classList.toggle("is-selected", entry.id === value.selected);
      if (entry.id === value.selected) markCall(known.item, value.selected_call);
    });
    while (list.children.length > entries.length) {
      drawn.delete(list.lastChild.dataset.id);
      list.lastChild.remove();
    }
    empty.hidden = entries.length > 0;
    list.hidden = entries.length === 0;
    if (value && entries.length === 0) drawEmpty(value);
    if (wasAtEnd && entries.length && entries.length !== before)
      requestAnimationFrame(() => {
        scroller.scrollTop = scroller.scrollHeight;
      });
  });
};
