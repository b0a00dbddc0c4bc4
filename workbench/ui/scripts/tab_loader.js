// Asks the server for tabs that were not sent with the page. It draws nothing.
export const mount = ({ trigger }) => {
  window.hermesWorkbench.attachTabLoader((tab) => trigger("open_tab", { tab }));
};
