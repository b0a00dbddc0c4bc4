// The actions of an annotator and their undo. Keys change the log of actions and what is shown at once; the server applies
// each action once, in order, and answers.
import { isSameAction } from "../actions/action_log.js";
import { fieldOf, isBarred, keyOf } from "./label_overlay.js";

const MOST_UNDONE = 2000;
const REMEDY = "Correct it (e), or give it a verdict (1 to 5).";

/** @param {Desk} desk */
export const addActions = (desk) => {
  const { state, log } = desk;

  const storeUndo = () => {
    state.undo = state.undo.slice(-MOST_UNDONE);
    desk.inTab("undo", JSON.stringify(state.undo.map(({ before, ...entry }) => entry)));
  };

  const add = (/** @type {Partial<LabelAction>} */ fields) => {
    state.warned = "";
    const action = log.add({ ...state.seat, owner: state.owner, session: state.session, ...fields });
    desk.forget();
    desk.sync();
    return action;
  };

  // `before` are the changes that undo it. `changesRow` says whether it changes what the training row is.
  /** @param {Partial<LabelAction>} fields @param {LabelChange[]} [before] */
  const act = (fields, before, changesRow = false) => {
    const action = add({ ...fields, changesRow });
    const { client, number, session } = action;
    state.undo.push({ client, number, session, key: state.at, before, changesRow });
    storeUndo();
  };

  // Changes fields of the labels of targets. `parts` has a target and its fields: names and values, null to clear one.
  /** @param {[TargetPlace, Record<string, unknown>][]} parts @param {object=} more */
  const changeAll = (parts, more) => {
    const changes = parts.flatMap(([{ message, call }, fields]) =>
      Object.entries(fields).map(([field, value]) => ({ message, call, field, value })),
    );
    const before = changes.flatMap((item) => {
      const target = desk.targets().find((other) => keyOf(other) === keyOf(item));
      return target ? [{ ...item, value: fieldOf(target.label, item.field) }] : [];
    });
    const changesRow = changes.some((item) => item.field === "correction");
    act({ kind: "label", changes, ...more }, before, changesRow);
    desk.draw();
  };

  /** @param {TargetPlace} target @param {Record<string, unknown>} fields @param {object=} more */
  const change = (target, fields, more) => changeAll([[target, fields]], more);

  const isStale = () =>
    desk.pendingOf(state.session).some((action) => action.changesRow) ||
    (state.conversations.get(state.session)?.entries ?? []).some((entry) => entry.stale.length > 0);

  // Returns whether the target could be accepted.
  const accept = (/** @type {LabelTargetView} */ target) => {
    if (isBarred(target)) {
      desk.showError("“" + target.title + "” is not valid, so it is not accepted. " + REMEDY);
      return false;
    }
    const place = { message: target.message, call: target.call };
    const before = target.label.verdict ? [] : [{ ...place, field: "verdict", value: null }];
    act({ kind: "accept", ...place }, before, isStale());
    desk.draw();
    return true;
  };

  const acceptRest = () => {
    const before = desk
      .targets()
      .filter((target) => target.is_stop && !target.label.verdict && !target.is_invalid && !target.is_added)
      .map((target) => ({ message: target.message, call: target.call, field: "verdict", value: null }));
    const skipped = desk.targets().filter((target) => target.is_stop && isBarred(target));
    act({ kind: "accept-rest" }, before, isStale());
    if (skipped.length) {
      const calls =
        skipped.length === 1
          ? "1 call that is not valid was"
          : skipped.length + " calls that are not valid were";
      desk.showError(calls + " skipped. " + REMEDY);
      state.at = keyOf(skipped[0]);
    }
    desk.draw();
  };

  const undoLast = () => {
    const last = state.undo.pop();
    if (!last) return desk.showError("Nothing to undo.");
    storeUndo();
    const { client, number, session, key, before, changesRow } = last;
    desk.dropSent(log.pending().find((action) => isSameAction(action, last)));
    state.closed.delete(session);
    add({ kind: "undo", session, undoes: { client, number }, before, changesRow });
    if (session !== state.session) desk.show(session);
    if (key) state.at = key;
    desk.draw();
  };

  const close = (/** @type {"submit" | "reject"} */ kind, /** @type {boolean} */ isConfirmed) => {
    act({ kind, ...(isConfirmed ? { is_confirmed: true } : {}) });
    state.closed.set(state.session, kind === "submit" ? "done" : "discarded");
    desk.showNext();
  };

  // Answers

  const onAnswer = (/** @type {ActionAnswer} */ answer, /** @type {LabelCommand} */ command) => {
    const action = command.actions.find((other) => isSameAction(other, answer));
    if (!answer.problem) return desk.onStored(action, answer);
    state.undo = state.undo.filter((entry) => !isSameAction(entry, answer));
    storeUndo();
    if (action && ["submit", "reject"].includes(action.kind)) state.closed.delete(answer.session);
    // A later submit of this session waits for the annotator to see the problem.
    for (const other of log.pending())
      if (other.session === answer.session && other.kind === "submit" && !isSameAction(other, answer)) {
        log.drop([other]);
        state.undo = state.undo.filter((entry) => !isSameAction(entry, other));
        state.closed.delete(other.session);
      }
    return desk.onRefused(action, answer);
  };

  Object.assign(desk, { change, changeAll, accept, acceptRest, undoLast, close, onAnswer });
};
