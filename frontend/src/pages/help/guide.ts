// The guide: the Markdown files in frontend/guide, which are bundled with this page. The pages for developers and the list
// of attacks on the sandbox are left out, because they are of use only beside the sources.

import { address, type Resolve } from "$lib/markdown/piece";
import { link } from "$lib/stores/router.svelte";

const repository = "https://github.com/agent-discover/agent-discover/blob/main/frontend/guide/";

const files = import.meta.glob<string>(["../../../guide/*.md", "!../../../guide/{attacks,changing,developing}.md"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const texts = new Map(Object.entries(files).map(([path, text]) => [path.replace(/^.*\/|\.md$/g, ""), text]));

export interface GuidePage {
  /** The name of the page's file without the extension. */
  id: string;
  title: string;
  text: string;
}

/** The page that lists the others. */
export const contents: GuidePage = { id: "", title: "Guide", text: texts.get("README") ?? "" };

/** The pages in the order and the groups of the contents. */
export const groups: { title: string; pages: GuidePage[] }[] = [];

for (const line of contents.text.split("\n")) {
  const [, title = "", id = ""] = /^- \[(.+?)\]\((.+?)\.md\)/.exec(line) ?? [];
  if (texts.has(id)) groups.at(-1)?.pages.push({ id, title, text: withoutPictures(texts.get(id) ?? "") });
  else if (/^\w.*:$/.test(line)) groups.push({ title: line.slice(0, -1), pages: [] });
}

export const pages: GuidePage[] = groups.flatMap((group) => group.pages);

/** pageOf returns the page of an id, the contents for "", and undefined for another id. */
export const pageOf = (id: string): GuidePage | undefined => (id ? pages.find((page) => page.id === id) : contents);

/** withoutPictures removes the pictures of the dashboard, because readers have the dashboard on the screen. */
function withoutPictures(text: string): string {
  return text.replace(/^!\[.*\n+/gm, "");
}

/** fragmentOf returns the fragment by which links name a heading, as GitHub makes it. */
export const fragmentOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** place returns the href of a page, with a heading. */
const place = (id: string, fragment: string): string =>
  (id ? link("help", id) : link("help")) + (fragment ? `?at=${encodeURIComponent(fragment)}` : "");

/**
 * resolverOf returns a function that resolves the links of a page: to pages of the guide, or to files in the
 * repository.
 */
export const resolverOf =
  (page: GuidePage): Resolve =>
  (target) => {
    const [file = "", fragment = ""] = target.split("#", 2);
    if (!file) return place(page.id, fragment);
    const id = file === "README.md" ? "" : /^([\w-]+)\.md$/.exec(file)?.[1];
    if (id !== undefined && pageOf(id)) return place(id, fragment);
    return address(target) ?? new URL(target, repository).href;
  };

/** sentences returns the sentences, rows and lines of code of a page, without the marks of Markdown. */
const sentences = (text: string): string[] =>
  text
    .split(/^```.*$/m)
    .flatMap((part, i) => (i % 2 ? part : part.replace(/\n(?! *[-#|\d\n])/g, " ")).split(/\n|(?<=[.?]) +/))
    .filter((line) => !line.startsWith("# "))
    .map((line) =>
      line
        .replace(/\[(.+?)\]\(.+?\)/g, "$1")
        .replace(/^[-#*|> ]+|\*\*|`|\|$/g, "")
        .replaceAll("|", "·")
        .trim(),
    );

export interface Found {
  page: GuidePage;
  /** The sentence of the page that contains the most words of the query. */
  line: string;
}

/**
 * search returns the pages that contain all words of a text. Pages whose titles contain more of the words come first.
 */
export function search(text: string): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const having = (text: string) => words.filter((word) => text.toLowerCase().includes(word)).length;
  return pages
    .filter((page) => having(page.text) === words.length)
    .sort((a, b) => having(b.title) - having(a.title))
    .map((page) => {
      const line = sentences(page.text).reduce((best, line) => (having(line) > having(best) ? line : best), "");
      return { page, line };
    });
}
