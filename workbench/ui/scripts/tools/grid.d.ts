// Rows of a text as cells that a person edits (`row_grid.js`).

/** The cells of a row, by their names. */
type GridValues = Record<string, any>;

interface GridRows {
  /** Whether the text can be read. The rows are hidden otherwise. */
  is_object: boolean;
  text: string;
  rows: GridValues[];
}

interface GridForm<Event extends string> {
  /** The name of a row. */
  what: string;
  /** Element id of the editor whose text the rows are from. */
  field: string;
  /** The event of an edit. */
  event: Event;
  columns: [name: string, label: string][];
  /** The cell of the second line. */
  second: [name: string, label: string];
  /** Attributes of cells. */
  hints: Record<string, Attributes>;
  /** The values of cells that have no others. */
  choices?: Record<string, string[]>;
  /** A new row. */
  blank: GridValues;
  /** What the second line adds. */
  note?: (row: GridValues) => Drawable;
}
