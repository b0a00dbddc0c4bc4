// A word diff.
import { html } from "./lit_html.js";

/** @type {Record<string, (text: string) => Drawable>} */
const PIECES = {
  same: (text) => text,
  add: (text) => html`<ins>${text}</ins>`,
  drop: (text) => html`<del>${text}</del>`,
};

export const words = (/** @type {DiffWord[]} */ pieces) => pieces.map(({ kind, text }) => PIECES[kind](text));
