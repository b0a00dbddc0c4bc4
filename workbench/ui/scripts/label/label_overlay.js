// Shows a conversation as it will be once the server has applied the actions that it has not confirmed.
import { isSameAction } from "../actions/action_log.js";

// Identifies a target: the id of a message, or `message#index` for one of its calls.
export const keyOf = (/** @type {TargetPlace} */ target) =>
  target.call === null ? target.message : target.message + "#" + target.call;

const parsed = (/** @type {string} */ text, /** @type {string} */ kind) => {
  if (kind === "text") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

// A filled form as a call. What is not valid JSON is shown as it was typed; the server refuses it.
const callOf = (/** @type {CallDraft} */ form, /** @type {Record<string, FormField[]>} */ tools) => {
  const kinds = Object.fromEntries((tools[form.name] || []).map((field) => [field.name, field.kind]));
  const values = Object.entries(form.texts).map(([name, text]) => [
    name,
    parsed(text, kinds[name] || "json"),
  ]);
  return { name: form.name, arguments: JSON.stringify(Object.fromEntries(values)) };
};

/** @param {LabelView} label @param {any} value @param {Record<string, FormField[]>} tools */
const corrected = (label, value, tools) => {
  const none = { ...label, text: null, name: "", arguments: "", result: null };
  if (!value) return none;
  const { form, name, result = form ? form.result : undefined } = value;
  const withResult = { ...none, result: result === undefined ? null : result };
  if (form) return { ...withResult, ...callOf(form, tools) };
  if (name) return { ...withResult, name, arguments: JSON.stringify(value.arguments) };
  return { ...none, text: value.text };
};

const UNLABELLED = {
  verdict: "",
  rating: 0,
  tags: [],
  comment: "",
  text: null,
  name: "",
  arguments: "",
  result: null,
  answers: {},
};

// Whether a target is a place for a call that nobody has added yet.
export const isFree = (/** @type {LabelTargetView} */ target) =>
  target.is_added && !target.label.name && !target.others.length;

// A call that a message lacks is labelled under an index after those of its calls. Each message of the model has one
// free place for the next one.
const withPlace = (/** @type {LabelEntry} */ entry) => {
  const message = entry.targets.at(-1);
  if (!message?.verdicts.includes("missing-call") || entry.targets.some(isFree)) return entry;
  const calls = entry.targets.filter((target) => target.call !== null);
  const place = {
    ...message,
    call: 1 + (calls.at(-1)?.call ?? -1),
    title: "Missing call",
    is_stop: false,
    is_disputed: false,
    is_added: true,
    label: UNLABELLED,
    others: [],
    verdicts: [],
  };
  const rest = entry.targets.filter((target) => target.call === null);
  return { ...entry, targets: [...calls, place, ...rest] };
};

const withPlaces = (/** @type {ConversationView} */ conversation) => ({
  ...conversation,
  entries: conversation.entries.map(withPlace),
});

/** @type {Record<string, unknown>} */
const EMPTY = { verdict: "", rating: 0, comment: "" };

// The label with one field changed.
/** @param {LabelView} label @param {string} field @param {any} value @param {Record<string, FormField[]>} tools */
const withField = (label, field, value, tools) => {
  if (field === "correction") return corrected(label, value, tools);
  if (field.startsWith("tag:")) {
    const others = label.tags.filter((tag) => tag !== field.slice(4));
    return { ...label, tags: value ? [...others, field.slice(4)] : others };
  }
  if (field.startsWith("answer:"))
    return { ...label, answers: { ...label.answers, [field.slice(7)]: value || "" } };
  return { ...label, [field]: value === null ? EMPTY[field] : value };
};

// The value of a field, as it appears in an action.
export const fieldOf = (/** @type {LabelView} */ label, /** @type {string} */ field) => {
  if (field === "correction") {
    if (label.text !== null) return { text: label.text };
    if (!label.name) return null;
    const call = { name: label.name, arguments: JSON.parse(label.arguments || "{}") };
    return label.result === null ? call : { ...call, result: label.result };
  }
  if (field.startsWith("tag:")) return label.tags.includes(field.slice(4)) || null;
  if (field.startsWith("answer:")) return label.answers[field.slice(7)] || null;
  return label[/** @type {keyof LabelView} */ (field)] || null;
};

/** @param {ConversationView} conversation @param {(target: LabelTargetView) => LabelTargetView} change */
const mapTargets = (conversation, change) => ({
  ...conversation,
  entries: conversation.entries.map((entry) => ({ ...entry, targets: entry.targets.map(change) })),
});

const titled = (/** @type {LabelTargetView} */ target) => {
  if (!target.is_added || (!target.label.name && target.others.length)) return target;
  return { ...target, title: target.label.name ? "Added call · " + target.label.name : "Missing call" };
};

/** @param {ConversationView} conversation @param {LabelChange[]} [changes] */
const withChanges = (conversation, changes = []) =>
  mapTargets(conversation, (target) =>
    titled(
      changes
        .filter((change) => keyOf(change) === keyOf(target))
        .reduce(
          (changed, change) => ({
            ...changed,
            label: withField(changed.label, change.field, change.value, conversation.tools),
          }),
          target,
        ),
    ),
  );

// An invalid call without a verdict, which cannot be accepted.
export const isBarred = (/** @type {LabelTargetView} */ target) => target.is_invalid && !target.label.verdict;

// The messages of an entry that stay stale: a call or message is accepted with its results, a result alone.
/** @param {LabelEntry} entry @param {(target: LabelTargetView) => boolean} isMeant */
const staleAfter = (entry, isMeant) => {
  const ids = entry.targets.filter(isMeant).map((target) => target.message);
  return ids.includes(entry.entry.id) ? [] : entry.stale.filter((id) => !ids.includes(id));
};

/** @param {ConversationView} conversation @param {(target: LabelTargetView) => boolean} isMeant */
const accepted = (conversation, isMeant) => {
  const judged = mapTargets(conversation, (target) =>
    isMeant(target) && target.is_stop && !target.label.verdict && !target.is_invalid && !target.is_added
      ? { ...target, label: { ...target.label, verdict: target.verdicts[0] } }
      : target,
  );
  return {
    ...judged,
    entries: judged.entries.map((entry) => ({ ...entry, stale: staleAfter(entry, isMeant) })),
  };
};

const applied = (/** @type {ConversationView} */ conversation, /** @type {LabelAction} */ action) => {
  if (action.kind === "label") return withChanges(conversation, action.changes);
  if (action.kind === "accept-rest") return accepted(conversation, () => true);
  if (action.kind === "accept")
    return accepted(conversation, (target) => keyOf(target) === keyOf(/** @type {TargetPlace} */ (action)));
  // An action that is undone after it was confirmed.
  if (action.kind === "undo" && action.before) return withChanges(conversation, action.before);
  return conversation;
};

// Returns the conversation with these actions, which are all of this session, applied in order.
/** @param {ConversationView} conversation @param {LabelAction[]} actions */
export const withActions = (conversation, actions) => {
  const undone = actions.flatMap((action) => action.undoes ?? []);
  const isUndone = (/** @type {LabelAction} */ action) => undone.some((id) => isSameAction(id, action));
  return actions
    .filter((action) => !isUndone(action))
    .filter(({ undoes }) => !undoes || !actions.some((other) => isSameAction(other, undoes)))
    .reduce((shown, action) => withPlaces(applied(shown, action)), withPlaces(conversation));
};
