import type { Spec } from "./schema.ts";

/** What every field is given. */
export interface FieldProps {
  name: string;
  spec: Spec;
  value: unknown;
  required: boolean;
  /** Where the value stands, as a JSON pointer. */
  place: string;
  /** How many objects and lists it stands in. */
  depth: number;
  /** Given the new value; undefined leaves it out. */
  onchange: (value: unknown) => void;
}

/** What a single control is given. */
export interface ControlProps {
  spec: Spec;
  value: unknown;
  onchange: (value: unknown) => void;
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
}
