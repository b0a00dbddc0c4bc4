// What the list of runs and the menu of a run do (`suite_run.js`).
interface RunWork {
  open: (id: string) => void;
  change: (action: string, id: string, value?: string) => void;
  download: (id: string, form: string) => void;
}

interface RunMenuWork extends Pick<RunWork, "change">, Partial<Pick<RunWork, "download">> {
  /** Asks for a text, and sends it. */
  edit: (label: string, text: string, action: string) => void;
}
