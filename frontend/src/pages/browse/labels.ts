// The words for sources, ways to run a server, and categories.

const sources: Record<string, string> = { official: "Official registry", npm: "npm", pypi: "PyPI" };

export const sourceWord = (source: string): string => sources[source] ?? source;

/** The values of the filter by source. */
export const sourceIds = Object.keys(sources);

const runtimes: Record<string, string> = {
  npm: "Node.js",
  pypi: "Python",
  oci: "Container",
  nuget: ".NET",
  mcpb: "Bundle",
  cargo: "Rust",
  remote: "Remote",
};

/** runtimeWord returns what runs a kind of package, or Remote for a server that runs elsewhere. */
export const runtimeWord = (kind: string): string => runtimes[kind] ?? kind;

/** The values of the filter by runtime. */
export const runtimeIds = Object.keys(runtimes);

/** categoryWord capitalizes the name of a category. */
export const categoryWord = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** runtimesOf returns how the server of a listing can be run, each way once. */
export const runtimesOf = (server: { packages?: { kind: string }[] | null; remotes?: unknown[] | null }): string[] => [
  ...new Set([...(server.packages ?? []).map(({ kind }) => kind), ...(server.remotes?.length ? ["remote"] : [])]),
];

/** shortName returns the last part of a listing's name: weather of io.github.user/weather. */
export const shortName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
