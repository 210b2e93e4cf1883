// The bindings of the native window. A browser has none of them, and the page works without.

/** The hub's address and token. */
export interface Connection {
  url: string;
  token: string;
}

/** The methods that app/bindings.go binds. A rejection is an Error whose message is written for people. */
export interface WindowBindings {
  /** stopped: the user has stopped the hub, and only Start starts it. */
  Connect(): Promise<Connection & { stopped: boolean }>;
  Start(): Promise<Connection>;
  About(): Promise<{ name: string; version: string }>;
  OpenURL(url: string): Promise<void>;
  OpenFolder(kind: "data" | "logs"): Promise<void>;
  ChooseFile(title: string, filter: string): Promise<string>;
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
