// The WebSocket over which the hub reports all changes. The types match backend/doors/api/push/messages.go.

import { address, api, take, type Schemas } from "./client.ts";

/** A configured server, as WebSocket messages describe it. */
export type Server = Schemas["Server"] & {
  secret_names?: string[];
  metrics?: Schemas["ServerMetrics"];
  /** A revision number that changes when the server's tools change. */
  tools_rev?: number;
};

export type LogEntry = Schemas["LogEntry"];

export interface Elicitation {
  id: string;
  serverName: string;
  /** How the question is answered; a form if missing. */
  mode?: "form" | "url" | "sampling" | "approval";
  message: string;
  requestedSchema: unknown;
  /** The web page that the server asks to open. */
  url?: string;
  /** The parameters of sampling/createMessage, or tool and arguments of a call to approve. */
  request?: unknown;
  /** The MCP client whose call caused the question; missing if it is not known. */
  client?: string;
  /** When the hub tells the server that nobody has answered, in ms since 1970. */
  expiresAt: number;
}

export type OutputLine = Schemas["OutputLine"];

/** A JSON-RPC message between the hub and a server. */
export type ServerMessage = Schemas["ServerMessage"];

/** The WebSocket messages of the hub, by type. */
export interface Messages {
  state: { delta?: boolean; version?: string; names?: string[]; servers: Server[]; active: { name: string }[] };
  hub: {
    paused: boolean;
    calls: number;
    clients: Schemas["Client"][];
    problem?: string;
    /** waiting counts the tools and other items that wait for a decision; warned counts those in use with a warning. */
    waiting: number;
    warned: number;
  };
  log_entry: { entry: LogEntry };
  notification: { serverName: string; method: string; params: unknown; ts: string };
  progress: {
    serverName: string;
    payload: { token?: string | number; progress?: number; total?: number; message?: string };
    ts: string;
  };
  elicitation_request: Elicitation & { ts: string };
  elicitation_answered: { id: string; unanswered?: "expired" | "withdrawn" };
  output: { serverName: string; left_out?: number; lines: OutputLine[] };
  messages: { serverName: string; missed?: number; messages: ServerMessage[] };
  learned: { on: boolean; total: number };
  /** The state of the Agent Discover entry in some editor may have changed. */
  editors: object;
  /** The settings have changed, or a changed file was rejected: read /api/config again. */
  config: object;
  /** A token of an MCP client was created, revoked or used. */
  tokens: object;
  /** Items or results of a server were held, approved or rejected: read /api/trust again. */
  trust: { server: string; waiting: number; warned: number; results: number };
  /** The toolsets, the states of their tools, or the toolsets that clients have equipped have changed. */
  toolsets: object;
  /** The progress of an installation. */
  "market.job": { job: Schemas["InstallProgress"] };
  /** A line that a program of an installation has printed. */
  "market.output": { id: string; line: string };
  /** The versions of installed servers have changed. */
  "market.updates": object;
  tools: object;
  /** The state of the copy of the official registry. */
  "market.mirror": { mirror: Schemas["MirrorState"] };
  error: { message: string };
}

export type MessageType = keyof Messages;

/** listen opens a WebSocket and passes on every message. It calls closed once, with the hub's reason or "". */
export async function listen(
  passOn: <T extends MessageType>(type: T, message: Messages[T]) => void,
  closed: (reason: string) => void,
): Promise<WebSocket> {
  const { ticket } = await take(api.POST("/api/tickets", { body: { purpose: "socket" } }));
  const url = address(`/ws?deltas=changed&tools=none&hub=1&ticket=${ticket}`).replace(/^http/, "ws");
  const socket = new WebSocket(url);
  socket.onmessage = ({ data }: MessageEvent<string>) => {
    const message = JSON.parse(data) as { type: MessageType } & Messages[MessageType];
    passOn(message.type, message);
  };
  socket.onclose = ({ reason }) => closed(reason);
  return socket;
}
