/** What the palette finds: on the server, or on the page. */
interface FoundItem {
  kind: string;
  name: string;
  note: string;
  id?: string;
  /** Of a draft. */
  text?: string;
  /** Of a command. */
  work?: () => void;
}
