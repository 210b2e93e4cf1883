import type { Spec } from "./schema.ts";

/** The props of each field of a form. */
export interface FieldProps {
  name: string;
  spec: Spec;
  value: unknown;
  required: boolean;
  /** The JSON pointer of the value. */
  place: string;
  /** The number of objects and arrays around the field. */
  depth: number;
  /** Called with the new value, or undefined to remove the value. */
  onchange: (value: unknown) => void;
}

/** The props of a control inside a Row. */
export interface ControlProps {
  spec: Spec;
  value: unknown;
  onchange: (value: unknown) => void;
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
}
