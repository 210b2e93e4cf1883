// The current place in the dashboard. It is kept in the URL fragment, which works in a browser and in the native
// window.

/** A place in the dashboard: path segments and query parameters. */
export interface Place {
  path: string;
  segments: string[];
  query: URLSearchParams;
}

function parse(): Place {
  let hash = location.hash.slice(1);
  const test = /^\/tester\/([^/]+)$/.exec(location.pathname);
  if (!hash && test) hash = `/test/${test[1]}?popout=1`;
  else if (!hash && location.pathname !== "/") {
    // An address such as /servers, typed without the "#".
    hash = location.pathname.replace(/^\/tester\b/, "/test") + location.search;
    history.replaceState(null, "", `/#${hash}`);
  }
  const [path = "/", query = ""] = (hash.startsWith("/") ? hash : "/").split("?", 2);
  return { path, segments: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

class Router {
  place = $state<Place>(parse());

  constructor() {
    addEventListener("hashchange", () => (this.place = parse()));
  }

  /** The first segment, which names the page. */
  get page(): string {
    return this.place.segments[0] ?? "overview";
  }

  /** go opens a place such as "/servers/memory?tab=tools". */
  go(path: string): void {
    if (`#${path}` !== location.hash) location.hash = path;
  }

  /** replace opens a place without adding to the browser history. */
  replace(path: string): void {
    history.replaceState(null, "", `${location.pathname}#${path}`);
    this.place = parse();
  }

  /** beside returns another path with the current query parameters, such as filters. */
  beside(...segments: (string | number)[]): string {
    const query = this.place.query.toString();
    return link(...segments).slice(1) + (query ? `?${query}` : "");
  }

  /** set changes query parameters without adding to the browser history; an empty value removes one. */
  set(values: Record<string, string | undefined>): void {
    const query = new URLSearchParams(this.place.query);
    for (const [name, value] of Object.entries(values)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    const rest = query.toString();
    history.replaceState(null, "", `${location.pathname}#${this.place.path}${rest ? `?${rest}` : ""}`);
    this.place = parse();
  }
}

export const router = new Router();

/** link returns the href of a place. */
export const link = (...segments: (string | number)[]): string =>
  "#/" + segments.map((segment) => encodeURIComponent(String(segment))).join("/");
