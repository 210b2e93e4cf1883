// The state of the inspector for one server: lists, requests, answers and events. It is kept until the dashboard is
// closed, so that it survives a visit to other pages.

import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { messageOf } from "$lib/api/client";
import { isObject, own, print } from "$lib/form/json";
import { FormModel } from "$lib/form/model.svelte";
import { hub } from "$lib/stores/hub.svelte";
import { ofNotification, ofProgress, ofQuestion, ofRootsRequest, ofSampling, type ServerEvent } from "./events";
import type { ServerMessage } from "$lib/api/socket";
import { Listing } from "./listing.svelte";
import { promptsOf, resourcesOf, templatesOf, toolsOf } from "./lists";
import type { Target } from "./target";
import { EXTENSION, startedBy, taskOf, type Task } from "./tasks";

export type RequestKind = "tool" | "prompt" | "resource";

/** A request to the server, with its answer. */
export interface Entry {
  id: number;
  what: RequestKind;
  /** The name of the tool or prompt, or the URI of the resource. */
  name: string;
  args: Record<string, unknown>;
  at: number;
  ms: number;
  status: "done" | "failed" | "cancelled";
  /** The answer as the hub sent it. */
  text: string;
  /** Why the request failed; "" if it has an answer. */
  problem: string;
}

export interface Running {
  what: RequestKind;
  name: string;
  since: number;
  abort: AbortController;
}

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export interface About {
  name: string;
  version: string;
  instructions: string;
  capabilities: Record<string, unknown>;
  /** The version of MCP that is spoken with the server. */
  protocol: string;
  /** The capabilities that the hub declares to the server. */
  declared: Record<string, unknown>;
}

const MAX_EVENTS = 2_000;
const MAX_ENTRIES = 50;
const MAX_TASKS = 200;
const MAX_MESSAGES = 1_000;
const MAX_CHARACTERS = 8_000_000; // of all messages
let nextId = 1;

export class TestSession {
  readonly tools: Listing<ReturnType<typeof toolsOf>[number]>;
  readonly resources: Listing<ReturnType<typeof resourcesOf>[number]>;
  readonly templates: Listing<ReturnType<typeof templatesOf>[number]>;
  readonly prompts: Listing<ReturnType<typeof promptsOf>[number]>;
  about = $state.raw<About>();
  aboutProblem = $state("");
  /** Messages that the server sent without a request, oldest first. */
  events = $state.raw<ServerEvent[]>([]);
  /** The latest requests, newest first. */
  entries = $state.raw<Entry[]>([]);
  /** The ids of the requests to show, by kind and name. A new request replaces the user's choice. */
  readonly picked = new SvelteMap<string, number>();
  /** JSON-RPC messages between the hub and the server, oldest first. */
  messages = $state.raw<ServerMessage[]>([]);
  /** The number of messages that were lost before they reached this page. */
  missed = $state(0);
  #cleared = -1;
  running = $state.raw<Running>();
  progress = $state.raw<Progress>();
  /** The URIs of subscribed resources, with the time of their last change or "". */
  readonly watched = new SvelteMap<string, string>();
  readonly changed = new SvelteSet<string>();
  level = $state("");
  /** The tasks of the server that are known, newest first. */
  tasks = $state.raw<Task[]>([]);
  pings = $state.raw<{ at: number; ms: number }[]>([]);
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- never rendered
  #forms = new Map<string, FormModel>();
  #ends: (() => void)[];

