// The fields of `sampling.js`, as `ui/present` declares them for the page's head.
type SamplingValue = string | number | boolean | null;

interface SamplingField {
  /** Of its element on the page. */
  id: string;
  name: string;
  label: string;
  kind: string;
  /** 0 is always shown, the others below "More sampling". */
  row: number;
  least?: number;
  most?: number;
  step?: number;
  options?: [text: string, value: number][];
  placeholder?: string;
}

interface SamplingControl {
  element: PageElement;
  read: () => SamplingValue;
  show: (value: any) => void;
}
