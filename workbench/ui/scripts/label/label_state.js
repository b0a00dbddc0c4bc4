// The state of the Label tab: what is shown, and the commands to the server. It gets the log of actions in the
// background, one command at a time, and answers with what it has stored.
import { createLog, isSameAction } from "../actions/action_log.js";
import { createSender } from "../actions/sender.js";
import { keyOf, withActions } from "./label_overlay.js";
import { storeTabText, tabText } from "../shared/storage.js";

export const SEAT = "hermes-workbench:label";
const MOST_CONVERSATIONS = 12;
const OPEN = ["pending", "draft"];

// A text that this tab stores until it is closed. Without a value, the stored text.
/** @type {Desk["inTab"]} */
const inTab = (name, value) => {
  if (value !== undefined) storeTabText(SEAT + ":" + name, value);
  return tabText(SEAT + ":" + name);
};

/** @param {Desk} desk */
export const addState = (desk) => {
  const { trigger } = desk;
  /** @type {ActionLog<LabelAction>} */
  const log = createLog(SEAT + ":log:");

  /** @type {LabelState} */
  const state = {
    view: null,
    conversations: new Map(),
    session: "",
    at: null,
    seat: { labeller: "", project: "", is_deciding: false },
    owner: "",
    filter: {},
    first: null,
    step: 0,
    trial: null,
    manage: null,
    agreement: "",
    review: { lots: [], accuracies: [], models: [] },
    after: "",
    isLoading: true,
    hasToSettle: false,
    closed: new Map(),
    queue: [],
    held: null,
    isDrawing: false,
    undo: JSON.parse(inTab("undo") || "[]"),
    warned: "",
    reopened: new Set(),
    refusals: new Map(),
    modelWork: "",
  };

  const isOfSeat = (/** @type {LabelAction} */ action) =>
    action.labeller === state.seat.labeller &&
    action.project === state.seat.project &&
    action.is_deciding === state.seat.is_deciding;
  const pendingOf = (/** @type {string} */ session) =>
    log.pending().filter((action) => action.session === session && isOfSeat(action));

  // The shown conversation with all pending actions, computed again after each change.
  /** @type {ConversationView | null} */
  let shown = null;
  const forget = () => {
    shown = null;
  };
  const conversation = () => {
    const loaded = state.conversations.get(state.session);
    if (!loaded) return null;
    if (!shown) shown = withActions(loaded, pendingOf(state.session));
    return shown;
  };
  /** @type {<Value>(value: Value | null | undefined) => Value} */
  const there = (value) => {
    if (value) return value;
    throw new Error("It is not loaded.");
  };
  const loaded = () => there(conversation());
  const view = () => there(state.view);
  const entries = () => conversation()?.entries ?? [];
  const targets = () => entries().flatMap((entry) => entry.targets);
  const here = () => targets().find((target) => keyOf(target) === state.at) || null;
  const entryOf = (/** @type {TargetPlace} */ target) =>
    there(entries().find((entry) => entry.targets.some((other) => keyOf(other) === keyOf(target))));
  const messageTargetOf = (/** @type {TargetPlace} */ target) => there(entryOf(target).targets.at(-1));
  const stateOf = (/** @type {QueueRow} */ row) => state.closed.get(row.id) || row.state;

  // Commands

  const order = (/** @type {object} */ fields) =>
    JSON.stringify({
      ...state.seat,
      filter: state.filter,
      first: state.first,
      step: state.step,
      session: state.after ? "" : state.session,
      after: state.after,
      known: [...state.conversations.keys()],
      ...fields,
    });

  const sender = createSender({
    log,
    fieldsOf: () => state.view && { seat: state.seat, session: state.session, after: state.after },
    send: ({ serial, actions }) => {
      const sent = actions.map(({ before, changesRow, ...action }) => action);
      const more = {
        ...(state.manage ? { manage: state.manage } : {}),
        ...(state.trial ? { trial: state.trial } : {}),
      };
      state.manage = state.trial = null;
      trigger("label_order", { order: order({ serial, actions: sent, ...more }) });
    },
    onLost: () =>
      desk.showError("The server did not respond. Your input is saved in this browser and is sent again."),
  });
  const { sync, ask: refresh } = sender;

  // The opening of the tab can hide an answer, because Gradio shows only the later of two values that arrive at once.
  const expectLoss = () => {
    if (!state.modelWork) sender.expectLoss();
  };

  // Lets a model work, during which nothing else is sent.
  /**
   * @param {string} work
   * @param {LabelDeskEvents} event
   * @param {{ message: string } | { manage: { what: string; model: string } }} fields
   */
  const askModel = (work, event, fields) => {
    state.modelWork = work;
    const { serial } = sender.begin({ seat: state.seat, session: state.session, after: "" });
    trigger(event, { order: order({ serial, actions: [], ...fields }) });
  };
  const regenerate = (/** @type {string} */ message) => askModel("regenerating", "label_again", { message });
  const letModelLabel = (/** @type {string} */ model) =>
    askModel("a model is labelling", "label_judge", { manage: { what: "judge", model } });

  // What is shown

  const isBlocked = () =>
    state.isLoading || state.modelWork || (state.hasToSettle && pendingOf(state.session).length > 0);
  let isWorking = false;

  const doNext = () => {
    // Work that is added by running work waits until that is finished.
    if (isWorking) return;
    isWorking = true;
    try {
      while (state.queue.length) {
        if (isBlocked()) return;
        state.hasToSettle = false;
        state.queue.shift()?.();
      }
    } finally {
      isWorking = false;
    }
  };

  // Runs `work` after everything that waits already.
  const inTurn = (/** @type {() => void} */ work) => {
    state.queue.push(work);
    doNext();
  };

  // Runs `work`, before anything that waits, once all changes of the shown session are stored.
  const onceStored = (/** @type {() => void} */ work) => {
    state.hasToSettle = true;
    state.queue.unshift(work);
    if (!isWorking) doNext();
  };

  const restoreCursor = () => {
    state.at = inTab("at:" + state.session);
    if (!here()) {
      const first = targets().find((target) => target.is_stop);
      state.at = first ? keyOf(first) : null;
    }
  };

  const open = (/** @type {string} */ session) => {
    state.session = session;
    state.after = "";
    state.step = 0;
    state.warned = "";
    state.isLoading = !state.conversations.has(session);
    forget();
    restoreCursor();
    desk.onOpened();
  };

  const show = (/** @type {string} */ session) => {
    open(session);
    refresh();
    desk.draw();
  };

  // Opens the next session with work to do after the shown one.
  const showNext = () => {
    const { rows, total } = view();
    const place = rows.findIndex((row) => row.id === state.session);
    // The server knows the rows that are not loaded, and where the queue starts again.
    const isAll = rows.length === total;
    const after = place < 0 ? [] : rows.slice(place + 1);
    const next = [...after, ...(isAll ? rows.slice(0, Math.max(place, 0)) : [])].find(
      (row) => row.id !== state.session && OPEN.includes(stateOf(row)),
    );
    if (next) return show(next.id);
    return showNextOf(state.session, 0);
  };

  // Opens a session after `session` that is not loaded: the next one with work to do, or its neighbour for 1 or -1.
  const showNextOf = (/** @type {string} */ session, /** @type {number} */ step) => {
    state.after = session;
    state.step = step;
    state.isLoading = true;
    refresh();
    desk.draw();
  };

  // Answers

  // What the server loaded. `done` are the actions that it has stored now.
  /**
   * @param {LabelTabView} value
   * @param {LabelCommand} command
   * @param {LabelAction[]} done
   */
  const takeView = (value, command, done) => {
    // A project that is gone, or that was just created.
    if (value.project.name !== state.seat.project && !value.notice.lines.length) {
      takeSeat({ ...state.seat, project: value.project.name });
      desk.storeSeat();
      sender.askLater();
    }
    state.first = null;
    desk.joinRows(value);
    state.view = value;
    // A reviewer to whom no rows are assigned reviews.
    const hasRows = value.project.annotators.includes(state.seat.labeller);
    if (value.project.role === "reviewer" && !state.seat.is_deciding && !hasRows) {
      takeSeat({ ...state.seat, is_deciding: true });
      sender.askLater();
      return;
    }
    if (value.agreement !== null) state.agreement = value.agreement;
    if (value.review) state.review = value.review;
    // What was loaded of other sessions does not have these actions yet.
    for (const [id, loaded] of state.conversations) {
      const own = done.filter((action) => action.session === id && isOfSeat(action));
      if (own.length) state.conversations.set(id, withActions(loaded, own));
    }
    for (const loaded of [...value.ahead, ...(value.conversation ? [value.conversation] : [])]) {
      state.conversations.delete(loaded.id);
      state.conversations.set(loaded.id, loaded);
    }
    for (const id of [...state.conversations.keys()])
      if (state.conversations.size > MOST_CONVERSATIONS && id !== state.session)
        state.conversations.delete(id);
  };

  /** @param {LabelTabView} value @param {LabelCommand} command */
  const settleView = (value, command) => {
    for (const row of value.rows) if (!pendingOf(row.id).length) state.closed.delete(row.id);
    const isRequested = command.after === state.after && command.session === state.session;
    if (isRequested && value.conversation && (command.after || !command.session)) {
      open(value.conversation.id);
      if (command.after === value.conversation.id)
        desk.showError("There are no more conversations to label here.");
    } else if (state.conversations.has(state.session) && !state.after) {
      state.isLoading = false;
      if (!here()) restoreCursor();
    } else if (isRequested) {
      state.isLoading = false;
      state.after = "";
    }
  };

  // Takes a value from the server. Returns whether it answers the command in progress.
  const receive = (/** @type {LabelTabView} */ value) => {
    const command = sender.take(value.serial);
    if (!command) return false;
    state.modelWork = "";
    const done = command.actions.filter((action) =>
      value.answers.some((answer) => isSameAction(answer, action)),
    );
    if (command.seat === state.seat) takeView(value, command, done);
    else sender.askLater();
    log.drop(done);
    forget();
    if (command.seat === state.seat) settleView(value, command);
    for (const answer of value.answers) desk.onAnswer(answer, command);
    return true;
  };

  // Labels belong to an annotator and a project, so what was loaded for another seat is dropped.
  const takeSeat = (/** @type {Seat} */ seat) => {
    const isOther = seat.project !== state.seat.project || seat.is_deciding !== state.seat.is_deciding;
    state.seat = seat;
    // The shown session may not belong to the other queue, which then opens with its first one.
    if (isOther) state.session = state.after = "";
    state.conversations.clear();
    state.closed.clear();
    state.isLoading = true;
    forget();
  };

  // After an error of the server, which has stored nothing of what it did not answer.
  const retryLater = () => setTimeout(sync, 3000);

  window.addEventListener("beforeunload", (event) => {
    if (desk.element.isConnected && log.isAtRisk()) event.preventDefault();
  });

  Object.assign(desk, {
    state,
    log,
    conversation,
    loaded,
    view,
    entries,
    targets,
    here,
    entryOf,
    messageTargetOf,
    stateOf,
    pendingOf,
    inTab,
    forget,
    showNext,
    showNextOf,
    sync,
    refresh,
    expectLoss,
    regenerate,
    letModelLabel,
    inTurn,
    onceStored,
    isBlocked,
    doNext,
    show,
    receive,
    takeSeat,
    retryLater,
  });
};
