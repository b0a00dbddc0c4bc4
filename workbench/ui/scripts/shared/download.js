// Downloads a text from the server as a file; draws nothing. Each new value is downloaded once.
import { saveFile } from "./dom.js";
import { followNew } from "./serial.js";

/** @param {Part<DownloadView>} part */
export const mount = ({ follow }) =>
  followNew(follow, (value) => saveFile(value.name, value.text, value.media_type));
