// The menu of a run, in the list and above its report.
const FORMS = [
  ["html", "HTML"],
  ["json", "JSON"],
  ["junit", "JUnit XML"],
  ["markdown", "Markdown"],
];

// The items to download the report of a run.
/** @type {(run: { id: string }, download: RunWork["download"]) => MenuItem[]} */
export const downloads = (run, download) =>
  FORMS.map(([form, label]) => ["Download as " + label, () => download(run.id, form)]);

// The items of a run's menu.
/** @type {(run: Pick<RunRowView, "id" | "title" | "tags" | "is_shared">, work: RunMenuWork) => MenuItem[]} */
export const runActions = (run, { edit, change, download }) => [
  ["Rename", () => edit("Title of the run", run.title, "rename")],
  ["Edit tags", () => edit("Tags, separated by commas", run.tags.join(", "), "tag")],
  run.is_shared
    ? ["Stop sharing", () => change("unshare", run.id)]
    : ["Share report by link", () => change("share", run.id)],
  ...(download ? downloads(run, download) : []),
  ["Delete", () => change("delete", run.id)],
];
