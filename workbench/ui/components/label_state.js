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
  waiting_act: "", // what it orders
  queue: [], // orders and keys that wait for it, in order
  moving: 0, // orders under way or waiting that bring another conversation
  sent: null, // which of what was said is under way
  is_move: false, // whether the one under way does
  held: null, // what is typed for a field of the conversation that is to come; null for none
  is_drawing: false, // fields that are drawn anew are not left
  undo: [],
  pending: [],
  is_again: false, // a message is being written anew
};
const SEAT = "hermes-workbench:label";
const stored = (name) => {
  try { return JSON.parse(localStorage.getItem(name) || "null"); } catch { return null; }
};
const store = (name, value) => {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch { /* full or forbidden: it lives as long as the page */ }
};
const key_of = (target) => (target.call === null ? target.message : target.message + "#" + target.call);
const draft_name = (target) => SEAT + ":draft:" + JSON.stringify([state.seat.project, state.seat.labeller, key_of(target)]);
const draft_of = (target) => stored(draft_name(target)) || {};
const keep_draft = (target, change) => {
  const draft = { ...draft_of(target), ...change };
  for (const name of Object.keys(draft)) if (draft[name] === null) delete draft[name];
  store(draft_name(target), Object.keys(draft).length ? draft : null);
};
const talk = () => (state.view ? state.view.talk : null);
const entries = () => (talk() ? talk().entries : []);
const targets = () => entries().flatMap((one) => one.targets);
const here = () => targets().find((target) => key_of(target) === state.at) || null;
const entry_of = (target) => entries().find((one) => one.targets.includes(target));
const itself_of = (target) => entry_of(target).targets.at(-1);

let is_at_it = false;
const do_next = () => {
  // What one piece of work adds comes behind it, not in its middle.
  if (is_at_it) return;
  is_at_it = true;
  try { while (!state.waiting && state.queue.length) state.queue.shift()(); } finally { is_at_it = false; }
};
// Orders go one after the other, each about what is there when its turn comes.
const in_turn = (work) => { state.queue.push(work); do_next(); };
// What brings another conversation: keys wait for it, and mean what is shown then.
const go = (work) => {
  state.moving += 1;
  in_turn(() => {
    const before = state.serial;
    work();
    if (state.serial === before) state.moving -= 1;
    else state.is_move = true;
  });
};
const answered = () => {
  state.waiting = 0;
  if (state.is_move) state.moving -= 1;
  state.is_move = false;
};
const order = (act, fields) => {
  const serial = ++state.serial;
  state.waiting = serial;
  state.waiting_act = act;
  const text = JSON.stringify({ ...state.seat, filter: state.filter, listed: state.listed, session: talk() ? talk().id : "", ...fields, act, serial });
  if (act === "regenerate") {
    state.is_again = true;
    trigger("label_again", { order: text });
  } else {
    trigger("label_order", { order: text });
    setTimeout(() => {
      if (state.waiting !== serial) return;
      answered();
      tell("The server did not answer. What was typed is kept: try again.");
      do_next();
    }, 20000);
  }
};
const said_of = (said) => {
  const { revision, ...rest } = said;
  return rest;
};
const say = (target, change) => {
  const before = target.said;
  state.undo.push({ session: talk().id, message: target.message, call: target.call, said: said_of(before), revision: null });
  target.said = { ...before, ...change };
  order("label", { message: target.message, call: target.call, said: said_of(target.said), revision: before.revision });
};
// What was said and is not answered yet; the browser keeps it through a reload.
const pending_name = () => SEAT + ":pending:" + JSON.stringify([state.seat.project, state.seat.labeller]);
const put_pending = (list) => {
  state.pending = list;
  store(pending_name(), list.length ? list : null);
};
const expected = (target) =>
  state.pending.filter((one) => one.key === key_of(target)).reduce((said, one) => ({ ...said, ...one.change }), target.said);
const send_said = (id) => {
  const one = state.pending.find((other) => other.id === id);
  const target = one && targets().find((other) => key_of(other) === one.key);
  if (!target) return;
  state.sent = id;
  say(target, one.change);
};
const forget_said = () => {
  put_pending(state.pending.filter((one) => one.id !== state.sent));
  state.sent = null;
};
const change = (target, made) => {
  const id = Math.random().toString(36).slice(2);
  const said = typeof made === "function" ? made(expected(target)) : made;
  put_pending([...state.pending, { id, session: talk().id, key: key_of(target), change: said }]);
  in_turn(() => send_said(id));
};
const say_again = () => { for (const one of state.pending) if (talk() && one.session === talk().id) in_turn(() => send_said(one.id)); };
const go_back = () => {
  const last = state.undo.pop();
  if (!last) return tell("Nothing to undo.");
  if (last.act) return order(last.act, { session: last.session });
  state.at = key_of(last);
  order("label", { session: last.session, message: last.message, call: last.call, said: last.said, revision: last.revision });
};
const move_to = (session) => order("show", { session });
const end_session = (act) => {
  state.undo.push({ session: talk().id, act: "reopen" });
  order(act, {});
};
