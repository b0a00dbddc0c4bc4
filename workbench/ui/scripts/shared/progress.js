// The progress of what takes long, with a button to stop it.
import { html } from "./lit_html.js";

/** @type {(label: string, share: number) => Template} */
export const progressBar = (label, share) =>
  html`<progress max="1" .value=${share} aria-label=${label}></progress>`;

/** @type {(isRunning: boolean, stop: () => void) => Drawable} */
export const stopButton = (isRunning, stop) =>
  isRunning ? html`<button type="button" class="hw-action" @click=${stop}>Stop</button>` : "";