  constructor(readonly target: Target) {
    this.tools = new Listing(target, "/tools", "tools", toolsOf);
    this.resources = new Listing(target, "/resources", "resources", resourcesOf);
    this.templates = new Listing(target, "/resource-templates", "resourceTemplates", templatesOf);
    this.prompts = new Listing(target, "/prompts", "prompts", promptsOf);
    this.#ends = [
      hub.on("notification", (message) => {
        if (message.serverName !== target.server) return;
        this.#note(ofNotification(message));
        this.#handle(message.method, message.params, message.ts);
      }),
      hub.on("messages", ({ serverName, missed = 0, messages }) => {
        if (serverName === target.server) this.#keep(messages, missed);
      }),
      hub.on("progress", (message) => {
        if (message.serverName !== target.server) return;
        this.#note(ofProgress(message));
        const { token, progress = 0, total, message: words } = message.payload;
        if (this.running?.what === "tool" && token === this.running.name)
          this.progress = { progress, total, message: words };
      }),
      hub.on(
        "elicitation_request",
        (message) => message.serverName === target.server && this.#note(ofQuestion(message)),
      ),
      hub.on("log_entry", (message) => {
        if (message.entry.server !== target.server || message.entry.kind !== "sampling") return;
        this.#note(ofSampling(message));
      }),
    ];
  }

  /** close stops listening and cancels the running request. */
  close(): void {
    this.running?.abort.abort();
    this.#ends.forEach((end) => end());
  }

  /** #keep adds messages. After a reconnect, the hub sends the recorded ones again. */
  #keep(more: ServerMessage[], missed: number): void {
    const last = this.messages.at(-1)?.n ?? this.#cleared;
    const fresh = more.filter(({ n }) => n > last);
    for (const message of fresh)
      if (message.direction === "received" && message.method === "roots/list")
        this.#note(ofRootsRequest(message.at, message.text));
    const all = [...this.messages, ...fresh].slice(-MAX_MESSAGES);
    let size = all.reduce((sum, { text }) => sum + text.length, 0);
    while (size > MAX_CHARACTERS && all.length > 1) size -= all.shift()?.text.length ?? 0;
    this.messages = all;
    this.missed += missed;
  }

  clearMessages(): void {
    this.#cleared = this.messages.at(-1)?.n ?? this.#cleared;
    this.messages = [];
    this.missed = 0;
  }

  #note(event: ServerEvent): void {
    this.events = [...this.events.slice(1 - MAX_EVENTS), event];
  }

  /** keepTask adds a task, or replaces what is known of it. */
  keepTask(task: Task | undefined): void {
    if (!task) return;
    const at = this.tasks.findIndex(({ id }) => id === task.id);
    this.tasks = at < 0 ? [task, ...this.tasks].slice(0, MAX_TASKS) : this.tasks.with(at, task);
  }

  /** #handle reacts to a notification that a list or a subscribed resource has changed. */
  #handle(method: string, params: unknown, at: string): void {
    if (method === "notifications/tools/list_changed") void this.tools.reload();
    else if (method === "notifications/prompts/list_changed") void this.prompts.reload();
    else if (method === "notifications/resources/list_changed") void this.resources.reload();
    else if (method === "notifications/tasks/status" || method === "notifications/tasks") this.keepTask(taskOf(params));
    else if (method === "notifications/resources/updated" && isObject(params)) {
      const uri = own(params, "uri");
      if (typeof uri !== "string" || !this.watched.has(uri)) return;
      this.watched.set(uri, at);
      this.changed.add(uri);
    }
  }

  /** open requests the server's name, version, instructions and capabilities. It starts the server if it is stopped. */
  async open(): Promise<void> {
    this.aboutProblem = "";
    try {
      const answer = await this.target.ask("/info");
      const [name, version, instructions, capabilities, protocol, declared] = [
        "name",
        "version",
        "instructions",
        "capabilities",
        "protocolVersion",
        "clientCapabilities",
      ].map((key) => own(answer, key));
      this.about = {
        name: String(name ?? ""),
        version: String(version ?? ""),
        instructions: typeof instructions === "string" ? instructions : "",
        capabilities: isObject(capabilities) ? capabilities : {},
        protocol: String(protocol ?? ""),
        declared: isObject(declared) ? declared : {},
      };
    } catch (problem) {
      this.aboutProblem = messageOf(problem);
    }
  }

  /** can reports whether the server declared a capability, such as can("resources", "subscribe"). */
  can(...path: string[]): boolean {
    let at: unknown = this.about?.capabilities;
    for (const key of path) at = isObject(at) ? own(at, key) : undefined;
    return at !== undefined && at !== false && at !== null;
  }

  /** modernTasks reports whether the server has tasks as MCP 2026-07-28 defines them. */
  get modernTasks(): boolean {
    return this.can("extensions", EXTENSION);
  }

  /** form returns the form of a tool, prompt or template, with the values that the user entered before. */
  form(what: string, name: string, schema: unknown): FormModel {
    const key = `${what} ${name} ${print(schema, 0)}`;
    const known = this.#forms.get(key);
    if (known) return known;
    // The form outlives the component that asks for it first.
    let made!: FormModel;
    this.#ends.push($effect.root(() => void (made = new FormModel(schema))));
    this.#forms.set(key, made);
    return made;
  }

  /**
   * completer returns a function for the suggestions of a form: the server's completions of an argument of a prompt or a
   * variable of a template. It returns undefined if the server offers none.
   */
  completer(ref: { prompt: string } | { template: string }, form: FormModel): FormModel["complete"] {
    if (!this.can("completions")) return undefined;
    return async (argument, value) => {
      const others = isObject(form.value) ? Object.entries(form.value).filter(([name]) => name !== argument) : [];
      const body = { ...ref, argument, value, arguments: Object.fromEntries(others) };
      const values = own(await this.target.ask("/complete", body), "values");
      return Array.isArray(values) ? values.filter((one) => typeof one === "string") : [];
    };
  }

  /** run sends a request that can be cancelled, and records the answer. It does nothing while another request runs. */
  async run(what: RequestKind, name: string, args: Record<string, unknown>, path: string, body: object): Promise<void> {
    if (this.running) return;
    const running: Running = { what, name, since: Date.now(), abort: new AbortController() };
    this.running = running;
    this.progress = undefined;
    const began = performance.now();
    let [text, problem] = ["", ""];
    try {
      text = await this.target.text(path, body, running.abort.signal);
    } catch (failure) {
      problem = running.abort.signal.aborted ? "Cancelled." : messageOf(failure);
    }
    if (what === "tool") this.keepTask(startedBy(text));
    const status = running.abort.signal.aborted ? "cancelled" : problem ? "failed" : "done";
    const ms = performance.now() - began;
    const entry: Entry = { id: nextId++, what, name, args, at: running.since, ms, status, text, problem };
    this.running = undefined;
    this.entries = [entry, ...this.entries].slice(0, MAX_ENTRIES);
    this.picked.set(`${what} ${name}`, entry.id);
  }

  /** shown returns the request to show for a tool, prompt or resource: the picked one, or the newest. */
  shown(what: RequestKind, name: string): Entry | undefined {
    const id = this.picked.get(`${what} ${name}`);
    return this.entries.find((entry) =>
      id === undefined ? entry.what === what && entry.name === name : entry.id === id,
    );
  }

  pick(entry: Entry): void {
    this.picked.set(`${entry.what} ${entry.name}`, entry.id);
  }

  async watch(uri: string, on: boolean): Promise<void> {
    await this.target.text(on ? "/resource/subscribe" : "/resource/unsubscribe", { uri });
    if (on) this.watched.set(uri, "");
    else this.watched.delete(uri);
    this.changed.delete(uri);
  }

  /** stopped discards the subscriptions and the log level, which a server forgets when it stops. */
  stopped(): void {
    this.watched.clear();
    this.changed.clear();
    this.tasks = [];
    this.level = "";
  }
}

// eslint-disable-next-line svelte/prefer-svelte-reactivity -- never rendered
const sessions = new Map<string, TestSession>();

/** sessionOf returns the session of a server, and creates it if needed. */
export function sessionOf(target: Target): TestSession {
  const known = sessions.get(target.server);
  if (known && known.target.id === target.id) return known;
  known?.close();
  const made = new TestSession(target);
  sessions.set(target.server, made);
  return made;
}

/** forget ends the session of a server that was removed. */
export function forget(server: string): void {
  sessions.get(server)?.close();
  sessions.delete(server);
}
