// The labelling desk's state, and the orders that it sends to the server one after the other.
import { store, stored } from "./storage.js";

export const SEAT = "hermes-workbench:label";
export const keyOf = (target) => (target.call === null ? target.message : target.message + "#" + target.call);

const saidOf = (said) => {
  const { revision, ...rest } = said;
  return rest;
};

export const addState = (desk) => {
  const { trigger } = desk;

  // What the desk knows: the view that came last, where the cursor stands, what was typed and not yet said.
  const state = {
    view: null, // the desk as the server told it last
    at: null, // key of the target under the cursor
    seat: { labeller: "", project: "", is_deciding: false },
    owner: "", // who is logged in; labels as themselves
    filter: {},
    listed: 50,
    agreement: "",
    serial: 0,
    waiting: 0, // the order that is under way; 0 for none
    waitingAct: "", // what it orders
    queue: [], // orders and keys that wait for it, in order
    moving: 0, // orders under way or waiting that bring another conversation
    sent: null, // which of what was said is under way
    isMove: false, // whether the one under way does
    held: null, // what is typed for a field of the conversation that is to come; null for none
    isDrawing: false, // fields that are drawn anew are not left
    undo: [],
    pending: [],
    isAgain: false, // a message is being written anew
  };

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
  const targets = () => entries().flatMap((one) => one.targets);
  const here = () => targets().find((target) => keyOf(target) === state.at) || null;
  const entryOf = (target) => entries().find((one) => one.targets.includes(target));
  const itselfOf = (target) => entryOf(target).targets.at(-1);
  let isAtIt = false;

  const doNext = () => {
    // What one piece of work adds comes behind it, not in its middle.
    if (isAtIt) return;
    isAtIt = true;
    try {
      while (!state.waiting && state.queue.length) state.queue.shift()();
    } finally {
      isAtIt = false;
    }
  };

  // Orders go one after the other, each about what is there when its turn comes.
  const inTurn = (work) => {
    state.queue.push(work);
    doNext();
  };

  // What brings another conversation: keys wait for it, and mean what is shown then.
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
      state.isAgain = true;
      trigger("label_again", { order: text });
    } else {
      trigger("label_order", { order: text });
      setTimeout(() => {
        if (state.waiting !== serial) return;
        answered();
        desk.tell("The server did not answer. What was typed is kept: try again.");
        doNext();
      }, 20000);
    }
  };

  const say = (target, change) => {
    const before = target.said;
    state.undo.push({
      session: talk().id,
      message: target.message,
      call: target.call,
      said: saidOf(before),
      revision: null,
    });
    target.said = { ...before, ...change };
    order("label", {
      message: target.message,
      call: target.call,
      said: saidOf(target.said),
      revision: before.revision,
    });
  };

  // What was said and is not answered yet; the browser keeps it through a reload.
  const pendingName = () => SEAT + ":pending:" + JSON.stringify([state.seat.project, state.seat.labeller]);

  const putPending = (list) => {
    state.pending = list;
    store(pendingName(), list.length ? list : null);
  };

  const expected = (target) =>
    state.pending
      .filter((one) => one.key === keyOf(target))
      .reduce((said, one) => ({ ...said, ...one.change }), target.said);

  const sendSaid = (id) => {
    const one = state.pending.find((other) => other.id === id);
    const target = one && targets().find((other) => keyOf(other) === one.key);
    if (!target) return;
    state.sent = id;
    say(target, one.change);
  };

  const forgetSaid = () => {
    putPending(state.pending.filter((one) => one.id !== state.sent));
    state.sent = null;
  };

  const change = (target, made) => {
    const id = Math.random().toString(36).slice(2);
    const said = typeof made === "function" ? made(expected(target)) : made;
    putPending([...state.pending, { id, session: talk().id, key: keyOf(target), change: said }]);
    inTurn(() => sendSaid(id));
  };

  const sayAgain = () => {
    for (const one of state.pending) if (talk() && one.session === talk().id) inTurn(() => sendSaid(one.id));
  };

  const goBack = () => {
    const last = state.undo.pop();
    if (!last) return desk.tell("Nothing to undo.");
    if (last.act) return order(last.act, { session: last.session });
    state.at = keyOf(last);
    order("label", {
      session: last.session,
      message: last.message,
      call: last.call,
      said: last.said,
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
    itselfOf,
    endSession,
    goBack,
    draftOf,
    answered,
    doNext,
    pendingName,
    sayAgain,
    keepDraft,
    forgetSaid,
  });
};
