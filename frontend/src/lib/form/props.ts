import type { Spec } from "./schema.ts";

/** Props of every field. */
export interface FieldProps {
  name: string;
  spec: Spec;
  value: unknown;
  required: boolean;
  /** The JSON pointer of the value. */
  place: string;
  /** The number of objects and lists around it. */
  depth: number;
  /** Called with the new value; undefined removes it. */
  onchange: (value: unknown) => void;
}

/** Props of a single control. */
export interface ControlProps {
  spec: Spec;
  value: unknown;
  onchange: (value: unknown) => void;
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
}
