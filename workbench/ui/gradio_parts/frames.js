// Ends a clock of Gradio that never stops. The loader that is shown before the page counts its seconds by asking for one
// animation frame from within the other, and goes on after it has left the page, for as long as that is open.
//
// Nothing on this page is animated for that long. So a chain of frames that began before the page's first component was
// there is ended once it goes on for LONGEST_MS after that. For example, a chain that has asked for a frame sixty times
// a second since the loader was shown gets no further frame, while a transition of half a second ends by itself.
//
// *Gradio 6.31:* `assets/statustracker` (js/statustracker/static/index.svelte, `run`).
{
  const LONGEST_MS = 600;
  const ask = window.requestAnimationFrame.bind(window);
  // When the chain began of which a frame is being drawn now.
  let began = null;
  window.requestAnimationFrame = (callback) => {
    const since = began ?? performance.now();
    // When the page's first component was there; undefined until then.
    const mountedAt = window.hermesWorkbench?.mountedAt;
    if (since < mountedAt && performance.now() > mountedAt + LONGEST_MS) return 0;
    return ask((time) => {
      began = since;
      try {
        callback(time);
      } finally {
        began = null;
      }
    });
  };
}
