// Hands a text to the browser as a file; draws nothing. A value is a file: each new one is downloaded once.
import { saveFile } from "./dom.js";
import { followNew } from "./serial.js";

export const mount = ({ follow }) =>
  followNew(follow, (value) => saveFile(value.name, value.text, "application/x-ndjson"));
