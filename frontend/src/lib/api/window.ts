// What the native window offers to its page. In a browser all of it is missing, and the page does without.

/** Where the hub is and how to come in. */
export interface Connection {
  url: string;
  token: string;
}

/** The methods that app/bindings.go binds; a refusal is an Error whose message may be shown. */
export interface WindowBindings {
  Connect(): Promise<Connection>;
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
