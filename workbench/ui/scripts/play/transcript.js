// The conversation: one entry per message, with its calls, results and menu. Events: `pick`, `example`,
// `branch`, `make_case`, `compare_turn`, `message_act`, `play_on`.
import { iconButton, node, term } from "../shared/dom.js";
import { html, render, repeat } from "../shared/lit_html.js";
import { menu } from "../shared/menu.js";
import { drawBlock } from "../shared/blocks.js";

const callsOf = (/** @type {TranscriptEntry} */ entry) =>
  /** @type {CallCard[]} */ (entry.blocks.filter((block) => block.kind === "call"));

const looseOf = (/** @type {TranscriptEntry} */ entry) =>
  /** @type {LooseResult[]} */ (entry.blocks.filter((block) => block.kind === "result"));

/** @param {Part<TranscriptView, TranscriptEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const { router } = window.hermesWorkbench;
  const scroller = element.closest("#play-transcript") || element;
  const list = node("ol", { class: "hw-entries", "aria-label": "Conversation" });
  const empty = node("div", { class: "hw-empty" });
  element.replaceChildren(list, empty);
  // Each entry as it was drawn last, with its JSON: an open menu stays open if the entry has not changed.
  /** @type {Map<string, { json: string; template: Template }>} */
  let drawn = new Map();

  const branches = (/** @type {BranchView} */ branch) => {
    const turn = (
      /** @type {string} */ name,
      /** @type {string} */ label,
      /** @type {string | null} */ id,
    ) => {
      const go = (/** @type {PageEvent} */ event) => {
        event.stopPropagation();
        trigger("branch", { id });
      };
      return iconButton(name, label, go, { disabled: id === null });
    };
    return html`<span class="hw-branches" role="group" aria-label="Branches">${turn(
      "left",
      "Previous branch",
      branch.before,
    )}<span class="hw-note">${branch.place}/${branch.count}</span>${turn("right", "Next branch", branch.after)}</span>`;
  };

  const markCall = (/** @type {PageElement} */ item, /** @type {number | null} */ call) => {
    for (const card of list.querySelectorAll(".hw-call.is-picked")) card.classList.remove("is-picked");
    const card = call === null ? null : item.querySelector(`.hw-call[data-call="${Number(call)}"]`);
    if (card) card.classList.add("is-picked");
  };

  let canEdit = true;

  const act =
    (/** @type {string} */ name, /** @type {string} */ id, /** @type {number | null} */ call = null) =>
    () =>
      trigger("message_act", { act: name, id, call });

  const playOn = (/** @type {string} */ name, /** @type {string} */ id) => () =>
    trigger("play_on", { act: name, id });

  // The Label tab reads from here where to put its cursor.
  const label = (/** @type {string} */ id) => {
    const session = router.session();
    try {
      sessionStorage.setItem("hermes-workbench:label:at:" + session, id);
    } catch {
      // Storage is forbidden: the cursor starts at the top.
    }
    router.goTo("label", { item: session });
  };

  /** @type {(entry: TranscriptEntry) => MenuItem[]} */
  const editActions = (entry) => {
    const cards = callsOf(entry);
    return [
      entry.role === "system" || entry.role === "tool"
        ? null
        : [entry.role === "user" ? "Edit and resend" : "Edit text", act("edit", entry.id)],
      ...cards.map(
        ({ name, index }) => /** @type {MenuItem} */ (["Edit call to " + name, act("edit", entry.id, index)]),
      ),
      ...cards.flatMap(({ name, result }) =>
        result ? [/** @type {MenuItem} */ (["Edit result of " + name, act("edit", result.id)])] : [],
      ),
      ...looseOf(entry).map(
        ({ result }) => /** @type {MenuItem} */ (["Edit result", act("edit", result.id)]),
      ),
    ];
  };

  /** @type {(entry: TranscriptEntry) => MenuItem[]} */
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

  /** @type {(entry: TranscriptEntry) => MenuItem[]} */
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

  const pick = (/** @type {PageEvent} */ { currentTarget: item, target }) => {
    const card = target.closest("[data-call]");
    for (const other of list.children) other.classList.toggle("is-selected", other === item);
    markCall(item, card ? card.dataset.call : null);
    dispatchEvent(new Event("hw:inspect"));
    trigger("pick", { id: item.dataset.id, call: card ? Number(card.dataset.call) : null });
  };
  const onClick = (/** @type {PageEvent} */ event) => {
    if (!event.target.closest("summary, .hw-menu-at, .hw-message-pane") && !String(getSelection()))
      pick(event);
  };
  const onKey = (/** @type {PageEvent} */ event) => {
    if (event.target === event.currentTarget && event.key === "Enter" && !event.ctrlKey) pick(event);
  };

  const drawEntry = (/** @type {TranscriptEntry} */ entry) => {
    const { id, role, note } = entry;
    const results = [...callsOf(entry), ...looseOf(entry)].flatMap(({ result }) =>
      result ? [result.id] : [],
    );
    const messages = [id, ...results].join(" ");
    return html`<li class="hw-entry r-${role}" tabindex="0" data-id=${id} data-messages=${messages} @click=${onClick}
      @keydown=${onKey}><span class="hw-role"><span class="hw-role-line">${role}${menu(
        `Actions of the ${role} message`,
        () => itemsOf(entry),
      )}</span>${entry.branch ? branches(entry.branch) : ""}</span><div class="hw-body">${entry.blocks.map(drawBlock)}${
        note
          ? html`<div class="hw-note hw-end">${role === "system" ? term("ephemeral system text", note) : note}</div>`
          : ""
      }</div></li>`;
  };

  // A message that has changed keeps its elements: its folds, and the pane in which it is being edited.
  const drawEntries = (/** @type {TranscriptEntry[]} */ entries) => {
    const before = drawn;
    drawn = new Map();
    for (const entry of entries) {
      const json = JSON.stringify(entry);
      const known = before.get(entry.id);
      drawn.set(entry.id, known?.json === json ? known : { json, template: drawEntry(entry) });
    }
    render(
      repeat(
        [...drawn],
        ([id]) => id,
        ([, { template }]) => template,
      ),
      list,
    );
  };

  const drawExample = (/** @type {ExampleQuestion} */ { text, toolset, note }) =>
    html`<li><button type="button" class="hw-example" @click=${() => trigger("example", { text, toolset })}>${text}<span
      class="hw-note">${note || (toolset && `Uses the toolset ${toolset}.`)}</span></button></li>`;

  const drawEmpty = (/** @type {TranscriptView} */ value) =>
    render(
      html`<h2>${value.heading}</h2><p>${value.hint}</p><ul>${value.examples.map(drawExample)}</ul>`,
      empty,
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
    drawEntries(entries);
    for (const item of list.querySelectorAll(":scope > li")) {
      const isSelected = item.dataset.id === value?.selected;
      item.classList.toggle("is-selected", isSelected);
      if (value && isSelected) markCall(item, value.selected_call);
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
