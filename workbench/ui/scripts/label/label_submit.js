// Submitting a session: what is missing is shown in one line. What can be overridden needs a second Enter.
import { keyOf } from "./label_overlay.js";

const isOpenDraft = (/** @type {LabelDraft} */ draft) => draft.form !== undefined || draft.text !== undefined;

/** @param {Desk} desk */
export const addSubmit = (desk) => {
  const { state } = desk;

  const openDrafts = () =>
    desk.targets().filter((target) => isOpenDraft(desk.draftOf(target)) && !desk.isSaving(target));

  // Saves comments and tags that were typed and not left yet.
  const saveTyped = () => {
    for (const target of desk.targets()) {
      desk.saveComment(target);
      const tag = desk.draftOf(target).tag;
      if (tag) desk.addTag(target, tag);
    }
  };

  const unanswered = () =>
    desk
      .view()
      .project.questions.find(
        (question) =>
          question.is_required && !desk.targets().some((target) => target.label.answers[question.name]),
      );

  // Why the session cannot be submitted yet: a text, the target to look at, and whether a second Enter submits it.
  const obstacle = () => {
    const [open] = openDrafts();
    if (open)
      return {
        code: "open " + keyOf(open),
        text: "The correction of “" + open.title + "” is not saved. Ctrl+Enter saves it.",
        target: open,
        canConfirm: true,
      };
    const unjudged = desk
      .targets()
      .find((target) => target.is_stop && !target.label.verdict && !target.is_added);
    if (desk.view().project.requires_verdicts && unjudged)
      return {
        text:
          "“" +
          unjudged.title +
          "” has no verdict. " +
          (unjudged.is_invalid ? "It is not valid, so A skips it." : "A accepts the rest."),
        target: unjudged,
      };
    const question = unanswered();
    if (question)
      return {
        text:
          "The question “" +
          question.text +
          "” has no answer." +
          (question.key ? " " + question.key + " answers it." : ""),
        question,
      };
    const stale = desk.entries().flatMap((entry) => entry.stale);
    if (stale.length)
      return {
        code: "stale",
        text:
          (stale.length === 1 ? "1 message follows" : stale.length + " messages follow") +
          " a correction. Accept (A) or regenerate (g).",
        target: desk.targets().find((target) => target.message === stale[0]),
        canConfirm: true,
      };
    if (!desk.loaded().can_export)
      return {
        code: "no-row",
        text: "There is no training row: " + desk.loaded().row[0].text + ".",
        canConfirm: true,
      };
    return null;
  };

  const submit = () => {
    if (!desk.conversation()) return;
    saveTyped();
    // Only the server knows what a correction makes of the training row.
    if (desk.pendingOf(state.session).some((action) => action.changesRow)) {
      desk.onceStored(submit);
      return;
    }
    const problem = obstacle();
    if (problem && !(problem.canConfirm && state.warned === problem.code)) {
      desk.showError(problem.text + (problem.canConfirm ? " Enter again submits anyway." : ""));
      state.warned = problem.code || "";
      if (problem.target) desk.pick(problem.target);
      if (problem.question && !problem.question.choices.length)
        desk.focusOn("answer " + problem.question.name);
      return;
    }
    desk.showError("");
    desk.close("submit", Boolean(problem));
  };

  const reject = () => {
    if (!desk.conversation()) return;
    desk.showError("");
    desk.close("reject", false);
  };

  // Reports which correction is not saved when a session is left. Its text stays in the browser.
  const leave = (/** @type {() => void} */ work) => {
    const [open] = desk.conversation() ? openDrafts() : [];
    const title = desk.conversation() ? desk.loaded().title : "";
    desk.showError(
      open
        ? "The correction of “" + open.title + "” in “" + title + "” is not saved. Your text is still there."
        : "",
    );
    work();
  };

  // The answers of the server to an action

  const onStored = (/** @type {LabelAction | undefined} */ action, /** @type {ActionAnswer} */ answer) => {
    for (const change of (action && action.changes) || []) {
      if (change.field !== "correction") continue;
      state.refusals.delete(keyOf(change));
    }
    const isReopened = ((action && action.changes) || []).some((change) =>
      state.reopened.delete(keyOf(change)),
    );
    if (!isReopened) desk.dropSent(action);
    if (answer.note) desk.showError(answer.note);
  };

  const titleOf = (/** @type {string} */ session) => {
    const row = desk.view().rows.find((other) => other.id === session);
    return row ? row.title : session;
  };

  const onRefused = (/** @type {LabelAction | undefined} */ action, /** @type {ActionAnswer} */ answer) => {
    const correction = ((action && action.changes) || []).find((change) => change.field === "correction");
    const retry = answer.can_confirm
      ? correction
        ? " Ctrl+Enter again saves it."
        : " Enter again submits anyway."
      : "";
    if (correction)
      state.refusals.set(keyOf(correction), { text: answer.problem, canConfirm: answer.can_confirm });
    if (answer.session === state.session) {
      if (!correction && answer.can_confirm) state.warned = answer.code;
      desk.showError(answer.problem + retry);
      const place = desk.targets().find((target) => keyOf(target) === keyOf(answer));
      // After a correction the annotator has gone on, so the next key must not apply to another target.
      if (!correction && place) desk.pick(place);
      return;
    }
    // The session opens where the problem is.
    if (answer.message) desk.inTab("at:" + answer.session, keyOf(answer));
    const what = action && action.kind === "submit" ? "was not submitted: " : "was not changed: ";
    desk.showRefusal(answer.session, "“" + titleOf(answer.session) + "” " + what + answer.problem);
  };

  Object.assign(desk, { submit, reject, leave, onStored, onRefused, isOpenDraft });
};
