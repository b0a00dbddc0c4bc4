// Finds the CodeMirror view of one of Gradio's code editors, which neither Gradio nor CodeMirror offers. The view draws its
// text in an element that refers to it, by a name that differs between versions of CodeMirror.
//
// *Gradio 6.31:* `assets/dist` (@codemirror/view).
window.hermesWorkbench.codeViewOf = (content) => {
  const tile = content.cmTile || content.cmView;
  return tile ? tile.view || tile.root?.view : null;
};
