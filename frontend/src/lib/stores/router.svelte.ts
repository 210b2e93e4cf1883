// Where the user is. The path stands in the fragment, so that the same files serve browser and window.

/** A place in the dashboard: its path in segments, and the rest as named values. */
export interface Place {
  path: string;
  segments: string[];
  query: URLSearchParams;
}

function parse(): Place {
  let hash = location.hash.slice(1);
  const test = /^\/tester\/([^/]+)$/.exec(location.pathname);
  if (!hash && test) hash = `/test/${test[1]}?popout=1`;
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

  /** The first segment: which page. */
  get page(): string {
    return this.place.segments[0] ?? "overview";
  }

  /** go opens a place such as "/servers/memory?tab=tools". */
  go(path: string): void {
    if (`#${path}` !== location.hash) location.hash = path;
  }

  /** replace opens a place without a new entry in the history. */
  replace(path: string): void {
    history.replaceState(null, "", `${location.pathname}#${path}`);
    this.place = parse();
  }

  /** beside returns the path of a place that keeps the named values of this one, such as filters. */
  beside(...segments: (string | number)[]): string {
    const query = this.place.query.toString();
    return link(...segments).slice(1) + (query ? `?${query}` : "");
  }

  /** set changes named values of this place, without a new entry in the history; an empty one is removed. */
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

/** link returns the address of a place, for href. */
export const link = (...segments: (string | number)[]): string =>
  "#/" + segments.map((segment) => encodeURIComponent(String(segment))).join("/");
