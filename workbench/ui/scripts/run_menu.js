// The menu of a run, in the list and above its report.
import { node } from "./dom.js";

const FORMS = [
  ["html", "HTML"],
  ["json", "JSON"],
  ["junit", "JUnit XML"],
  ["markdown", "Markdown"],
];

// The items to download the report of a run. `download(id, form)` does so.
export const downloads = (run, download) =>
  FORMS.map(([form, label]) => ["Download as " + label, () => download(run.id, form)]);

// The items of a run's menu. `edit(label, text, action)` asks for a text and sends it.
export const runActions = (run, { edit, change, download }) => [
  ["Rename", () => edit("Title of the run", run.title, "rename")],
  ["Edit tags", () => edit("Tags, separated by commas", run.tags.join(", "), "tag")],
  run.is_shared
    ? ["Stop sharing", () => change("unshare", run.id)]
    : ["Share report by link", () => change("share", run.id)],
  ...(download ? downloads(run, download) : []),
  ["Delete", () => change("delete", run.id)],
];

// Shows a field in `place`. Enter or leaving it saves a changed text, Escape restores what was there.
export const editText = (place, label, text, save, restore) => {
  let isOver = false;
  const field = node("input", {
    class: "hw-input",
    "aria-label": label,
    value: text,
    maxlength: 500,
    onkeydown: (event) => {
      event.stopPropagation();
      if (event.key === "Enter") end(true);
      if (event.key === "Escape") end(false);
    },
    onblur: () => end(true),
  });
  const end = (isSaved) => {
    if (isOver) return;
    isOver = true;
    restore();
    if (isSaved && field.value.trim() !== text) save(field.value);
  };
  place.replaceChildren(field);
  field.focus();
  field.select();
};
