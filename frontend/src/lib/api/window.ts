// The bindings of the native window. In a browser they do not exist, and the page works without them.

/** The hub's address and token. */
export interface Connection {
  url: string;
  token: string;
}

/** The methods that app/bindings.go binds. A rejection is an Error whose message is written for people. */
export interface WindowBindings {
  /**
   * Connects to the running hub, or starts a hub if none is running. If the user has stopped the hub, Connect does
   * not start a hub and returns stopped = true. Start starts a hub in any case.
   */
  Connect(): Promise<Connection & { stopped: boolean }>;
  Start(): Promise<Connection>;
  /** difference says how the version of the running hub differs from that of the window; "" if it is the same. */
  About(): Promise<{ name: string; version: string; difference?: string }>;
  OpenURL(url: string): Promise<void>;
  OpenFolder(kind: "data" | "logs"): Promise<void>;
  ChooseFile(title: string, filter: string): Promise<string>;
  ChooseFolder(title: string): Promise<string>;
  SaveFile(name: string, content: string): Promise<string>;
  OpenTest(server: string): Promise<void>;
  Quit(): Promise<void>;
  StartAtLogin(): Promise<boolean>;
  SetStartAtLogin(on: boolean): Promise<void>;
  Ready?(): Promise<void>;
}

declare global {
  interface Window {
    go?: { app?: { Window?: WindowBindings } };
    runtime?: { EventsOn(name: string, callback: (...data: unknown[]) => void): () => void };
  }
}

/** The bindings of the window that shows this page; undefined in a browser. */
export const native = (): WindowBindings | undefined => window.go?.app?.Window;

/** openPage opens a web page in the user's browser. */
export async function openPage(url: string): Promise<void> {
  const bindings = native();
  if (bindings) await bindings.OpenURL(url);
  else window.open(url, "_blank", "noopener,noreferrer");
}
