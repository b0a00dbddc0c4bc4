// What Send sends: the texts as they are in their documents. Gradio's values can be older while it draws a field again.
// While Play is being opened, the button is pressed again once the page shows what it was asked for.
import { idOf, textOf } from "../drafts/documents.js";
import { press } from "../shared/page.js";

const COMPOSER = "play-composer";
const { hermesWorkbench } = window;

const written = (/** @type {string} */ field, /** @type {unknown} */ value) =>
  idOf(field) ? textOf(field) : value;

// `fields` has the id of the field for each of `values`, the inputs of the event, if the field shows a document.
hermesWorkbench.written = (/** @type {unknown[]} */ values, /** @type {string[]} */ fields) =>
  values.map((value, place) => (fields[place] ? written(fields[place], value) : value));

hermesWorkbench.sent = (/** @type {unknown[]} */ values, /** @type {string[]} */ fields) => {
  const message = () => written(COMPOSER, document.querySelector(`#${COMPOSER} textarea`).value);
  const text = message();
  // Another message, such as the one of a session that was opened meanwhile, is not sent.
  const sendAgain = () => message() === text && press("play-send");
  if (hermesWorkbench.router.afterOpening("play", "send", sendAgain))
    hermesWorkbench.drop("the page is being opened");
  return hermesWorkbench.written(values, fields);
};
