import { specOf, type Spec } from "../../src/lib/form/schema.ts";

/** field returns the specification of a member "v" with a schema. */
export const field = (schema: unknown, root: object = {}): Spec => {
  const spec = specOf({ type: "object", properties: { v: schema }, ...root });
  const found = spec.fields[0];
  if (!found) throw new Error(`no field: ${spec.kind} ${spec.why}`);
  return found.spec();
};
