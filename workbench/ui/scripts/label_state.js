// The state of the Label tab, and the commands that it sends to the server, one after the other.
import { store, stored } from "./storage.js";

export const SEAT = "hermes-workbench:label";
// Identifies a target: the id of a message, or `message#index` for one of its calls.
export const keyOf = (target) => (target.call === null ? target.message : target.message + "#" + target.call);

const withoutRevision = (label) => {
  const { revision, ...rest } = label;
  return rest;
};

export const addState = (desk) => {
  const { trigger } = desk;

  // The last view from the server, the cursor, and everything that was typed and is not saved yet.
  const state = {
    view: null, // the last view from the server
    at: null, // key of the selected target
    seat: { labeller: "", project: "", is_deciding: false },
    owner: "", // account that is logged in, which is then the labeller
    filter: {},
    listed: 50,
    agreement: "",
    serial: 0,
    waiting: 0, // serial of the command in progress, 0 for none
    waitingAct: "", // action of that command
    queue: [], // commands and keys that wait for it, in order
    moving: 0, // number of commands, in progress or waiting, that open another conversation
    sent: null, // id of the pending change that was sent
    isMove: false, // whether the command in progress opens another conversation
    held: null, // text typed for a field of the next conversation, null for none
    isDrawing: false, // true while the panel is redrawn, so that a lost focus does not save
    undo: [],
    pending: [], // changes that the server has not confirmed
    isRegenerating: false, // a message is being regenerated
  };

  // Drafts are stored per project, labeller and target.
  const draftName = (target) =>
    SEAT + ":draft:" + JSON.stringify([state.seat.project, state.seat.labeller, keyOf(target)]);

  const draftOf = (target) => stored(draftName(target)) || {};

  const keepDraft = (target, change) => {
    const draft = { ...draftOf(target), ...change };
    for (const name of Object.keys(draft)) if (draft[name] === null) delete draft[name];
    store(draftName(target), Object.keys(draft).length ? draft : null);
  };

  const talk = () => (state.view ? state.view.talk : null);
  const entries = () => (talk() ? talk().entries : []);
  const targets = () => entries().flatMap((entry) => entry.targets);
  const here = () => targets().find((target) => keyOf(target) === state.at) || null;
  const entryOf = (target) => entries().find((entry) => entry.targets.includes(target));
  const messageTargetOf = (target) => entryOf(target).targets.at(-1);
  let isWorking = false;

  const doNext = () => {
    // Work that is added by running work waits until that is finished.
    if (isWorking) return;
    isWorking = true;
    try {
      while (!state.waiting && state.queue.length) state.queue.shift()();
    } finally {
      isWorking = false;
    }
  };

  // Runs `work` after everything that waits already. It then sees the state of that moment.
  const inTurn = (work) => {
    state.queue.push(work);
    doNext();
  };

  // Runs work that opens another conversation. Keys pressed meanwhile wait and apply to the new conversation.
  const go = (work) => {
    state.moving += 1;
    inTurn(() => {
      const before = state.serial;
      work();
      if (state.serial === before) state.moving -= 1;
      else state.isMove = true;
    });
  };

  const answered = () => {
    state.waiting = 0;
    if (state.isMove) state.moving -= 1;
    state.isMove = false;
  };

  const order = (act, fields) => {
    const serial = ++state.serial;
    state.waiting = serial;
    state.waitingAct = act;
    const text = JSON.stringify({
      ...state.seat,
      filter: state.filter,
      listed: state.listed,
      session: talk() ? talk().id : "",
      ...fields,
      act,
      serial,
    });
    if (act === "regenerate") {
      state.isRegenerating = true;
      trigger("label_again", { order: text });
    } else {
      trigger("label_order", { order: text });
      setTimeout(() => {
        if (state.waiting !== serial) return;
        answered();
        desk.showError("The server did not respond. Your input is saved. Try again.");
        doNext();
      }, 20000);
    }
  };

  const saveLabel = (target, change) => {
    const before = target.label;
    state.undo.push({
      session: talk().id,
      message: target.message,
      call: target.call,
      label: withoutRevision(before),
      revision: null,
    });
    target.label = { ...before, ...change };
    order("label", {
      message: target.message,
      call: target.call,
      label: withoutRevision(target.label),
      revision: before.revision,
    });
  };

  // Changes that the server has not confirmed. The browser stores them, so that a reload does not lose them.
  const pendingName = () => SEAT + ":pending:" + JSON.stringify([state.seat.project, state.seat.labeller]);

  const putPending = (list) => {
    state.pending = list;
    store(pendingName(), list.length ? list : null);
  };

  // The label of a target with all pending changes applied.
  const expected = (target) =>
    state.pending
      .filter((pending) => pending.key === keyOf(target))
      .reduce((label, pending) => ({ ...label, ...pending.change }), target.label);

  const sendChange = (id) => {
    const pending = state.pending.find((other) => other.id === id);
    const target = pending && targets().find((other) => keyOf(other) === pending.key);
    if (!target) return;
    state.sent = id;
    saveLabel(target, pending.change);
  };

  const forgetSent = () => {
    putPending(state.pending.filter((pending) => pending.id !== state.sent));
    state.sent = null;
  };

  // Changes fields of a label. `fields` is an object, or a function of the label with all pending changes.
  const change = (target, fields) => {
    const id = Math.random().toString(36).slice(2);
    const changed = typeof fields === "function" ? fields(expected(target)) : fields;
    putPending([...state.pending, { id, session: talk().id, key: keyOf(target), change: changed }]);
    inTurn(() => sendChange(id));
  };

  const sendPending = () => {
    for (const pending of state.pending)
      if (talk() && pending.session === talk().id) inTurn(() => sendChange(pending.id));
  };

  const undoLast = () => {
    const last = state.undo.pop();
    if (!last) return desk.showError("Nothing to undo.");
    if (last.act) return order(last.act, { session: last.session });
    state.at = keyOf(last);
    order("label", {
      session: last.session,
      message: last.message,
      call: last.call,
      label: last.label,
      revision: last.revision,
    });
  };

  const moveTo = (session) => order("show", { session });

  const endSession = (act) => {
    state.undo.push({ session: talk().id, act: "reopen" });
    order(act, {});
  };

  Object.assign(desk, {
    go,
    state,
    order,
    entries,
    moveTo,
    expected,
    change,
    entryOf,
    inTurn,
    targets,
    talk,
    here,
    messageTargetOf,
    endSession,
    undoLast,
    draftOf,
    answered,
    doNext,
    pendingName,
    sendPending,
    keepDraft,
    forgetSent,
  });
};
