// A word diff.
import { node } from "./dom.js";

const PIECES = {
  same: (word) => word.text,
  add: (word) => node("ins", {}, word.text),
  drop: (word) => node("del", {}, word.text),
};

export const words = (pieces) => pieces.map((piece) => PIECES[piece.kind](piece));
