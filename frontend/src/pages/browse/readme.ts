// Preparation of a README for display. READMEs lay out their text with HTML, which Markdown.svelte shows as text.

/** Matches code, and the tags that are replaced. Any other tag stays in the text and is shown as written. */
const layout =
  /(`+[^`]*`+)|<(\/?)(a|abbr|b|br|center|code|dd|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|img|kbd|li|ol|p|picture|pre|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|ul|video)(?![\w-])([^<>]*)>/gi;
const fence = /^ {0,3}(?:```|~~~)/;
const alternative = /\balt\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

/** withoutComments removes HTML comments, also one without an end. */
function withoutComments(text: string): string {
  let out = "";
  let at = 0;
  for (let from = text.indexOf("<!--"); from >= 0; from = text.indexOf("<!--", at)) {
    out += text.slice(at, from);
    const end = text.indexOf("-->", from);
    if (end < 0) return out;
    at = end + 3;
  }
  return out + text.slice(at);
}

/** replaced returns Markdown in place of a tag. */
function replaced(closes: boolean, tag: string, attributes: string): string {
  switch (tag.toLowerCase()) {
    case "b":
    case "strong":
      return "**";
    case "code":
    case "kbd":
      return "`";
    case "br":
      return "  \n";
    case "hr":
      return "\n\n---\n\n";
    case "li":
      return closes ? "" : "\n- ";
    case "td":
    case "th":
      return " ";
    case "img": {
      const found = alternative.exec(attributes);
      return found?.[1] ?? found?.[2] ?? "";
    }
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return closes ? "\n\n" : `\n\n${"#".repeat(Number(tag.charAt(1)))} `;
    case "p":
    case "div":
    case "details":
    case "summary":
    case "tr":
    case "ul":
    case "ol":
      return "\n";
    default:
      return "";
  }
}

/** plainReadme replaces the HTML of a README by Markdown or nothing, except in code. */
export function plainReadme(text: string): string {
  const out: string[] = [];
  let within: string[] = [];
  let code = false;
  const flush = () => {
    if (!within.length) return;
    const plain = withoutComments(within.join("\n")).replace(
      layout,
      (_, quoted: string | undefined, closes: string, tag: string, attributes: string) =>
        quoted ?? replaced(closes === "/", tag, attributes),
    );
    out.push(plain);
    within = [];
  };
  for (const line of text.split("\n")) {
    if (!fence.test(line)) {
      within.push(line);
      continue;
    }
    if (code) out.push(...within.splice(0), line);
    else {
      flush();
      out.push(line);
    }
    code = !code;
  }
  if (code) out.push(...within);
  else flush();
  return out.join("\n");
}
