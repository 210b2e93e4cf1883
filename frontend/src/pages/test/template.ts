// URI templates (RFC 6570), as MCP resource templates use them.

const PLACE = /\{([+#./;?&]?)([^{}]*)\}/g;
const VARIABLE = /^([A-Za-z0-9_.%-]+)(?::\d+|\*)?$/;

/** variablesOf returns the variables of a template and whether each is required. */
export function variablesOf(template: string): { name: string; required: boolean }[] {
  const found = new Map<string, boolean>();
  for (const [, operator = "", list = ""] of template.matchAll(PLACE)) {
    for (const part of list.split(",")) {
      const name = VARIABLE.exec(part.trim())?.[1];
      if (name) found.set(name, found.get(name) || !["?", "&", ";", "#"].includes(operator));
    }
  }
  return [...found].map(([name, required]) => ({ name, required }));
}

const forms: Record<string, { first: string; between: string; named: boolean; open: boolean }> = {
  "": { first: "", between: ",", named: false, open: false },
  "+": { first: "", between: ",", named: false, open: true },
  "#": { first: "#", between: ",", named: false, open: true },
  ".": { first: ".", between: ".", named: false, open: false },
  "/": { first: "/", between: "/", named: false, open: false },
  ";": { first: ";", between: ";", named: true, open: false },
  "?": { first: "?", between: "&", named: true, open: false },
  "&": { first: "&", between: "&", named: true, open: false },
};

/** expand fills in a template; variables without a value are omitted. */
export function expand(template: string, values: Record<string, unknown>): string {
  return template.replace(PLACE, (whole, operator: string, list: string) => {
    const form = forms[operator];
    if (!form) return whole;
    const parts = list.split(",").flatMap((part) => {
      const name = VARIABLE.exec(part.trim())?.[1];
      const value = name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
      if (name === undefined || value === undefined || value === null) return [];
      const length = Number(/:(\d+)$/.exec(part)?.[1] ?? Infinity);
      const text = encode([...String(value)].slice(0, length).join(""), form.open);
      return [form.named ? `${name}=${text}` : text];
    });
    return parts.length ? form.first + parts.join(form.between) : "";
  });
}

/** encode percent-encodes a value. With open, reserved characters are not encoded. */
function encode(text: string, open: boolean): string {
  const safe = text.replace(/\p{Surrogate}/gu, "\ufffd"); // lone surrogates cannot be encoded
  if (open) return encodeURI(safe).replaceAll("%25", "%");
  return encodeURIComponent(safe).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

export const schemaOf = (template: string): object => {
  const variables = variablesOf(template);
  return {
    type: "object",
    properties: Object.fromEntries(
      variables.map(({ name }) => [name, { type: "string", maxLength: 2_000, minLength: 0 }]),
    ),
    required: variables.filter(({ required }) => required).map(({ name }) => name),
  };
};
