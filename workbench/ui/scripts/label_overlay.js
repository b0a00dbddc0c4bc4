// Shows a conversation as it will be once the server has applied the actions that it has not confirmed.
import { isSameAction } from "./label_log.js";

// Identifies a target: the id of a message, or `message#index` for one of its calls.
export const keyOf = (target) => (target.call === null ? target.message : target.message + "#" + target.call);

const parsed = (text, kind) => {
  if (kind === "text") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

// A filled form as a call. What is not valid JSON is shown as it was typed; the server refuses it.
const callOf = (form, tools) => {
  const kinds = Object.fromEntries((tools[form.name] || []).map((field) => [field.name, field.kind]));
  const values = Object.entries(form.texts).map(([name, text]) => [
    name,
    parsed(text, kinds[name] || "json"),
  ]);
  return { name: form.name, arguments: JSON.stringify(Object.fromEntries(values)) };
};

const corrected = (label, value, tools) => {
  const none = { ...label, text: null, name: "", arguments: "" };
  if (!value) return none;
  if (value.form) return { ...none, ...callOf(value.form, tools) };
  if (value.name) return { ...none, name: value.name, arguments: JSON.stringify(value.arguments) };
  return { ...none, text: value.text };
};

const EMPTY = { verdict: "", rating: 0, comment: "" };

// The label with one field changed.
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
export const fieldOf = (label, field) => {
  if (field === "correction") {
    if (label.text !== null) return { text: label.text };
    return label.name ? { name: label.name, arguments: JSON.parse(label.arguments || "{}") } : null;
  }
  if (field.startsWith("tag:")) return label.tags.includes(field.slice(4)) || null;
  if (field.startsWith("answer:")) return label.answers[field.slice(7)] || null;
  return label[field] || null;
};

const mapTargets = (talk, change) => ({
  ...talk,
  entries: talk.entries.map((entry) => ({
    ...entry,
    targets: entry.targets.map((target) => change(target, entry)),
  })),
});

const withChanges = (talk, changes) =>
  mapTargets(talk, (target) =>
    changes
      .filter((change) => keyOf(change) === keyOf(target))
      .reduce(
        (changed, change) => ({
          ...changed,
          label: withField(changed.label, change.field, change.value, talk.tools),
        }),
        target,
      ),
  );

const accepted = (talk, isMeant) => {
  const judged = mapTargets(talk, (target, entry) =>
    isMeant(target, entry) && target.is_stop && !target.label.verdict
      ? { ...target, label: { ...target.label, verdict: target.verdicts[0] } }
      : target,
  );
  return {
    ...judged,
    entries: judged.entries.map((entry) =>
      entry.targets.some((target) => isMeant(target, entry)) ? { ...entry, stale: [] } : entry,
    ),
  };
};

const applied = (talk, action) => {
  if (action.kind === "label") return withChanges(talk, action.changes);
  if (action.kind === "accept-rest") return accepted(talk, () => true);
  if (action.kind === "accept") return accepted(talk, (target) => keyOf(target) === keyOf(action));
  // An action that is undone after it was confirmed.
  if (action.kind === "undo" && action.before) return withChanges(talk, action.before);
  return talk;
};

// Returns the conversation with these actions, which are all of this session, applied in order.
export const withActions = (talk, actions) => {
  const undone = actions.filter((action) => action.undoes).map((action) => action.undoes);
  const isUndone = (action) => undone.some((id) => isSameAction(id, action));
  return actions
    .filter((action) => !isUndone(action))
    .filter((action) => !action.undoes || !actions.some((other) => isSameAction(other, action.undoes)))
    .reduce(applied, talk);
};
