// Ends a clock of Gradio that never stops. The loader that is shown before the page counts its seconds by asking for one
// animation frame after the other, and goes on after it has left the page, for as long as that is open (gradio 6.31,
// js/statustracker/static/index.svelte, `run`). No progress display of this page shows seconds, so none has to count.
{
  const ask = window.requestAnimationFrame.bind(window);
  const isClock = (callback) => /performance\.now\(\)[^;]*\/1e3/.test(callback);
  window.requestAnimationFrame = (callback) => (isClock(callback) ? 0 : ask(callback));
}
