// Writes the open session into the address bar; draws nothing.
import { setInAddress } from "./page.js";

export const mount = ({ follow }) =>
  follow((value) => {
    if (value) setInAddress({ session: value.session, shared: value.shared, message: value.message });
  });
