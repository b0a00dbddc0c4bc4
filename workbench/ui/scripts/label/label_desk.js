// The Label tab: queue, conversation and panel, operated by keyboard. Events: `label_order` for the log of actions
// and what to show, `label_again` to regenerate a message, `label_judge` to let a model label all rows, and `label_stop`
// to stop either.
import { node } from "../shared/dom.js";
import { addActions } from "./label_actions.js";
import { addBar } from "./label_bar.js";
import { addForm } from "./label_form.js";
import { isFree, keyOf } from "./label_overlay.js";
import { addPanel } from "./label_panel.js";
import { addProject } from "./label_project.js";
import { addQueue } from "./label_queue.js";
import { SEAT, addState } from "./label_state.js";
import { addSubmit } from "./label_submit.js";
import { addConversation } from "./label_conversation.js";
import { isField, onKeys } from "../shared/page.js";
import { stored } from "../shared/storage.js";

/** @param {Part<LabelTabView, LabelDeskEvents>} part */
export const mount = (part) => {
  // The tab is split into files. Each adds its functions and elements to `desk` for the others to use.
  const desk = /** @type {Desk} */ ({ ...part });
  const { element, follow, trigger } = desk;
  for (const add of [
    addState,
    addActions,
    addForm,
    addSubmit,
    addQueue,
    addProject,
    addPanel,
    addConversation,
    addBar,
  ])
    add(desk);
  const { state } = desk;

  desk.draw = () => {
    desk.drawBar();
    desk.drawConversation();
    desk.drawPanel();
  };

  const { router } = window.hermesWorkbench;
  // The router's request that is being answered.
  let request = 0;

  const openPlace = (/** @type {PlaceValues} */ { item }, /** @type {number} */ number) => {
    if (!item) return false;
    request = number;
    if (desk.conversation()) desk.go(item);
    else desk.show(item);
  };

  const report = () => {
    const shown = desk.conversation();
    if (!shown) return;
    router.here("label", { item: shown.id }, { request });
    if (shown.id === router.valuesOf("label").item) request = 0;
  };

  desk.onOpened = () => {
    desk.list.parentElement?.scrollTo({ top: 0 });
    report();
  };

  desk.go = (session) => desk.inTurn(() => desk.leave(() => desk.show(session)));

  desk.regenerateFrom = (target) => {
    const entry = desk.entryOf(target);
    if (!["model", "tool"].includes(target.role))
      return desk.showError("Only messages of a model or a tool can be regenerated.");
    return desk.onceStored(() => {
      desk.regenerate(entry.stale[0] || target.message);
      desk.drawBar();
    });
  };

  const step = (/** @type {number} */ by, /** @type {(target: LabelTargetView) => boolean} */ isMeant) => {
    const all = desk.targets();
    const from = all.findIndex((target) => keyOf(target) === state.at);
    for (let place = from + by; place >= 0 && place < all.length; place += by)
      if (isMeant(all[place])) return desk.pick(all[place]);
  };

  const isStop = (/** @type {LabelTargetView} */ target) => target.is_stop;
  const isShown = (/** @type {LabelTargetView} */ target) =>
    !isFree(target) || desk.isOpenDraft(desk.draftOf(target));

  // Whether a message is labelled as lacking a call, and none is added yet.
  const lacksCall = (/** @type {LabelTargetView} */ target) =>
    target.call === null &&
    target.label.verdict === "missing-call" &&
    !desk.entryOf(target).targets.some((other) => other.is_added && other.label.name);

  desk.focusOn = (name) => {
    const field = [...desk.panel.querySelectorAll("[data-field]")].find(
      (other) => other.dataset.field === name,
    );
    if (field) field.focus();
  };

  const verdictKey = (/** @type {number} */ number) => {
    const target = desk.here();
    if (!target || !target.verdicts.length) return;
    if (target.call !== null && number <= 5) return desk.judge(target, target.verdicts[number - 1]);
    if (target.verdicts.includes("tie") && number <= 4)
      return desk.judge(target, target.verdicts[number - 1]);
    const message = desk.messageTargetOf(target);
    const verdict = { 1: "good", 6: "missing-call", 7: "bad-answer" }[number];
    if (!verdict || !message.verdicts.includes(verdict)) return;
    if (number >= 6 || target.call === null) desk.judge(message, verdict);
  };

  const withTarget = (/** @type {(target: LabelTargetView) => unknown} */ work) => () => {
    const target = desk.here();
    if (target) work(target);
  };

  // What is labelled on an added call is labelled on its message.
  const withLabelled = (/** @type {(target: LabelTargetView) => unknown} */ work) =>
    withTarget((target) => work(target.is_added ? desk.messageTargetOf(target) : target));

  /** @type {Record<string, () => unknown>} */
  const ACTS = {
    j: () => step(1, isStop),
    k: () => step(-1, isStop),
    J: () => step(1, isShown),
    K: () => step(-1, isShown),
    n: () => desk.neighbour(1),
    p: () => desk.neighbour(-1),
    a: withTarget((target) => {
      if (desk.accept(target)) step(1, isStop);
    }),
    A: () => desk.conversation() && desk.acceptRest(),
    r: () => desk.reject(),
    e: withTarget((target) => (lacksCall(target) ? desk.addCall(target) : desk.openEditor(target))),
    "+": withTarget((target) => desk.addCall(target)),
    g: withTarget((target) => desk.regenerateFrom(target)),
    t: () => desk.focusOn("tag"),
    c: () => desk.focusOn("comment"),
    u: () => desk.undoLast(),
    "?": () => desk.showHelp(),
    Enter: () => desk.submit(),
  };

  // Opens a field of a conversation that is not loaded yet. Text typed meanwhile is held and then inserted.
  const hold = (/** @type {() => void} */ work) => {
    state.held = "";
    state.queue.push(() => {
      const text = state.held || "";
      state.held = null;
      work();
      const field = document.activeElement;
      if (!text || !isField(field)) return;
      field.value += text;
      field.dispatchEvent(new Event("input"));
    });
  };

  // Ctrl+Enter saves an open correction, or leaves the field and submits.
  const saveOrSubmit = () => {
    const target = desk.here();
    if (target && desk.isOpenDraft(desk.draftOf(target)) && !desk.isSaving(target))
      return desk.saveEditor(target);
    // A field saves its text when it loses the focus.
    if (document.activeElement) document.activeElement.blur();
    return desk.submit();
  };

  const onEscape = (/** @type {KeyboardEvent} */ event) => {
    if (desk.closeFilters()) return;
    if (state.modelWork) return trigger("label_stop", {});
    if (isField(event.target)) return document.activeElement.blur();
    const target = desk.here();
    if (target && desk.isOpenDraft(desk.draftOf(target))) desk.closeEditor(target);
  };

  const questionOf = (/** @type {string} */ key) =>
    state.view && desk.view().project.questions.find((question) => question.key && question.key === key);

  const workOf = (/** @type {KeyboardEvent} */ event) => {
    const digit = /^(?:Digit|Numpad)([1-7])$/.exec(event.code);
    if (digit && event.shiftKey)
      return Number(digit[1]) <= 5 && withLabelled((target) => desk.rate(target, Number(digit[1])));
    if (digit) return () => verdictKey(Number(digit[1]));
    const question = questionOf(event.key);
    if (question) return withLabelled((target) => desk.answerByKey(target, question));
    return ACTS[event.key];
  };

  const opensField = (/** @type {string} */ key) => {
    const question = questionOf(key);
    return ["t", "c"].includes(key) || (question && !question.choices.length);
  };

  const onKey = (/** @type {KeyboardEvent} */ event) => {
    // A tab that is opening is hidden until all of it is there, and no field in it takes the focus.
    if (!element.checkVisibility({ visibilityProperty: true }) || event.defaultPrevented || event.isComposing)
      return;
    if (desk.help.open || desk.projectDialog.open) return;
    if (event.key === "Escape") return onEscape(event);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      return desk.isBlocked() ? desk.inTurn(saveOrSubmit) : saveOrSubmit();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    if (state.held !== null) {
      if (event.key.length === 1) {
        event.preventDefault();
        state.held += event.key;
      }
      return;
    }
    const work = workOf(event);
    if (
      !work ||
      (event.key === "Enter" && /** @type {Element} */ (event.target).closest("button, summary, a"))
    )
      return;
    event.preventDefault();
    if (!desk.isBlocked() && !state.queue.length) work();
    else if (opensField(event.key)) hold(work);
    else desk.inTurn(work);
  };

  onKeys(element, document, onKey);

  // A control that was clicked does not keep the focus, so that Enter submits and does not press it again.
  element.addEventListener("click", (event) => {
    const control = event.detail > 0 && /** @type {Element} */ (event.target).closest("button, summary");
    if (control && control === document.activeElement) control.blur();
  });

  element.replaceChildren(
    node(
      "div",
      { class: "hw-label-desk" },
      desk.head,
      desk.notice,
      desk.queue,
      node("div", { class: "hw-label-conversation" }, desk.list, desk.hint, desk.row),
      desk.panel,
      desk.help,
      desk.projectDialog,
    ),
  );

  let isBegun = false;

  const begin = (/** @type {LabelTabView} */ value) => {
    const saved = stored(SEAT) || {};
    state.owner = value.annotator;
    state.seat = { ...state.seat, ...saved.seat, ...(value.annotator ? { labeller: value.annotator } : {}) };
    state.filter = { ...state.filter, ...saved.filter };
    if (!state.view) state.view = value;
    desk.log.adopt(state.owner);
    if (!desk.conversation()) state.isLoading = true;
    desk.expectLoss();
    if (!isBegun) {
      isBegun = true;
      router.onPlace("label", openPlace);
      if (request) return;
    }
    desk.refresh();
  };

  follow((value) => {
    if (!value) return;
    if (value.serial === 0) return begin(value);
    const lines = value.notice.lines.map((line) => line.text).join(" ");
    if (!desk.receive(value)) return;
    if (value.trial) desk.takeMock(value.trial);
    if (value.done) {
      desk.showError(value.done);
      desk.forgetForm();
    }
    if (lines) {
      desk.showError(lines);
      desk.retryLater();
    }
    report();
    if (request && !lines && !desk.conversation() && !state.isLoading)
      desk.showError("The session of this address does not exist. Choose one from the queue.");
    desk.draw();
    desk.doNext();
    if (!lines) desk.sync();
  });
};
