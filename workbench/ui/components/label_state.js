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
  queue: [], // what was pressed meanwhile, in order
  undo: [],
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

const do_next = () => { while (!state.waiting && state.queue.length) state.queue.shift()(); };
// Orders go one after the other: what is pressed while one is under way waits, and means what is shown then.
const in_turn = (work) => { state.queue.push(work); do_next(); };
const order = (act, fields) => {
  const serial = ++state.serial;
  state.waiting = serial;
  const text = JSON.stringify({ ...state.seat, filter: state.filter, listed: state.listed, session: talk() ? talk().id : "", ...fields, act, serial });
  if (act === "regenerate") {
    state.is_again = true;
    trigger("label_again", { order: text });
  } else {
    trigger("label_order", { order: text });
    setTimeout(() => {
      if (state.waiting !== serial) return;
      state.waiting = 0;
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
const go_back = () => {
  const last = state.undo.pop();
  if (!last) return tell("Nothing to undo.");
  if (last.act) return order(last.act, { session: last.session });
  order("label", { session: last.session, message: last.message, call: last.call, said: last.said, revision: last.revision });
};
const move_to = (session) => order("show", { session });
const end_session = (act) => {
  state.undo.push({ session: talk().id, act: "reopen" });
  order(act, {});
};
