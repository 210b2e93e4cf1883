// Short descriptions of field types.

import type { Spec } from "./schema.ts";

/** kindOf returns a short description of a type and its limits: "integer, 1 to 100". */
export function kindOf(spec: Spec): string {
  const limits = limitsOf(spec);
  return [nameOf(spec), ...(limits ? [limits] : [])].join(", ");
}

function nameOf(spec: Spec): string {
  switch (spec.kind) {
    case "string":
      return spec.format && spec.format.length < 24 ? spec.format : "text";
    case "enum":
      return `one of ${spec.options.length}`;
    case "choices":
      return `any of ${spec.options.length}`;
    case "array":
      return "list";
    case "variant":
      return `one of ${spec.variants.length} kinds`;
    case "raw":
      return "JSON";
  }
  return spec.kind;
}

function limitsOf(spec: Spec): string {
  if (spec.kind === "number" || spec.kind === "integer")
    return range(spec.minimum ?? spec.above, spec.maximum ?? spec.below, "");
  if (spec.kind === "string") return range(spec.minLength, spec.maxLength, " characters");
  if (spec.kind === "array" || spec.kind === "choices") return range(spec.minItems, spec.maxItems, "");
  return "";
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (from !== undefined) return from === 0 && unit ? "" : `from ${from}${unit}`;
  return to === undefined ? "" : `up to ${to}${unit}`;
}
