// The connection to the hub, and the state that the hub reports over it: servers, clients and calls.

import { ApiError, connect, disconnect, messageOf } from "../api/client.ts";
import { enter, hasTicket, leave, Locked, Stopped } from "../api/session.ts";
import { listen, type LogEntry, type Messages, type MessageType, type Server } from "../api/socket.ts";
import { native } from "../api/window.ts";
import { failing } from "../ui/state.ts";
import { toasts } from "./toasts.svelte.ts";

/**
 * stopped: the user has stopped the hub (native window only). locked: the page cannot sign in again without a new
 * ticket, so the user has to open it again.
 */
export type ConnectionState = "connecting" | "online" | "offline" | "locked" | "stopped";

const FIRST_WAIT = 250; // ms between two connection attempts
const LONGEST_WAIT = 10_000;
const RECENT = 200;

type Listener<T extends MessageType> = (message: Messages[T]) => void;

class Hub {
  connection = $state<ConnectionState>("connecting");
  /** Why the page is not online, as a message for the user. */
  reason = $state("");
  version = $state("");
  /** True once a hub of another version than the page has answered. */
  updated = $state(false);
  paused = $state(false);
  /** The number of running calls. */
  calls = $state(0);
  clients = $state.raw<Messages["hub"]["clients"]>([]);
  /** Why the hub cannot store calls in the log; "" if it can. */
  problem = $state("");
  /**
   * The number of tools and other items that wait for a decision (waiting), or that are in use with a warning
   * (warned).
   */
  held = $state.raw({ waiting: 0, warned: 0 });
  /** All configured servers, in the hub's order. */
  servers = $state.raw<Server[]>([]);
  /** True once the list of servers is loaded. */
  ready = $state(false);
  /** The latest log entries since the page was opened, newest first. */
  recent = $state.raw<LogEntry[]>([]);

  #wait = FIRST_WAIT;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** True while the page signs in. A second sign-in at the same time would end the session of the first. */
  #entering = false;
  #socket: WebSocket | undefined;
  #listeners = new Map<MessageType, Set<Listener<MessageType>>>();
  #followed = new Map<string, number>();

  waiting = $derived(this.servers.filter((server) => !server.approved));
  running = $derived(this.servers.filter((server) => server.running));
  failing = $derived(this.servers.filter(failing));

  /** start connects, and reconnects whenever the connection is lost. */
  start(): void {
    void this.#connect();
    // After sleep or a network loss, reconnect without waiting for the timer.
    addEventListener("online", () => this.retry());
    // A new ticket in the address unlocks a locked page.
    addEventListener("hashchange", () => {
      if (this.connection !== "locked" || !hasTicket()) return;
      this.connection = "connecting";
      void this.#connect();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.retry();
    });
  }

  /** retry connects now if the page is offline. */
  retry(): void {
    if (this.connection !== "offline") return;
    this.#wait = FIRST_WAIT;
    void this.#connect();
  }

  /** lock ends the connection for good, with a reason for the user. */
  lock(reason: string): void {
    disconnect();
    leave();
    this.connection = "locked";
    this.reason = reason;
  }

  /** startHub starts a hub that the user stopped; in the window only. */
  async startHub(): Promise<void> {
    await native()?.Start();
    this.connection = "connecting";
    await this.#connect();
  }

  server(key: string | number): Server | undefined {
    return this.servers.find((server) => server.name === key || server.id === Number(key));
  }

  /** on calls the listener with every message of a type. The returned function removes it. */
  on<T extends MessageType>(type: T, listener: Listener<T>): () => void {
    // eslint-disable-next-line svelte/prefer-svelte-reactivity -- never rendered
    const all = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, all);
    all.add(listener as Listener<MessageType>);
    return () => all.delete(listener as Listener<MessageType>);
  }

  /**
   * follow subscribes to a server's output or its JSON-RPC messages (WebSocket messages of that type) until the returned
   * function is called.
   */
  follow(server: string, what: "output" | "messages" = "output"): () => void {
    const key = JSON.stringify({ server, what });
    const times = (this.#followed.get(key) ?? 0) + 1;
    this.#followed.set(key, times);
    if (times === 1) this.#send({ type: "follow", server, what });
    return () => {
      const left = (this.#followed.get(key) ?? 1) - 1;
      if (left > 0) {
        this.#followed.set(key, left);
        return;
      }
      this.#followed.delete(key);
      this.#send({ type: "unfollow", server, what });
    };
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#entering) return;
    this.#entering = true;
    this.#drop();
    try {
      connect(await enter());
      this.#socket = await listen(this.#take, (reason) => this.#lost(reason || "The connection to the hub was lost."));
    } catch (problem) {
      this.#refused(problem);
    } finally {
      this.#entering = false;
    }
  }

  /** #drop closes a socket whose hub has not answered, and ignores later events of the socket. */
  #drop(): void {
    if (!this.#socket) return;
    this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
    this.#socket = undefined;
  }

  #refused(problem: unknown): void {
    const message = messageOf(problem);
    if (problem instanceof Locked || (problem instanceof ApiError && problem.status === 401 && !native())) {
      this.lock(message);
      return;
    }
    if (problem instanceof Stopped) {
      disconnect();
      this.connection = "stopped";
      this.reason = message;
      return;
    }
    this.#lost(message);
  }

  #lost(reason: string): void {
    disconnect();
    this.connection = "offline";
    this.reason = reason;
    this.calls = 0;
    this.#socket = undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#connect(), this.#wait);
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
  }

  #send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #take = <T extends MessageType>(type: T, message: Messages[T]): void => {
    if (type === "state") this.#state(message as Messages["state"]);
    else if (type === "hub") this.#hub(message as Messages["hub"]);
    else if (type === "log_entry")
      this.recent = [(message as Messages["log_entry"]).entry, ...this.recent].slice(0, RECENT);
    for (const listener of this.#listeners.get(type) ?? []) listener(message);
  };

  /** #state applies a full state, or a delta with the changed servers and the names of all servers. */
  #state({ delta, version, names, servers }: Messages["state"]): void {
    if (!delta) {
      if (this.version && version && version !== this.version) this.updated = true;
      this.version = version ?? "";
      this.servers = servers;
      this.#online();
      return;
    }
    // eslint-disable-next-line svelte/prefer-svelte-reactivity -- local to this call
    const known = new Map(this.servers.map((server) => [server.name, server]));
    for (const server of servers) known.set(server.name, server);
    const order = names ?? servers.map((server) => server.name);
    this.servers = order.flatMap((name) => known.get(name) ?? []);
  }

  #online(): void {
    this.connection = "online";
    this.ready = true;
    this.reason = "";
    this.#wait = FIRST_WAIT;
    for (const key of this.#followed.keys()) this.#send({ type: "follow", ...(JSON.parse(key) as object) });
  }

  #hub({ paused, calls, clients, problem = "", waiting, warned }: Messages["hub"]): void {
    if (paused !== this.paused) toasts.settle("paused", paused);
    this.paused = paused;
    this.calls = calls;
    this.clients = clients;
    this.problem = problem;
    this.held = { waiting, warned };
  }
}

export const hub = new Hub();
